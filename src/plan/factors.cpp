// SPDX-License-Identifier: Apache-2.0
#include "plan/factors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "orders/order.hpp"
#include "plan/choice.hpp"
#include "terms/cell.hpp"

namespace folioscope {
namespace {

struct FactorRow {
  Factor factor;
  std::string_view name;
  std::string_view standard;  ///< the level where a group names none
};
constexpr std::array<FactorRow, factor_count> rows{{
    {Factor::kernels, "kernels", "linux"},
    {Factor::orders, "orders", "sequential"},
    {Factor::runs, "runs", "page"},
    {Factor::calls, "calls", "page"},
    {Factor::targets, "targets", "N/4"},
    {Factor::states, "states", "cold"},
    {Factor::footprints, "footprints", "1"},
    {Factor::backings, "backings", "thp"},
    {Factor::fences, "fences", "pass"},
    {Factor::threads, "threads", "1"},
    {Factor::prefetches, "prefetches", "0"},
}};

/// Factors stay far below 2^20, so that products with sizes of machines do not overflow.
constexpr std::uint64_t most_factor = std::uint64_t{1} << 20;

std::optional<std::uint64_t> number(std::string_view text, std::uint64_t most = most_factor) {
  std::uint64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || n > most) return std::nullopt;
  return n;
}

/// "2*NAME/4" into its three parts; absent factors are 1.
struct Scaled {
  std::uint64_t times = 1;
  std::string_view name;
  std::uint64_t over = 1;
};
std::optional<Scaled> parse_scaled(std::string_view text) {
  Scaled scaled;
  if (auto const star = text.find('*'); star != std::string_view::npos) {
    auto const n = number(text.substr(0, star));
    if (!n || *n == 0) return std::nullopt;
    scaled.times = *n;
    text.remove_prefix(star + 1);
  }
  if (auto const slash = text.find('/'); slash != std::string_view::npos) {
    auto const n = number(text.substr(slash + 1));
    if (!n || *n == 0) return std::nullopt;
    scaled.over = *n;
    text = text.substr(0, slash);
  }
  scaled.name = text;
  return scaled;
}

}  // namespace

std::string_view to_string(Factor factor) { return rows[static_cast<std::size_t>(factor)].name; }

std::optional<Factor> parse_factor(std::string_view text) {
  for (FactorRow const& row : rows)
    if (row.name == text) return row.factor;
  return std::nullopt;
}

std::vector<std::string> factor_names() {
  std::vector<std::string> names;
  for (FactorRow const& row : rows) names.emplace_back(row.name);
  return names;
}

Group default_group() {
  Group group;
  for (FactorRow const& row : rows) group.of(row.factor) = {std::string(row.standard)};
  return group;
}

void Place::fail(std::string what, std::string remedy) const {
  throw Error(std::move(what), where, std::move(remedy), status);
}

/// All of them while they fit a line; where a list says more, that list.
static std::string known_words(std::string_view kind, std::vector<std::string> const& known) {
  std::string all;
  for (std::string const& word : known) all += (all.empty() ? "" : ", ") + word;
  if (all.size() <= 70) return fmt::format("there are {}", all);
  if (kind == "kernel" || kind == "order" || kind == "backing")
    return fmt::format("`folioscope list {}s` names them", kind);
  return "docs/adding.md names the words";
}

void Place::unknown(std::string_view kind, std::string_view word, std::vector<std::string> const& known) const {
  auto const nearest = nearest_name(word, known);
  fail(fmt::format("no {} '{}'", kind, word.substr(0, 60)),
       nearest ? fmt::format("did you mean '{}'?", *nearest) : known_words(kind, known));
}

std::optional<FootprintWord> parse_footprint(std::string_view text) {
  using Kind = FootprintWord::Kind;
  if (auto const folios = number(text))
    return *folios == 0 ? std::nullopt : std::optional(FootprintWord{Kind::folios, *folios});
  if (auto const bytes = parse_bytes(text)) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;
    if (bytes->value == 0 || bytes->value > most_bytes) return std::nullopt;
    return FootprintWord{Kind::bytes, bytes->value};
  }
  auto const scaled = parse_scaled(text);
  if (!scaled || !scaled->name.starts_with('L')) return std::nullopt;
  auto const level = number(scaled->name.substr(1), 9);
  if (!level || *level == 0) return std::nullopt;
  return FootprintWord{Kind::cache, *level, scaled->times, scaled->over};
}

std::optional<std::uint64_t> TargetWord::page(std::uint64_t pages) const {
  std::uint64_t const at = pages * times / over + plus;
  if (at < minus) return std::nullopt;
  return at - minus;
}

std::optional<TargetWord> parse_target(std::string_view text) {
  TargetWord target;
  if (auto const n = number(text, std::uint64_t{1} << 40)) {
    target.plus = *n;
    return target;
  }
  if (auto const dash = text.find('-'); dash != std::string_view::npos) {
    auto const n = number(text.substr(dash + 1));
    if (!n) return std::nullopt;
    target.minus = *n;
    text = text.substr(0, dash);
  }
  auto const scaled = parse_scaled(text);
  if (!scaled || scaled->name != "N") return std::nullopt;
  target.times = scaled->times;
  target.over = scaled->over;
  return target;
}

Bytes SizeWord::in(Bytes extent, Bytes base_page) const {
  if (kind == Kind::whole) return extent;
  return kind == Kind::page ? base_page : bytes;
}

std::optional<SizeWord> parse_size(Factor factor, std::string_view text) {
  if (text == "page") return SizeWord{SizeWord::Kind::page, {}};
  if ((factor == Factor::runs && text == "folio") || (factor == Factor::calls && text == "stretch"))
    return SizeWord{SizeWord::Kind::whole, {}};
  auto const bytes = parse_bytes(text);
  if (!bytes || (bytes->value == 0 && factor != Factor::prefetches)) return std::nullopt;
  return SizeWord{SizeWord::Kind::bytes, *bytes};
}

std::optional<std::uint32_t> parse_threads(std::string_view text) {
  if (text == "all") return 0;
  auto const n = number(text, 1u << 16);
  if (!n || *n == 0) return std::nullopt;
  return static_cast<std::uint32_t>(*n);
}

void check(Factor factor, std::string const& word, Place const& place) {
  switch (factor) {
    case Factor::kernels:
      check_kernel(word, place);
      return;
    case Factor::orders:
      check_order(word, place);
      return;
    case Factor::backings:
      check_backing(word, place);
      return;
    case Factor::states:
      if (!parse_state(word)) place.unknown("state", word, {"cold", "hot", "cold-zero"});
      return;
    case Factor::fences:
      if (!parse_fence(word)) place.unknown("fence", word, {"call", "pass"});
      return;
    case Factor::footprints:
      if (!parse_footprint(word))
        place.fail(fmt::format("'{}' is no footprint", word),
                   "write folios (8), a size (64K) or a share of a cache (2*L3, L2/2)");
      return;
    case Factor::targets:
      if (!parse_target(word))
        place.fail(fmt::format("'{}' is no target", word), "write a base page (3, 0) or a share (N/4, N-1)");
      return;
    case Factor::threads:
      if (!parse_threads(word))
        place.fail(fmt::format("'{}' is no number of threads", word), "write 1 or more, or all");
      return;
    case Factor::runs:
    case Factor::calls:
    case Factor::prefetches:
      if (!parse_size(factor, word))
        place.fail(fmt::format("'{}' is no size", word),
                   factor == Factor::calls ? "write 4K, page or stretch" : "write 4K, page, or folio for runs");
      if (auto const size = parse_size(factor, word);
          size->kind == SizeWord::Kind::bytes && size->bytes.value % least_run.value != 0)
        place.fail(fmt::format("'{}' is no whole number of cache lines", word), "write a multiple of 64, such as 4K");
      return;
  }
}

}  // namespace folioscope
