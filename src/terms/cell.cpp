// SPDX-License-Identifier: Apache-2.0
#include "terms/cell.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "terms/error.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace {

constexpr Word<State> states[] = {{State::cold, "cold"}, {State::hot, "hot"}, {State::cold_zero, "cold-zero"}};
constexpr Word<Fence> fences[] = {{Fence::call, "call"}, {Fence::pass, "pass"}};
constexpr Word<BackingKind> backings[] = {{BackingKind::base, "base"},       {BackingKind::mthp, "mthp"},
                                          {BackingKind::thp, "thp"},         {BackingKind::thp_pte, "thp-pte"},
                                          {BackingKind::hugetlb, "hugetlb"}, {BackingKind::tmpfs, "tmpfs"}};

bool sized(BackingKind kind) { return kind == BackingKind::mthp || kind == BackingKind::hugetlb; }

std::uint64_t whole(Json const& json, std::string_view key, std::string_view where) {
  auto const n = json[key].as_integer();
  if (!n || *n < 0)
    throw Error(fmt::format("'{}' is not a whole number", key), std::string(where), "sizes are bytes, at least 0");
  return static_cast<std::uint64_t>(*n);
}

template <class T>
T required(std::optional<T> value, std::string_view key, std::string_view where) {
  if (!value)
    throw Error(fmt::format("unknown '{}'", key), std::string(where), "the file is damaged or from a newer folioscope");
  return *value;
}

}  // namespace

std::string to_string(State state) { return word_of(states, state); }
std::string to_string(Fence fence) { return word_of(fences, fence); }
std::string to_string(Backing const& backing) {
  std::string text = word_of(backings, backing.kind);
  return backing.size ? text + "-" + compact_bytes(*backing.size) : text;
}
std::string to_string(OrderName const& order) {
  return order.parameter ? fmt::format("{}@{}", order.base, *order.parameter) : order.base;
}

std::optional<State> parse_state(std::string_view text) { return value_of(states, text); }
std::optional<Fence> parse_fence(std::string_view text) { return value_of(fences, text); }

std::optional<Backing> parse_backing(std::string_view text) {
  if (auto kind = value_of(backings, text)) return sized(*kind) ? std::nullopt : std::optional(Backing{*kind, {}});
  auto const dash = text.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  auto const kind = value_of(backings, text.substr(0, dash));
  auto const size = parse_bytes(text.substr(dash + 1));
  if (!kind || !sized(*kind) || !size || size->value == 0) return std::nullopt;
  return Backing{*kind, size};
}

std::optional<OrderName> parse_order(std::string_view text) {
  if (text.starts_with("file:"))
    return text.size() > 5 ? std::optional(OrderName{std::string(text), {}}) : std::nullopt;
  auto const at = text.find('@');
  if (at == std::string_view::npos)
    return text.empty() ? std::nullopt : std::optional(OrderName{std::string(text), {}});
  std::uint64_t n = 0;
  auto const digits = text.substr(at + 1);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (at == 0 || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return OrderName{std::string(text.substr(0, at)), n};
}

Json to_json(Cell const& c) {
  return Json::object({{"kernel", c.kernel},
                       {"state", to_string(c.state)},
                       {"backing", to_string(c.backing)},
                       {"footprint_bytes", c.footprint.value},
                       {"threads", c.threads},
                       {"order", c.order},
                       {"run_bytes", c.run ? Json(c.run->value) : Json()},
                       {"call_bytes", c.call.value},
                       {"prefetch_bytes", c.prefetch.value},
                       {"target", c.target},
                       {"fence", c.fence ? Json(to_string(*c.fence)) : Json()}});
}

Cell cell_from_json(Json const& json, std::string_view where) {
  Cell c;
  c.kernel = required(json["kernel"].as_string(), "kernel", where);
  c.order = required(json["order"].as_string(), "order", where);
  required(parse_order(c.order), "order", where);
  if (!json["run_bytes"].is_null()) c.run = Bytes(whole(json, "run_bytes", where));
  c.call = Bytes(whole(json, "call_bytes", where));
  c.prefetch = Bytes(whole(json, "prefetch_bytes", where));
  if (!json["target"].is_null()) c.target = whole(json, "target", where);
  c.state = required(parse_state(json["state"].as_string().value_or("")), "state", where);
  c.backing = required(parse_backing(json["backing"].as_string().value_or("")), "backing", where);
  c.footprint = Bytes(whole(json, "footprint_bytes", where));
  c.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole(json, "threads", where), 1u << 20));
  if (!json["fence"].is_null()) c.fence = required(parse_fence(json["fence"].as_string().value_or("")), "fence", where);
  return c;
}

std::string describe(Cell const& c) {
  std::string text = fmt::format("{} {}", c.kernel, c.order);
  if (c.run) text += " run " + compact_bytes(*c.run);
  text += " call " + compact_bytes(c.call);
  if (c.prefetch.value) text += " prefetch " + compact_bytes(c.prefetch);
  if (c.target) text += fmt::format(" target {}", *c.target);
  if (c.fence) text += " fence " + to_string(*c.fence);
  return text +
         fmt::format(" {} {} {} x{}", to_string(c.state), to_string(c.backing), compact_bytes(c.footprint), c.threads);
}

Stratum stratum_of(Cell const& c) { return {c.state, c.footprint, c.backing, c.threads}; }

Cell reference_of(Cell const& c) {
  Cell r = c;
  r.order = "sequential";
  r.run.reset();
  r.prefetch = Bytes(0);
  r.target.reset();
  return r;
}

bool is_reference(Cell const& c) { return c == reference_of(c); }

std::optional<std::string> nearest_name(std::string_view name, std::vector<std::string> const& names) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (auto const& candidate : names) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        std::size_t const substitute = diagonal + (name[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substitute});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace folioscope
