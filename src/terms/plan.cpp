// SPDX-License-Identifier: Apache-2.0
#include "terms/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace folioscope {
namespace {

constexpr char const* damaged = "the file is damaged or from a newer folioscope";
/// No plan has as many stretches a cell; a hostile record may claim any number.
constexpr std::uint64_t most_stretches = std::uint64_t{1} << 22;

std::uint64_t whole(Json const& json, std::string_view key, std::uint64_t most, std::string_view where) {
  auto const n = json[key].as_integer();
  if (!n || *n < 0 || static_cast<std::uint64_t>(*n) > most)
    throw Error(fmt::format("plan with an impossible '{}'", key), std::string(where), damaged);
  return static_cast<std::uint64_t>(*n);
}

double positive(Json const& json, std::string_view key, std::string_view where) {
  auto const d = json[key].as_number();
  if (!d || !(*d >= 0)) throw Error(fmt::format("plan with an impossible '{}'", key), std::string(where), damaged);
  return *d;
}

/// A seed may be any 64-bit number, JSON integers end at 2^63: it travels as text.
std::uint64_t seed_of(Json const& json, std::string_view where) {
  std::string const text = json["seed"].as_string().value_or("");
  std::uint64_t seed = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw Error("plan with an impossible 'seed'", std::string(where), damaged);
  return seed;
}

/// Reads "offset+length" or "offset+length*count@step" and appends, never more than `extent` bytes in all.
class VisitReader {
 public:
  VisitReader(std::string_view text, Bytes extent, std::string_view where)
      : text_(text), extent_(extent), where_(where) {}

  Visits read() {
    while (!text_.empty()) {
      group();
      if (!text_.empty()) expect(' ');
    }
    return std::move(visits_);
  }

 private:
  std::string_view text_;
  Bytes extent_;
  std::string_view where_;
  Visits visits_;
  std::uint64_t covered_ = 0;

  [[noreturn]] void fail(std::string what) const {
    throw Error("visits " + std::move(what), std::string(where_), damaged);
  }

  void expect(char c) {
    if (!text_.starts_with(c)) fail(fmt::format("lack a '{}'", c));
    text_.remove_prefix(1);
  }

  template <class T>
  T number() {
    T n = 0;
    auto const [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), n);
    if (error != std::errc()) fail("hold something that is no number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return n;
  }

  void group() {
    auto offset = number<std::uint64_t>();
    expect('+');
    auto const length = number<std::uint64_t>();
    std::uint64_t count = 1;
    std::int64_t step = 0;
    if (text_.starts_with('*')) {
      text_.remove_prefix(1);
      count = number<std::uint64_t>();
      expect('@');
      step = number<std::int64_t>();
    }
    if (length == 0 || count == 0) fail("are empty");
    if (length > extent_.value || count > (extent_.value - covered_) / length) fail("cover more than the extent");
    if (count > most_stretches - visits_.size()) fail("are too many");
    covered_ += length * count;
    for (; count > 0; --count, offset += static_cast<std::uint64_t>(step)) {
      if (offset > extent_.value - length) fail("lie outside the extent");
      visits_.push_back({Bytes(offset), Bytes(length)});
    }
  }
};

}  // namespace

Json to_json(Plan const& plan) {
  Json options = Json(Json::Object{});
  for (auto const& [key, value] : plan.options) options.set(key, value);
  return Json::object({{"experiment", plan.experiment},
                       {"description", plan.description},
                       {"seed", std::to_string(plan.seed)},
                       {"budget_ns", plan.budget.value},
                       {"precision", plan.precision},
                       {"min_placements", plan.min_placements},
                       {"max_placements", plan.max_placements},
                       {"blocks_per_placement", plan.blocks_per_placement},
                       {"base_page_bytes", plan.base_page.value},
                       {"folio_bytes", plan.folio.value},
                       {"options", options}});
}

Plan plan_from_json(Json const& json, std::string_view where) {
  constexpr std::uint64_t many = 1u << 30;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
  Plan plan;
  plan.experiment = json["experiment"].as_string().value_or("");
  if (plan.experiment.empty()) throw Error("plan without an experiment", std::string(where), damaged);
  plan.description = json["description"].as_string().value_or("");
  plan.seed = seed_of(json, where);
  plan.budget = Nanoseconds(positive(json, "budget_ns", where));
  plan.precision = positive(json, "precision", where);
  plan.min_placements = static_cast<std::uint32_t>(whole(json, "min_placements", many, where));
  plan.max_placements = static_cast<std::uint32_t>(whole(json, "max_placements", many, where));
  plan.blocks_per_placement = static_cast<std::uint32_t>(whole(json, "blocks_per_placement", many, where));
  plan.base_page = Bytes(whole(json, "base_page_bytes", most_bytes, where));
  plan.folio = Bytes(whole(json, "folio_bytes", most_bytes, where));
  for (auto const& [key, value] : json["options"].members()) plan.options[key] = value.as_string().value_or("");
  return plan;
}

std::string encode_visits(Visits const& visits) {
  std::string text;
  auto const step_after = [&](std::size_t i) {
    return static_cast<std::int64_t>(visits[i + 1].offset.value - visits[i].offset.value);
  };
  for (std::size_t i = 0; i < visits.size();) {
    std::size_t end = i + 1;
    if (end < visits.size() && visits[end].length == visits[i].length) {
      std::int64_t const step = step_after(i);
      while (end < visits.size() && visits[end].length == visits[i].length && step_after(end - 1) == step) ++end;
    }
    if (end - i == 2) end = i + 1;  // two apart are shorter than one fold, and the next fold may start at the second
    if (!text.empty()) text += ' ';
    fmt::format_to(std::back_inserter(text), "{}+{}", visits[i].offset.value, visits[i].length.value);
    if (end - i > 1) fmt::format_to(std::back_inserter(text), "*{}@{}", end - i, step_after(i));
    i = end;
  }
  return text;
}

Visits decode_visits(std::string_view text, Bytes extent, std::string_view where) {
  return VisitReader(text, extent, where).read();
}

}  // namespace folioscope
