// SPDX-License-Identifier: Apache-2.0
#include "explain/after_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/advice.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

constexpr Pattern all_patterns[] = {Pattern::target, Pattern::ascending, Pattern::from_target, Pattern::descending,
                                    Pattern::random};

std::string joined(std::vector<std::string> const& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string pattern_words(Pattern pattern) {
  switch (pattern) {
    case Pattern::target:
      return "the target's page alone";
    case Pattern::ascending:
      return "ascending from its start";
    case Pattern::from_target:
      return "ascending from the target";
    case Pattern::descending:
      return "descending from its end";
    case Pattern::random:
      return "in random order";
  }
  return {};
}

std::string share_words(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

/// "movnt_avx512 from the first page to the last".
std::string way_words(ExplainedCampaign const& c, Cell const& cell) {
  return fmt::format("{} {}", printable(cell.kernel), how_it_goes(c, cell));
}

std::vector<Winner const*> winners_of(Explanation const& e, std::size_t campaign, Access access, bool corunner) {
  std::vector<Winner const*> out;
  for (Winner const& w : e.bills.winners) {
    BillLine const& line = e.bills.lines[w.line];
    if (line.campaign == campaign && line.use.access == access && line.use.corunner == corunner) out.push_back(&w);
  }
  return out;
}

/// Of one pattern the use of the most of the folio.
Winner const* widest(Explanation const& e, std::vector<Winner const*> const& winners, Pattern pattern) {
  Winner const* best = nullptr;
  for (Winner const* w : winners) {
    Use const& use = e.bills.lines[w->line].use;
    if (use.pattern == pattern && (!best || use.fraction > e.bills.lines[best->line].use.fraction)) best = w;
  }
  return best;
}

bool surely_cheaper(BillLine const& line) { return line.finding == Finding::faster; }

/// "Who wins for each access pattern", patterns with one answer together.
std::vector<std::string> pattern_findings(Explanation const& e, std::size_t campaign, Access access, bool corunner) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  auto const winners = winners_of(e, campaign, access, corunner);
  std::map<std::uint32_t, std::vector<std::string>> won;  // cell: patterns with their figures
  std::vector<std::string> undecided;
  std::optional<std::uint32_t> baseline;
  for (Pattern const pattern : all_patterns) {
    Winner const* const w = widest(e, winners, pattern);
    if (!w) continue;
    BillLine const& line = e.bills.lines[w->line];
    baseline = e.bills.lines[w->baseline_line].cell;
    if (line.cell != *baseline && surely_cheaper(line))
      won[line.cell].push_back(fmt::format("{}: {}", pattern_words(pattern), with_interval(line.ratio)));
    else
      undecided.push_back(pattern_words(pattern));
  }
  std::string const how = access == Access::modify ? "read and written" : "read";
  std::string const when =
      fmt::format("{}{}", how, corunner ? " beside a neighbour that presses on the shared cache" : "");
  std::vector<std::string> out;
  for (auto const& [cell, patterns] : won)
    out.push_back(
        fmt::format("When the folio is {} right after its clear, {} is cheapest in all, clear and use "
                    "together, as a share of what {} page by page takes: {}.",
                    when, way_words(c, c.cells[cell]), printable(c.cells[*baseline].kernel), joined(patterns)));
  if (!undecided.empty() && baseline)
    out.push_back(fmt::format("When it is {} ({}), no way of clearing is surely cheaper in all than {} page by page.",
                              when, joined(undecided), printable(c.cells[*baseline].kernel)));
  return out;
}

/// What clears fastest loses in all: where it does, and by how much.
std::optional<std::string> fastest_loses(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::vector<BillLine const*> whole;  // all of the folio, read and written, alone
  for (BillLine const& line : e.bills.lines)
    if (line.campaign == campaign && line.use.fraction >= 1 && line.use.access == Access::modify &&
        !line.use.corunner && is_reference(c.cells[line.cell]))
      whole.push_back(&line);
  if (whole.empty()) return std::nullopt;
  BillLine const& fastest = **std::ranges::min_element(whole, {}, [](BillLine const* l) { return l->clear.value; });
  std::vector<std::string> lost;
  for (BillLine const* line : whole)
    if (line->cell == fastest.cell && line->finding == Finding::slower)
      lost.push_back(fmt::format("{} times {}", with_interval(line->ratio), pattern_words(line->use.pattern)));
  if (lost.empty()) return std::nullopt;
  return fmt::format(
      "What clears fastest is not cheapest: {} clears a folio in {}, but with the use of all of it clear and use take "
      "{} "
      "as long as with {} page by page, for its lines come back from memory.",
      way_words(c, c.cells[fastest.cell]), format_time(fastest.clear), joined(lost),
      printable(c.cells[*fastest.reference].kernel));
}

/// Against Linux's own kernel; the figure and --json have the others.
std::vector<std::string> crossover_findings(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  auto const linux_kernel = c.facts.value(fact::linux_kernel).as_string();
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> kinds;
  for (Crossover const& x : e.bills.crossovers) {
    if (x.campaign != campaign || x.use.access != Access::modify || x.use.corunner) continue;
    if (linux_kernel && c.cells[x.cheaper_below].kernel != *linux_kernel &&
        c.cells[x.cheaper_above].kernel != *linux_kernel)
      continue;
    kinds[{c.cells[x.cheaper_below].kernel, c.cells[x.cheaper_above].kernel}].push_back(
        fmt::format("{} ({} to {}) {}", share_words(x.use.fraction), share_words(x.fractions.low),
                    share_words(x.fractions.high), pattern_words(x.use.pattern)));
  }
  std::vector<std::string> out;
  for (auto const& [kernels, where] : kinds)
    out.push_back(fmt::format("{} is cheaper in all than {} when less of the folio is used than {}; {} when more is.",
                              printable(kernels.first), printable(kernels.second), joined(where),
                              printable(kernels.second)));
  return out;
}

/// The maintainer's question, answered for this machine.
std::vector<std::string> radius_findings(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::vector<std::string> out;
  std::vector<std::string> today;
  RadiusLine const* best = nullptr;
  std::size_t maps = 0, faster = 0, slower = 0;
  for (RadiusLine const& r : e.bills.radii) {
    BillLine const& line = e.bills.lines[r.line];
    if (line.campaign != campaign) continue;
    ++maps;
    faster += line.finding == Finding::faster;
    slower += line.finding == Finding::slower;
    if (surely_cheaper(line) && (!best || line.ratio.ratio < e.bills.lines[best->line].ratio.ratio)) best = &r;
    if (r.todays_linux && line.use.pattern == Pattern::target)
      today.push_back(fmt::format("{} with target page {}", bill_claim(line), line.use.target.value_or(0)));
  }
  if (maps == 0) return out;
  if (!today.empty())
    out.push_back(
        fmt::format("Is clearing the neighbourhood last worth anything? As Linux v7.0 does it (2 pages on each "
                    "side, whole ranges), clear and touching the target's page together: {}, against plain "
                    "ascending in one call.",
                    joined(today)));
  out.push_back(
      best ? fmt::format("Of {} combinations of radius, call, target and use {} are surely cheaper than plain "
                         "ascending and {} dearer; the best is a radius of {} in calls of {}: {}.",
                         maps, faster, slower, format_bytes(best->radius),
                         format_bytes(c.cells[e.bills.lines[best->line].cell].call),
                         bill_claim(e.bills.lines[best->line]))
           : fmt::format("Of {} combinations of radius, call, target and use none is surely cheaper than plain "
                         "ascending, and {} are dearer.",
                         maps, slower));
  return out;
}

}  // namespace

std::string words_of(Use const& use) {
  std::string text = use.access == Access::modify ? "read and write " : "read ";
  if (use.pattern == Pattern::target)
    text += pattern_words(use.pattern);
  else
    text +=
        fmt::format("{} of it {}", use.fraction >= 1 ? "all" : share_words(use.fraction), pattern_words(use.pattern));
  return use.corunner ? text + ", beside a busy neighbour" : text;
}

std::string bill_claim(BillLine const& line) {
  if (!line.reference || line.ratio.n == 0) return "not compared";
  switch (line.finding) {
    case Finding::slower:
    case Finding::faster:
      return fmt::format("{} times", with_interval(line.ratio));
    case Finding::no_difference:
      return fmt::format("no detectable difference above {} ({})", percent(line.delta), with_interval(line.ratio));
    case Finding::cannot_tell:
      return fmt::format("cannot be told ({})", with_interval(line.ratio));
  }
  return {};
}

std::optional<std::string> bill_conclusion(Explanation const& e, std::size_t campaign) {
  if (!has_bill(e, campaign)) return std::nullopt;
  ExplainedCampaign const& c = e.campaigns[campaign];
  if (auto const cheapest = cheapest_for_linux(e, campaign)) {
    BillLine const& line = e.bills.lines[*cheapest];
    return fmt::format("With the use of all of the folio on the bill, {} costs {} of what {} page by page does.",
                       way_words(c, c.cells[line.cell]), with_interval(line.ratio),
                       printable(c.cells[*line.reference].kernel));
  }
  return fmt::format(
      "With the use of all of the folio on the bill, nothing that Linux may use is surely cheaper than {} page by "
      "page, "
      "plain ascending.",
      printable(c.facts.value(fact::linux_kernel).as_string().value_or("Linux's kernel")));
}

bool has_bill(Explanation const& e, std::size_t campaign) {
  return std::ranges::any_of(e.bills.winners,
                             [&](Winner const& w) { return e.bills.lines[w.line].campaign == campaign; });
}

std::optional<std::size_t> cheapest_for_linux(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < e.bills.lines.size(); ++i) {
    BillLine const& line = e.bills.lines[i];
    if (line.campaign != campaign || line.use.pattern != Pattern::ascending || line.use.fraction < 1 ||
        line.use.access != Access::modify || line.use.corunner || !surely_cheaper(line))
      continue;
    auto const k = std::ranges::find(c.kernels, c.cells[line.cell].kernel, &KernelContract::name);
    if (k == c.kernels.end() || k->linux_use != LinuxUse::yes) continue;
    if (!best || line.total < e.bills.lines[*best].total) best = i;
  }
  return best;
}

std::vector<std::string> after_findings(Explanation const& e, std::size_t campaign) {
  std::vector<std::string> out;
  auto const add = [&](std::optional<std::string> text) {
    if (text) out.push_back(std::move(*text));
  };
  for (auto& text : residency_findings(e, campaign)) out.push_back(std::move(text));
  if (has_bill(e, campaign)) {
    add(fastest_loses(e, campaign));
    for (auto& text : pattern_findings(e, campaign, Access::modify, false)) out.push_back(std::move(text));
    for (auto& text : pattern_findings(e, campaign, Access::modify, true)) out.push_back(std::move(text));
    for (auto& text : crossover_findings(e, campaign)) out.push_back(std::move(text));
  }
  for (auto& text : radius_findings(e, campaign)) out.push_back(std::move(text));
  return out;
}

}  // namespace folioscope
