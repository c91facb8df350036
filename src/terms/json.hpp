// SPDX-License-Identifier: Apache-2.0
// A JSON value without the heavy header: nlohmann-json parses and writes it in json.cpp alone, toml++ in toml.cpp.
// NaN and infinity become null. Objects keep insertion order. Parsing bounds depth (64) and size; bad text throws Error.
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace folioscope {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool b) : value_(b) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T n) : value_(static_cast<std::int64_t>(n)) {}
  template <std::floating_point T>
  Json(T d) {
    if (std::isfinite(d)) value_ = static_cast<double>(d);
  }
  Json(char const* s) : value_(std::string(s)) {}
  Json(std::string s) : value_(std::move(s)) {}
  Json(std::string_view s) : value_(std::string(s)) {}
  Json(Array a) : value_(std::move(a)) {}
  Json(Object o) : value_(std::move(o)) {}
  template <class T>
  Json(std::optional<T> const& o) {
    if (o) *this = Json(*o);
  }
  static Json object(std::initializer_list<Member> members) { return Json(Object(members)); }
  static Json array(std::initializer_list<Json> items) { return Json(Array(items)); }
  static Json array() { return Json(Array{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  /// Typed views; nullopt (or an empty sequence) when the value has another type.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_number() const;
  std::optional<std::string> as_string() const;
  Array const& items() const;
  Object const& members() const;

  /// The member, or a null value when absent or not an object.
  Json const& operator[](std::string_view key) const;
  bool contains(std::string_view key) const;
  /// Sets or adds a member; a null value becomes an object first.
  Json& set(std::string key, Json value);
  /// Appends; a null value becomes an array first.
  Json& push(Json value);

  /// indent < 0: one line.
  std::string dump(int indent = -1) const;

  friend bool operator==(Json const&, Json const&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Throws Error naming `where` and the position.
Json parse_json(std::string_view text, std::string_view where);
/// TOML as the same value type (dates as strings). Throws Error naming `where`, line and column.
Json parse_toml(std::string_view text, std::string_view where);

}  // namespace folioscope
