// SPDX-License-Identifier: Apache-2.0
// Advice by what the memory is used for: from clearing times alone, or from clear and use together where they were
// measured.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/layout.hpp"
#include "explain/lines.hpp"
#include "explain/observed.hpp"
#include "explain/recommend_inside.hpp"

namespace folioscope {
namespace {

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
  if (*best != *current && p.gain->n < 10) {
    p.text = fmt::format(
        "Cannot tell here, because what Linux does now and what would be advised were measured beside "
        "each other in {} placements, and ten are needed.",
        p.gain->n);
    p.gain.reset();
    return p;
  }
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

}  // namespace

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

}  // namespace folioscope
