// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.hpp"

#include <algorithm>
#include <iterator>

#include "explain/advice.hpp"
#include "explain/recommend.hpp"
#include "explain/simulated.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

/// Wall time without CPU time: other programs, or the hypervisor, were running instead. Clock readings around short
/// passes are a few per cent of their own, so that much is nothing.
std::optional<double> away_from_cpu(Campaign const& c) {
  double wall = 0, on_cpu = 0;
  for (Sample const& s : c.samples) {
    double const cpu = s.user.value + s.system.value;
    std::uint32_t const threads = s.cell < c.plan.cells.size() ? c.plan.cells[s.cell].cell.threads : 0;
    if (!(cpu > 0) || !(s.wall.value > 0) || threads == 0) continue;
    wall += s.wall.value;
    on_cpu += std::min(s.wall.value, cpu / threads);
  }
  return wall > 0 ? std::optional(1 - on_cpu / wall) : std::nullopt;
}

ExplainedCampaign outline(Campaign const& c, Runs const& runs) {
  ExplainedCampaign out;
  out.header = c.header;
  out.facts = c.facts;
  out.experiment = c.plan.experiment;
  out.base_page = c.plan.base_page;
  out.folio = c.plan.folio;
  out.cells.reserve(c.plan.cells.size());
  for (std::uint32_t i = 0; i < c.plan.cells.size(); ++i) {
    out.cells.push_back(c.plan.cells[i].cell);
    out.times.push_back(runs.time(i));
  }
  out.kernels = c.kernels;
  out.refusals = c.plan.refusals;
  out.placements = runs.placements();
  out.blocks = static_cast<std::uint32_t>(c.blocks.size());
  out.marked_blocks = static_cast<std::uint32_t>(std::ranges::count_if(c.blocks, &Block::marked));
  out.samples = c.samples.size();
  for (Block const& b : c.blocks) out.steal_s += b.steal_s;
  out.away = away_from_cpu(c);
  out.emulator = c.facts.value(fact::emulator).as_string();
  if (auto const off = c.plan.options.find("prefetchers_off"); off != c.plan.options.end())
    out.prefetchers_off = off->second;
  return out;
}

/// What is null in every capsule so far, or in these, and why.
std::map<std::string, std::string> untested_keys(Explanation const& e) {
  std::string const mechanism = "; run folioscope sweep --experiment mechanism";
  std::map<std::string, std::string> why;
  if (e.linux_ratios.empty() && e.path_bills.empty())
    why["linux"] = "Linux's own paths were not measured; run folioscope linux with the same --out";
  if (e.residency.shares.empty())
    why["residency"] =
        "the campaigns hold no probed or simulated residency; run folioscope sweep --experiment residency";
  if (e.bills.lines.empty())
    why["bill"] = "the use after the clear was not measured; run folioscope sweep --experiment bill";
  if (e.bills.radii.empty())
    why["radius"] = "neighbourhood radii were not measured with their use; run folioscope sweep --experiment radius";
  if (e.mechanisms.empty()) why["mechanisms"] = "no sweep of a real machine to hold hypotheses against" + mechanism;
  if (!e.model.all.model.median)
    for (char const* key :
         {"predictions", "median_prediction_error", "p90_prediction_error", "baseline_errors", "where_order_matters"})
      why[key] = e.model.why;
  else if (!e.model.where_order_matters.model.median)
    why["where_order_matters"] = "no hold-out order's ratio is off 1 by more than 10 %";
  if (!e.model.all.repeat.median)
    why["repeat_error"] = e.model.all.model.median ? "one placement cannot repeat itself" : e.model.why;
  if (e.model.settings.empty()) why["model"] = e.model.why;
  if (e.knees.empty()) why["knees"] = "no order was measured at three run lengths" + mechanism;
  if (e.lines.empty()) why["lines_in_flight"] = "no clear of a whole folio in base-page calls was timed" + mechanism;
  return why;
}

/// A `linux` campaign without replica compares no orders.
bool paths_alone(Explanation const& e, std::size_t campaign) {
  return e.campaigns[campaign].header.kind == "linux" &&
         std::ranges::none_of(e.judgement.verdicts, [&](Verdict const& v) { return v.campaign == campaign; });
}

Advice advice_of_paths() {
  Advice advice;
  advice.conclusion = "Cannot tell which order is best from Linux's own paths alone: they are measured below.";
  advice.would_change = {"folioscope linux fault-order, or folioscope sweep, with the same --out compares orders."};
  return advice;
}

}  // namespace

Explanation explain(std::span<Campaign const> campaigns) {
  Explanation out;
  out.judgement = judge(campaigns);
  std::vector<Runs> runs;
  runs.reserve(campaigns.size());
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Runs const& r = runs.emplace_back(campaigns[i]);
    out.campaigns.push_back(outline(campaigns[i], r));
    for (PublishedTable& table : published_tables(campaigns[i], i, r)) out.published.push_back(std::move(table));
    add_residency(out.residency, campaigns[i], i);
    for (auto& curve : seen_curves(campaigns[i], i)) out.curves.push_back(std::move(curve));
    add_bills(out.bills, campaigns[i], i, out.judgement);
    std::ranges::move(knees(campaigns[i], r, i), std::back_inserter(out.knees));
    std::ranges::move(lines_in_flight(campaigns[i], r, i), std::back_inserter(out.lines));
  }
  for (Campaign const& c : campaigns) out.returned.push_back(returned_memory(c));
  out.fault_orders = fault_orders(campaigns);
  out.path_bills = path_bills(campaigns, out.judgement);
  out.linux_ratios = linux_ratios(campaigns, out.fault_orders, out.path_bills);
  out.counts = counts_of(campaigns);
  for (std::size_t i = 0; i < campaigns.size(); ++i)
    std::ranges::move(simulated_fills(campaigns[i], i), std::back_inserter(out.counts.fills));
  out.mechanisms = mechanisms(campaigns, runs);
  out.model = model_report(campaigns, runs);
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    out.advice.push_back(paths_alone(out, i) ? advice_of_paths() : advise(out, i));
    for (std::string& finding : fill_findings(campaigns[i], i, out.counts, out.judgement))
      out.advice[i].findings.push_back(std::move(finding));
  }
  recommend(out, campaigns, runs);
  out.untested = untested_keys(out);
  if (!out.counts.why_none.empty())
    out.untested[out.counts.fills.empty() ? "fills" : "fills.counted"] = out.counts.why_none;
  return out;
}

}  // namespace folioscope
