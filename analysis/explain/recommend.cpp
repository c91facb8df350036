// SPDX-License-Identifier: Apache-2.0
#include "explain/recommend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/advice.hpp"
#include "explain/finder.hpp"
#include "explain/layout.hpp"
#include "explain/lines.hpp"
#include "explain/observed.hpp"

namespace folioscope {
namespace {

constexpr Bytes largest_batch{32u << 20};  ///< that Linux v7.0 hands over at once where it is not preemptible

/// One campaign with what it recommends from.
struct Ground {
  Explanation const& e;
  std::size_t index;
  Campaign const& campaign;
  Runs const& runs;
  CellFinder finder;
  std::optional<LinuxOrder> running;
  std::string release;

  ExplainedCampaign const& c() const { return e.campaigns[index]; }
  Advice const& advice() const { return e.advice[index]; }
};

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

/// What the running Linux does for a first touch in the folio's first half.
std::optional<std::uint32_t> current_cell(Ground const& g) {
  if (!g.running) return std::nullopt;
  if (*g.running == LinuxOrder::sequential) return first_of(g, {"sequential"});
  if (*g.running == LinuxOrder::target_last) return first_of(g, {"target_last", "reverse"});
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

std::optional<Bytes> radius_of(Ground const& g, Cell const& c) {
  auto const order = parse_order(c.order);
  if (!order || order->base != "neighbourhood_last") return std::nullopt;
  return g.c().base_page * order->parameter.value_or(2);
}

/// Kernel, order and call size: "clzero from the first page to the last, page by page".
std::string way_words(Ground const& g, Cell const& c) {
  std::string text = fmt::format("{} {}", printable(c.kernel), how_it_goes(g.c(), c));
  if (text.find("page by page") != std::string::npos || text.find("calls of") != std::string::npos) return text;
  return text + (c.call == g.c().base_page ? std::string(", page by page,")
                                           : fmt::format(", in calls of {},", format_bytes(c.call)));
}

std::string gain_words(Estimate const& gain, std::string_view what) {
  return fmt::format("{} takes {} times as long as what Linux does now", what, with_interval(gain));
}

bool surely_less(Estimate const& e) { return e.ci && e.n >= 10 && e.ci->high < 1; }

/// From clearing times alone: what the use costs is bounded where it can be.
PatternAdvice from_clear(Ground const& g, std::string pattern, std::optional<std::uint32_t> best,
                         std::optional<std::uint32_t> current) {
  PatternAdvice p;
  p.pattern = std::move(pattern);
  p.source = "clear";
  std::string const bill = " What the use then costs was not measured: folioscope sweep --experiment bill.";
  if (!best || !current) {
    p.text = "Cannot tell here, because " +
             (best && !g.running ? std::string("the release of this Linux, and with it what it does now, is unknown.")
              : best             ? std::string("what Linux does now was not measured.")
              : g.advice().conclusion.empty() ? std::string("nothing was compared.")
                                              : "no order or kernel is recommended.");
    return p;
  }
  Cell const& cell = g.c().cells[*best];
  p.gain = estimate(g.runs.log_ratios(*best, *current));
  if (*best == *current || !surely_less(*p.gain)) {
    p.order = g.c().cells[*current].order;
    p.kernel = g.c().cells[*current].kernel;
    p.call = g.c().cells[*current].call;
    p.text = "No change is justified by the clear: nothing that Linux may use is surely faster than what it does now." +
             bill;
    return p;
  }
  p.order = cell.order;
  p.kernel = cell.kernel;
  p.call = cell.call;
  p.radius = radius_of(g, cell);
  p.text = gain_words(*p.gain, way_words(g, cell)) + ".";
  if (p.pattern == "target only") {
    auto const latency = idle_latency(g.campaign, *g.finder.main());
    auto const now = g.c().times[*current], then = g.c().times[*best];
    if (latency && now && then) {
      double const worst = latency->value * static_cast<double>(g.c().base_page.value) / 64;
      p.text += worst < now->value - then->value
                    ? fmt::format(
                          " Were every line of the target's page to come from memory, one after the other, that "
                          "would cost {}: less than the {} saved.",
                          format_time(Nanoseconds(worst)), format_time(*now - *then))
                    : bill;
      return p;
    }
  }
  p.text += bill;
  return p;
}

/// One way of clearing that Linux could take over, against what it does now, in clear and use together.
struct Billed {
  std::uint32_t cell = 0;
  Estimate gain;
};

bool could_be_linux(Ground const& g, Cell const& c) {
  auto const k = std::ranges::find(g.c().kernels, c.kernel, &KernelContract::name);
  return k != g.c().kernels.end() && k->linux_use == LinuxUse::yes && k->kind == KernelKind::clear;
}

/// What Linux does now, among the cells that have a bill.
std::optional<std::uint32_t> billed_now(Ground const& g, std::vector<std::uint32_t> const& cells) {
  if (!g.finder.main() || !g.running) return std::nullopt;
  std::string const order = g.running == LinuxOrder::target_last          ? "target_last"
                            : g.running == LinuxOrder::neighbourhood_last ? "neighbourhood_last"
                                                                          : "sequential";
  for (std::uint32_t i : cells) {
    Cell const& c = g.c().cells[i];
    bool const mine = parse_order(c.order).value_or(OrderName{}).base == order;
    if (mine && c.kernel == g.finder.main()->kernel && c.call == g.c().base_page) return i;
  }
  return std::nullopt;
}

/// By placement: log of the mean over the patterns' totals, each as a ratio to what Linux does now.
std::vector<double> billed_logs(Ground const& g, std::uint32_t cell, std::uint32_t now,
                                std::vector<std::string> const& patterns, bool corunner) {
  std::map<std::uint32_t, std::pair<double, std::size_t>> sums;
  for (auto const& pattern : patterns) {
    auto const mine = billed_total(g.campaign, cell, {pattern, corunner});
    auto const its = billed_total(g.campaign, now, {pattern, corunner});
    for (auto const& [placement, total] : mine)
      if (auto const it = its.find(placement); it != its.end() && total > 0 && it->second > 0) {
        sums[placement].first += std::log(total / it->second);
        ++sums[placement].second;
      }
  }
  std::vector<double> logs;
  for (auto const& [placement, entry] : sums)
    if (entry.second == patterns.size()) logs.push_back(entry.first / static_cast<double>(patterns.size()));
  return logs;
}

std::optional<PatternAdvice> from_bill(Ground const& g, std::string name, std::vector<std::string> const& patterns,
                                       bool corunner) {
  auto const cells = billed_cells(g.campaign);
  auto const now = billed_now(g, cells);
  if (!now) return std::nullopt;
  std::optional<Billed> best;
  bool measured = false;
  for (std::uint32_t i : cells) {
    if (i == *now || !could_be_linux(g, g.c().cells[i])) continue;
    Estimate const gain = estimate(billed_logs(g, i, *now, patterns, corunner));
    measured = measured || gain.n > 0;
    if (surely_less(gain) && gain.ratio < 0.98 && (!best || gain.ratio < best->gain.ratio)) best = Billed{i, gain};
  }
  if (!measured) return std::nullopt;
  PatternAdvice p;
  p.pattern = std::move(name) + (corunner ? " beside a neighbour that presses on the cache" : "");
  p.source = "clear and use";
  Cell const& chosen = g.c().cells[best ? best->cell : *now];
  p.order = chosen.order;
  p.kernel = chosen.kernel;
  p.call = chosen.call;
  p.radius = radius_of(g, chosen);
  if (best) {
    p.gain = best->gain;
    p.text = gain_words(best->gain, way_words(g, chosen) + " clear and use together,") + ".";
  } else {
    p.text =
        "No change is justified: with the use on the bill nothing that Linux may use is surely cheaper than what it "
        "does now.";
  }
  return p;
}

/// `bill`: the ground of the same machine's campaign that has the use on it, which may be this one.
void add_patterns(Recommendation& r, Ground const& g, Ground const* bill, std::optional<std::uint32_t> best,
                  std::optional<std::uint32_t> current) {
  struct Asked {
    char const* name;
    std::vector<std::vector<std::string>> patterns;  ///< the first that was measured
  };
  std::vector<Asked> const asked{{"target only", {{"target"}}},
                                 {"sequential", {{"from_target"}, {"ascending"}}},
                                 {"random", {{"random"}}},
                                 {"unknown", {{"target", "from_target", "random"}, {"target", "ascending", "random"}}}};
  for (Asked const& a : asked) {
    std::size_t const before = r.patterns.size();
    for (auto const& patterns : a.patterns) {
      if (!bill || r.patterns.size() != before) break;
      for (bool const corunner : {false, true})
        if (auto billed = from_bill(*bill, a.name, patterns, corunner)) r.patterns.push_back(std::move(*billed));
    }
    if (r.patterns.size() == before) r.patterns.push_back(from_clear(g, a.name, best, current));
  }
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
  if (now.order != g.advice().order && !(ascending && g.running == LinuxOrder::neighbourhood_last))
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

void add_batches(Recommendation& r, Ground const& g) {
  auto const cell = first_of(g, {"sequential call=stretch", "sequential"});
  if (!cell || !g.c().times[*cell]) return;
  double const ns_per_byte = g.c().times[*cell]->value / static_cast<double>(g.c().cells[*cell].footprint.value);
  r.folio_stretch = Nanoseconds(ns_per_byte * static_cast<double>(g.c().folio.value));
  r.batch_stretch = Nanoseconds(ns_per_byte * static_cast<double>(largest_batch.value));
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

}  // namespace

namespace {

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
  auto const machine = e.campaigns[own].facts.value(fact::instance_key).as_string();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; machine && i < campaigns.size(); ++i) {
    ExplainedCampaign const& c = e.campaigns[i];
    if (c.facts.value(fact::instance_key).as_string() == machine && !c.emulator && c.prefetchers_off.empty() &&
        c.facts.value(fact::linux_release).as_string() ==
            e.campaigns[own].facts.value(fact::linux_release).as_string() &&
        !billed_cells(campaigns[i]).empty())
      found = i;
  }
  return found;
}

}  // namespace

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
