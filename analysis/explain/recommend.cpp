// SPDX-License-Identifier: Apache-2.0
#include "explain/recommend.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "explain/layout.hpp"
#include "explain/lines.hpp"
#include "explain/observed.hpp"
#include "explain/recommend_inside.hpp"
#include "stats/comparisons.hpp"

namespace folioscope {
namespace {

constexpr Bytes largest_batch{32u << 20};  ///< that Linux v7.0 hands over at once where it is not preemptible

/// What the running Linux does for a first touch in the folio's first half.
std::optional<std::uint32_t> current_cell(Ground const& g) {
  if (!g.running) return std::nullopt;
  if (*g.running == LinuxOrder::sequential) return first_of(g, {"sequential"});
  if (*g.running == LinuxOrder::target_last) return first_of(g, {"target_last", "target_last target=0", "reverse"});
  return first_of(
      g, {"neighbourhood_last@2 call=stretch", "neighbourhood_last@2", "sequential call=stretch", "sequential"});
}

std::optional<std::uint32_t> advised_cell(Ground const& g) {
  auto const& a = g.advice();
  if (!a.order || !a.kernel || !g.finder.main()) return std::nullopt;
  Cell const main = *g.finder.main();
  for (std::uint32_t i = 0; i < g.c().cells.size(); ++i) {
    Cell const& cell = g.c().cells[i];
    if (cell.order == *a.order && cell.kernel == *a.kernel && cell.call == a.call.value_or(main.call) &&
        stratum_of(cell) == stratum_of(main) && cell.prefetch.value == 0 && cell.fence != Fence::call)
      return i;
  }
  return std::nullopt;
}

void add_linux(Recommendation& r, Ground const& g, std::optional<std::uint32_t> current) {
  std::string const order = parse_order(g.advice().order.value_or("")).value_or(OrderName{}).base;
  bool const ascending = order == "sequential" || order == "neighbourhood_last";
  std::string const does = !g.running                              ? "clears in an order that is not known"
                           : *g.running == LinuxOrder::target_last ? "clears huge pages target last"
                           : *g.running == LinuxOrder::neighbourhood_last
                               ? "clears ranges ascending, the target's neighbourhood last"
                               : "clears ascending";
  std::string const have =
      ascending ? "v7.0 and later clear ascending but for the target's neighbourhood; before v4.14 plain ascending"
      : order == "target_last" ? "v4.14 to v6.19 clear target last"
                               : "no release uses the order " + printable(order);
  r.today = fmt::format("{} {}; {}.", g.release, does, have);
  bool const gains = std::ranges::any_of(
      r.patterns, [](PatternAdvice const& p) { return p.pattern == "unknown" && p.gain && surely_less(*p.gain); });
  if (!gains || !current) return;
  Cell const& now = g.c().cells[*current];
  std::vector<std::string> changes;
  auto const reference = g.finder.reference(*current);
  Estimate const order_costs = reference ? estimate(g.runs.log_ratios(*current, *reference)) : Estimate{};
  bool const order_matters = order_costs.ci && order_costs.ci->low > 1.02;
  if (now.order != g.advice().order && order_matters && !(ascending && g.running == LinuxOrder::neighbourhood_last))
    changes.push_back("the order in folio_zero_user()");
  if (now.kernel != *g.advice().kernel)
    changes.push_back(fmt::format("clear_page() from {} to {}", printable(now.kernel), printable(*g.advice().kernel)));
  if (g.advice().call && now.call != *g.advice().call)
    changes.push_back(fmt::format("calls from {} to {}", format_bytes(now.call), format_bytes(*g.advice().call)));
  std::string text;
  for (std::size_t i = 0; i < changes.size(); ++i) text += (i ? ", " : "") + changes[i];
  if (!text.empty()) r.patch = "A patch would change " + text + ".";
}

void add_today(Recommendation& r, Ground const& g) {
  auto const backwards = first_of(g, {"reverse", "target_last target=0"});
  auto const forwards = first_of(g, {"sequential"});
  if (g.running == LinuxOrder::target_last && backwards && forwards) {
    Estimate const cost = estimate(g.runs.log_ratios(*backwards, *forwards));
    if (cost.ci && cost.ci->low > 1.02) {
      r.programs.push_back(fmt::format(
          "Touch each huge page at its last base page first: {} then clears it upwards; from the first page on it goes "
          "backwards, {} times as long. folioscope_prefault.h and libfolioscope_prefault.so do that "
          "(docs/prefault.md).",
          g.release, with_interval(cost)));
      r.settings.push_back(
          "Populating at start (MAP_POPULATE, MADV_POPULATE_WRITE, memory preallocation of QEMU or DPDK) touches "
          "first pages first and so pays the backward order: go through the prefault library. fallocate on hugetlb "
          "memory names no page, which is taken for the first.");
    }
  }
  if (auto const thp = g.c().facts.value("thp.enabled").as_string(); thp && *thp != "always")
    r.settings.push_back(
        *thp == "never"
            ? "THP is off here: only hugetlb memory meets huge pages, and their order, at all."
            : fmt::format("THP is set to {} here: only memory that asks for it (MADV_HUGEPAGE), and hugetlb "
                          "memory, is cleared a huge page at a time.",
                          printable(*thp)));
  std::string why;
  auto const thp = g.finder.find(parse_selector("sequential backing=thp", "recommendation"), why);
  auto const base = g.finder.find(parse_selector("sequential backing=base", "recommendation"), why);
  if (thp && base) {
    Estimate const cost = estimate(g.runs.log_ratios(*base, *thp));
    if (cost.ci)
      r.settings.push_back(
          fmt::format("Clearing the same amount as base pages takes {} times as long as one THP, faults not counted.",
                      with_interval(cost)));
  }
}

/// Of the largest calls over as much memory as a batch has: what a folio takes alone need not hold beyond the caches.
std::optional<std::uint32_t> batch_cell(Ground const& g) {
  std::optional<std::uint32_t> best;
  Cell const main = *g.finder.main();
  auto const rank = [&](Cell const& c) { return std::pair(c.call.value, ~c.footprint.value); };
  for (std::uint32_t i = 0; i < g.c().cells.size(); ++i) {
    Cell const& c = g.c().cells[i];
    bool const alike = is_reference(c) && c.kernel == main.kernel && c.state == main.state && c.threads == 1 &&
                       c.backing == main.backing && c.prefetch.value == 0;
    if (alike && c.footprint >= largest_batch && g.c().times[i] && (!best || rank(c) > rank(g.c().cells[*best])))
      best = i;
  }
  return best;
}

void add_batches(Recommendation& r, Ground const& g) {
  auto const cell = first_of(g, {"sequential call=stretch", "sequential"});
  if (!cell || !g.c().times[*cell]) return;
  auto const ns_per_byte = [&](std::uint32_t i) {
    return g.c().times[i]->value / static_cast<double>(g.c().cells[i].footprint.value);
  };
  r.folio_stretch = Nanoseconds(ns_per_byte(*cell) * static_cast<double>(g.c().folio.value));
  r.batch_stretch = Nanoseconds(ns_per_byte(batch_cell(g).value_or(*cell)) * static_cast<double>(largest_batch.value));
}

void add_user_only(Recommendation& r, Ground const& g) {
  if (!g.finder.main()) return;
  Verdict const* best = nullptr;
  for (Verdict const& v : g.e.judgement.verdicts) {
    if (v.campaign != g.index || !v.against_baseline || v.verdict != Finding::faster) continue;
    Cell const& cell = g.c().cells[v.cell];
    auto const k = std::ranges::find(g.c().kernels, cell.kernel, &KernelContract::name);
    bool const not_linux = k != g.c().kernels.end() && k->linux_use != LinuxUse::yes;
    if (not_linux && stratum_of(cell) == stratum_of(*g.finder.main()) &&
        (!best || v.estimate.ratio < best->estimate.ratio))
      best = &v;
  }
  if (best)
    r.user_only =
        fmt::format("{} in calls of {} (user space only) takes {} times as long as Linux's kernel page by page.",
                    printable(g.c().cells[best->cell].kernel), format_bytes(g.c().cells[best->cell].call),
                    with_interval(best->estimate));
}

Ground ground_of(Explanation const& e, std::size_t i, Campaign const& campaign, Runs const& runs) {
  auto const release = e.campaigns[i].facts.value(fact::linux_release).as_string();
  return {e,
          i,
          campaign,
          runs,
          CellFinder(campaign),
          release ? order_of_release(*release) : std::nullopt,
          release ? "Linux " + printable(*release) : "This Linux, its release unknown,"};
}

/// This campaign, or the newest of the same machine as it is, that has the use on its bill.
std::optional<std::size_t> bill_beside(std::size_t own, Explanation const& e, std::span<Campaign const> campaigns) {
  if (!billed_cells(campaigns[own]).empty()) return own;
  auto const machine = machine_of(e.campaigns[own].facts);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; machine && i < campaigns.size(); ++i) {
    ExplainedCampaign const& c = e.campaigns[i];
    if (machine_of(c.facts) == machine && !c.emulator && c.prefetchers_off.empty() &&
        c.facts.value(fact::linux_release).as_string() ==
            e.campaigns[own].facts.value(fact::linux_release).as_string() &&
        !billed_cells(campaigns[i]).empty())
      found = i;
  }
  return found;
}

}  // namespace

std::optional<std::uint32_t> first_of(Ground const& g, std::vector<char const*> const& selectors) {
  std::string why;
  std::uint64_t const folios = g.finder.main() ? g.finder.main()->footprint / g.c().folio : 1;
  for (char const* text : selectors) {
    CellSelector selector = parse_selector(text, "recommendation");
    // A campaign without single folios, such as a bill, is spoken of by what it has.
    selector.factors.try_emplace("footprint", std::to_string(std::max<std::uint64_t>(1, folios)));
    if (auto const cell = g.finder.find(selector, why)) return cell;
  }
  return std::nullopt;
}

void recommend(Explanation& e, std::span<Campaign const> campaigns, std::span<Runs const> runs) {
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Recommendation r;
    ExplainedCampaign const& c = e.campaigns[i];
    Ground const g = ground_of(e, i, campaigns[i], runs[i]);
    bool const speaks = !c.emulator && c.prefetchers_off.empty() && e.advice[i].order && g.finder.main();
    if (speaks) {
      auto const current = current_cell(g), best = advised_cell(g);
      auto const bill = bill_beside(i, e, campaigns);
      std::optional<Ground> billed;
      if (bill) billed.emplace(ground_of(e, *bill, campaigns[*bill], runs[*bill]));
      add_patterns(r, g, billed ? &*billed : nullptr, best, current);
      // With the use on the bill that is what counts: the answer for a program that nobody knows.
      for (PatternAdvice const& p : r.patterns)
        if (p.pattern == "unknown" && p.source == "clear and use" && p.order && p.kernel) {
          e.advice[i].order = p.order;
          e.advice[i].kernel = p.kernel;
          e.advice[i].call = p.call;
        }
      add_linux(r, g, current);
      add_today(r, g);
      add_batches(r, g);
      add_user_only(r, g);
    }
    e.recommendations.push_back(std::move(r));
  }
}

}  // namespace folioscope
