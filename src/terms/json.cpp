// SPDX-License-Identifier: Apache-2.0
#include "terms/json.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "terms/error.hpp"

namespace folioscope {
namespace {

constexpr int deepest = 64;

nlohmann::ordered_json to_nlohmann(Json const& value) {
  if (value.is_null()) return nullptr;
  if (auto b = value.as_bool(); value.is_bool()) return *b;
  if (value.is_integer()) return *value.as_integer();
  if (value.is_number()) return *value.as_number();
  if (value.is_string()) return *value.as_string();
  if (value.is_array()) {
    nlohmann::ordered_json::array_t out;
    out.reserve(value.items().size());
    for (Json const& item : value.items()) out.push_back(to_nlohmann(item));
    return out;
  }
  // Its own [] looks at every key, and growing copies all that is below: keys are distinct here, and counted.
  nlohmann::ordered_json::object_t out;
  out.reserve(value.members().size());
  for (auto const& [key, item] : value.members()) out.emplace_back(key, to_nlohmann(item));
  return out;
}

/// Builds Json from parser events, so that depth is bounded before the recursion could overflow the stack.
class Builder : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  Json result;
  std::string trouble;

  bool null() override { return put(Json()); }
  bool boolean(bool b) override { return put(Json(b)); }
  bool number_integer(number_integer_t n) override { return put(Json(n)); }
  bool number_unsigned(number_unsigned_t n) override {
    constexpr auto largest = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return n <= largest ? put(Json(static_cast<std::int64_t>(n))) : put(Json(static_cast<double>(n)));
  }
  bool number_float(number_float_t d, string_t const&) override { return put(Json(d)); }
  bool string(string_t& s) override { return put(Json(std::move(s))); }
  bool binary(binary_t&) override { return fail("binary values are not JSON"); }
  bool start_object(std::size_t) override { return open(false); }
  bool key(string_t& k) override {
    stack_.back().key = std::move(k);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const&) override {
    return fail(fmt::format("not JSON at byte {}", position));
  }

 private:
  struct Level {
    bool is_array = false;
    Json::Array items;
    Json::Object members;
    std::unordered_map<std::string, std::size_t> places;  ///< of keys in members; hostile objects have any number
    std::string key;
  };
  std::vector<Level> stack_;

  bool fail(std::string why) {
    if (trouble.empty()) trouble = std::move(why);
    return false;
  }
  bool put(Json value) {
    if (stack_.empty()) {
      result = std::move(value);
      return true;
    }
    Level& level = stack_.back();
    if (level.is_array) {
      level.items.push_back(std::move(value));
      return true;
    }
    auto const [place, fresh] = level.places.try_emplace(level.key, level.members.size());
    if (fresh)
      level.members.emplace_back(std::move(level.key), std::move(value));
    else
      level.members[place->second].second = std::move(value);
    return true;
  }
  bool open(bool is_array) {
    if (stack_.size() >= deepest) return fail(fmt::format("nested deeper than {} levels", deepest));
    stack_.emplace_back().is_array = is_array;
    return true;
  }
  bool close() {
    Level level = std::move(stack_.back());
    stack_.pop_back();
    return put(level.is_array ? Json(std::move(level.items)) : Json(std::move(level.members)));
  }
};

}  // namespace

Json::Json() noexcept = default;
Json::~Json() = default;
Json::Json(Json const&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json const&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(bool b) : value_(b) {}
Json::Json(Integer n) : value_(n.value) {}
Json::Json(Number d) {
  if (std::isfinite(d.value)) value_ = d.value;
}
Json::Json(char const* s) : value_(std::string(s)) {}
Json::Json(std::string s) : value_(std::move(s)) {}
Json::Json(std::string_view s) : value_(std::string(s)) {}
Json::Json(Array a) : value_(std::move(a)) {}
Json::Json(Object o) : value_(std::move(o)) {}
Json Json::object(std::initializer_list<Member> members) { return Json(Object(members)); }
Json Json::array(std::initializer_list<Json> items) { return Json(Array(items)); }
Json Json::array() { return Json(Array{}); }
bool operator==(Json const& a, Json const& b) { return a.value_ == b.value_; }

Json::Member::Member(std::string key, Json value) : first(std::move(key)), second(std::move(value)) {}
Json::Member::~Member() = default;
Json::Member::Member(Member const&) = default;
Json::Member::Member(Member&&) noexcept = default;
Json::Member& Json::Member::operator=(Member const&) = default;
Json::Member& Json::Member::operator=(Member&&) noexcept = default;
bool operator==(Json::Member const& a, Json::Member const& b) { return a.first == b.first && a.second == b.second; }

bool Json::is_null() const { return std::holds_alternative<std::monostate>(value_); }
bool Json::is_bool() const { return std::holds_alternative<bool>(value_); }
bool Json::is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
bool Json::is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
bool Json::is_string() const { return std::holds_alternative<std::string>(value_); }
bool Json::is_array() const { return std::holds_alternative<Array>(value_); }
bool Json::is_object() const { return std::holds_alternative<Object>(value_); }

std::optional<bool> Json::as_bool() const {
  if (auto const* b = std::get_if<bool>(&value_)) return *b;
  return std::nullopt;
}
std::optional<std::int64_t> Json::as_integer() const {
  if (auto const* n = std::get_if<std::int64_t>(&value_)) return *n;
  return std::nullopt;
}
std::optional<double> Json::as_number() const {
  if (auto const* n = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*n);
  if (auto const* d = std::get_if<double>(&value_)) return *d;
  return std::nullopt;
}
std::optional<std::string> Json::as_string() const {
  if (auto const* s = std::get_if<std::string>(&value_)) return *s;
  return std::nullopt;
}
Json::Array const& Json::items() const {
  static Array const empty;
  auto const* a = std::get_if<Array>(&value_);
  return a ? *a : empty;
}
Json::Object const& Json::members() const {
  static Object const empty;
  auto const* o = std::get_if<Object>(&value_);
  return o ? *o : empty;
}

Json const& Json::operator[](std::string_view key) const {
  static Json const null;
  for (auto const& [k, v] : members())
    if (k == key) return v;
  return null;
}
bool Json::contains(std::string_view key) const {
  for (auto const& [k, v] : members())
    if (k == key) return true;
  return false;
}
Json& Json::set(std::string key, Json value) {
  if (is_null()) value_ = Object{};
  auto& object = std::get<Object>(value_);
  for (auto& [k, v] : object)
    if (k == key) {
      v = std::move(value);
      return *this;
    }
  object.emplace_back(std::move(key), std::move(value));
  return *this;
}
Json& Json::push(Json value) {
  if (is_null()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

std::string Json::dump(int indent) const {
  return to_nlohmann(*this).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Json parse_json(std::string_view text, std::string_view where) {
  Builder builder;
  if (!nlohmann::ordered_json::sax_parse(text, &builder))
    throw Error(builder.trouble.empty() ? "not JSON" : builder.trouble, std::string(where),
                "the text must be one valid JSON value");
  return std::move(builder.result);
}

}  // namespace folioscope
