// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/compare.hpp"
#include "explain/layout.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

Json to_json(Estimate const& e) {
  return Json::object({{"value", e.n ? Json(e.ratio) : Json()},
                       {"ci", e.ci ? Json::array({e.ci->low, e.ci->high}) : Json()},
                       {"n", e.n}});
}

Json to_json(Compared const& c) {
  Json out =
      Json::object({{"file", c.file}, {"quantity", c.quantity == Compared::Quantity::ratio ? "ratio" : "time_ns"}});
  Json const factors = folioscope::to_json(c.cell);
  for (auto const& [key, value] : factors.members()) out.set(key, value);
  out.set("reference", c.reference ? folioscope::to_json(*c.reference) : Json());
  out.set("base", to_json(c.base));
  out.set("other", to_json(c.other));
  out.set("difference", c.difference.ratio);
  out.set("ci", to_json(c.difference)["ci"]);
  out.set("p_holm", c.difference.ci ? Json(c.p_holm) : Json());
  out.set("delta", c.delta);
  out.set("verdict", to_string(c.verdict));
  out.set("why", c.why.empty() ? Json() : Json(c.why));
  return out;
}

std::string value_words(Compared const& c, Estimate const& e) {
  return c.quantity == Compared::Quantity::time ? format_time(Nanoseconds(e.ratio)) : figure(e.ratio);
}

std::string difference_words(Compared const& c) {
  if (!c.difference.ci) return figure(c.difference.ratio);
  return fmt::format("{} ({} to {})", fixed(c.difference.ratio, 3), fixed(c.difference.ci->low, 3),
                     fixed(c.difference.ci->high, 3));
}

/// The most certain differences first, then by size.
std::vector<Compared const*> by_interest(Comparison const& comparison) {
  std::vector<Compared const*> order;
  order.reserve(comparison.compared.size());
  for (Compared const& c : comparison.compared) order.push_back(&c);
  std::ranges::stable_sort(order, {}, [](Compared const* c) {
    int const told = c->verdict == Finding::slower        ? 0
                     : c->verdict == Finding::faster      ? 1
                     : c->verdict == Finding::cannot_tell ? 2
                                                          : 3;
    double const size = std::fabs(std::log(c->difference.ratio));
    return std::pair(told, std::isfinite(size) ? -size : 0.0);
  });
  return order;
}

std::string counts(Comparison const& comparison) {
  int n[4] = {};
  for (Compared const& c : comparison.compared) ++n[static_cast<int>(c.verdict)];
  return fmt::format("{} comparisons: {} slower, {} faster, {} no difference, {} cannot tell.",
                     comparison.compared.size(), n[0], n[1], n[2], n[3]);
}

}  // namespace

Json to_json(Comparison const& comparison, std::optional<FailOn> const& condition) {
  Json files = Json::array(), compared = Json::array();
  for (ComparedFile const& f : comparison.files)
    files.push(Json::object({{"label", f.label},
                             {"machine", f.machine},
                             {"same_instance", f.same_instance},
                             {"emulator", f.emulator},
                             {"matched", f.matched},
                             {"unmatched", f.unmatched}}));
  for (Compared const& c : comparison.compared) compared.push(to_json(c));
  Json fail = Json();
  if (condition)
    fail = Json::object({{"finding", to_string(condition->finding)},
                         {"share", condition->share},
                         {"held_by", held_by(comparison, *condition).size()}});
  return Json::object({{"files", std::move(files)}, {"compared", std::move(compared)}, {"fail_on", std::move(fail)}});
}

std::string to_text(Comparison const& comparison, std::optional<FailOn> const& condition, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < comparison.files.size(); ++i) {
    ComparedFile const& f = comparison.files[i];
    std::string line = fmt::format("{} {}: {}", i == 0 ? "base " : fmt::format("[{}]  ", i), printable(f.label, 80),
                                   printable(f.machine, 80));
    if (f.emulator) line += " [emulated: " + printable(*f.emulator) + ": its times are no results]";
    if (i > 0)
      line += fmt::format("; {}; {} cells in both, {} only here",
                          f.same_instance ? "the same machine: ratios and times" : "another machine: ratios only",
                          f.matched, f.unmatched);
    out += wrapped(line, width, 0, 6) + "\n";
  }
  if (comparison.compared.empty()) return out + "No cell of identical description has figures in both.";
  out += "\n" + counts(comparison) + "\n\n";
  TextTable table(3, 2);
  table.add({"file", "cell", "of", "base", "other", "other ÷ base (95 %)", "verdict"});
  constexpr std::size_t most = 30;
  auto const order = by_interest(comparison);
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    Compared const& c = *order[i];
    table.add({fmt::format("[{}]", c.file), printable(describe(c.cell), 90),
               c.quantity == Compared::Quantity::ratio ? "ratio" : "time", value_words(c, c.base),
               value_words(c, c.other), difference_words(c), to_string(c.verdict)});
  }
  out += table.text();
  if (order.size() > most) out += fmt::format("  {} more: compare --json\n", order.size() - most);
  if (condition) {
    std::size_t const held = held_by(comparison, *condition).size();
    auto const open = std::ranges::count(comparison.compared, Finding::cannot_tell, &Compared::verdict);
    std::string words = held ? fmt::format("held by {} comparison{}", held, held == 1 ? "" : "s") : "not held";
    if (!held && open) words += fmt::format("; {} of {} could not be told", open, comparison.compared.size());
    if (std::ranges::any_of(comparison.files, &ComparedFile::guest)) words += "; of guests, ratios alone count";
    out += fmt::format("\n--fail-on {}:{:g}%: {}\n", to_string(condition->finding), condition->share * 100, words);
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out;
}

}  // namespace folioscope
