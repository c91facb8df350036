// SPDX-License-Identifier: Apache-2.0
#include "explain/fault_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "explain/advice.hpp"
#include "explain/after_points.hpp"
#include "explain/layout.hpp"
#include "explain/linux_paths.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

constexpr std::string_view fault_kernel = "linux_fault";
constexpr double significance = 0.05;
constexpr double least_delta = 0.02;

std::string order_words(LinuxOrder order) {
  switch (order) {
    case LinuxOrder::sequential:
      return "sequential";
    case LinuxOrder::target_last:
      return "target_last";
    case LinuxOrder::neighbourhood_last:
      return "neighbourhood_last";
  }
  return "?";
}

std::optional<double> median_in(std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median_of(values));
}

/// Everything of one backing's faults: the cell of page 0, and those of the others.
struct Faults {
  std::uint32_t first = 0;
  std::vector<std::uint32_t> others;
};

std::map<Backing, Faults> faults_of(Campaign const& campaign) {
  std::map<Backing, Faults> all;
  std::map<Backing, bool> has_first;
  auto const& cells = campaign.plan.cells;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    Cell const& cell = cells[i].cell;
    if (cell.kernel != fault_kernel || cell.footprint < campaign.plan.base_page) continue;
    if (is_reference(cell)) {
      all[cell.backing].first = i;
      has_first[cell.backing] = true;
    } else if (cell.target) {
      all[cell.backing].others.push_back(i);
    }
  }
  std::erase_if(all, [&](auto const& entry) { return !has_first[entry.first]; });
  return all;
}

/// Means: Linux tells user from system time by its ticks, right on average only.
void add_cpu_times(FaultPoint& point, Campaign const& campaign, std::uint32_t cell) {
  double user = 0, system = 0, folios = 0;
  for (Sample const& s : campaign.samples)
    if (s.cell == cell && s.arm != Arm::counted && std::isfinite(s.user.value) && std::isfinite(s.system.value)) {
      user += s.user.value;
      system += s.system.value;
      folios += s.copies;
    }
  if (!(folios > 0)) return;
  point.user = Nanoseconds(user / folios);
  point.system = Nanoseconds(system / folios);
}

void add_replica(FaultOrderFinding& f, Campaign const& campaign, Runs const& runs) {
  std::map<std::uint64_t, double> ns;
  std::optional<double> ascending;
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i) {
    Cell const& cell = campaign.plan.cells[i].cell;
    if (is_path_kernel(cell.kernel) || cell.backing != f.backing || cell.threads != 1 || f.pages == 0 ||
        cell.footprint != campaign.plan.base_page * f.pages)
      continue;
    auto const time = runs.time(i);
    if (!time) continue;
    f.replica_kernel = cell.kernel;
    if (cell.target) {
      f.replica_order = cell.order;
      ns[*cell.target] = time->value;
    } else {
      ascending = time->value;
    }
  }
  // Target-last with the last page first is plain ascending: one cell, planned once.
  if (ascending && f.replica_order == "target_last") ns.emplace(f.pages - 1, *ascending);
  std::vector<double> x, y;
  std::vector<FaultPoint*> points;
  for (FaultPoint& p : f.curve)
    if (auto const it = ns.find(p.index); it != ns.end() && p.time.value > 0) {
      p.replica = Nanoseconds(it->second);
      x.push_back(it->second);
      y.push_back(p.time.value);
      points.push_back(&p);
    }
  f.replica = fit_line(x, y);
  if (f.replica)
    for (std::size_t i = 0; i < points.size(); ++i) points[i]->replica_error = f.replica->relative_errors[i];
}

Json const& evidence_of(Placement const& placement, std::string_view when, Backing const& backing) {
  return placement.evidence["fault-order" + std::string(when)]["faults" + std::string(when)][to_string(backing)];
}

void add_witness(FaultOrderFinding& f, Campaign const& campaign, std::uint32_t first) {
  std::map<std::string_view, std::vector<double>> seen;
  for (Point const& p : campaign.points)
    if (p.cell == first && std::isfinite(p.y)) seen[p.series].push_back(p.y);
  auto const looks = seen["fault.near"].size();
  if (looks == 0) return;
  auto const median = [&](std::string_view series) { return median_in(seen[series]).value_or(0); };
  f.witness = WitnessSeen{median("fault.near"), median("fault.last"), median("fault.cached"), median("fault.cold"),
                          static_cast<std::uint32_t>(looks)};
}

/// The same two pages as levels of the probe's scale, of the placements in which the probe was as good as promised.
void add_levels(FaultOrderFinding& f, Campaign const& campaign, std::uint32_t first) {
  ProbeCheck check = probe_check(campaign, f.campaign);
  if (check.levels.size() < 2) return;
  auto const shares = [&](std::string_view series) {
    std::vector<double> ns;
    for (PlacedPoint const& p : placed_points(campaign, {series}))
      if (p.cell == first && !check.left_out.contains(p.placement) && std::isfinite(p.point->y))
        ns.push_back(p.point->y);
    return level_shares(campaign, check, ns);
  };
  f.near_levels = shares("fault.near");
  f.last_levels = shares("fault.last");
  f.probe = std::move(check);
}

void add_evidence(FaultOrderFinding& f, Campaign const& campaign) {
  std::vector<double> first_touch, waited;
  for (Placement const& placement : campaign.placements) {
    for (Json const& ns : evidence_of(placement, "", f.backing)["first_touch_ns"].items())
      if (auto const value = ns.as_number()) first_touch.push_back(*value);
    Json const& ended = evidence_of(placement, " at the end", f.backing);
    f.faults += static_cast<std::uint64_t>(std::max<std::int64_t>(0, ended["faults"].as_integer().value_or(0)));
    f.excluded += ended["excluded"].items().size();
    for (Json const& one : ended["after_a_wait"].items())
      if (auto const value = one["ns"].as_number()) waited.push_back(*value);
  }
  if (auto const ns = median_in(first_touch)) f.first_touch = Nanoseconds(*ns);
  if (auto const ns = median_in(waited)) f.after_wait = Nanoseconds(*ns);
}

double delta_of(Runs const& runs, std::uint32_t first) {
  std::vector<std::vector<double>> const logs{runs.aa_log_ratios(first)};
  double const half = pooled_half_width(logs);
  return std::max(least_delta, std::isfinite(half) ? std::expm1(half) : 0);
}

void add_curve(FaultOrderFinding& f, Campaign const& campaign, Runs const& runs, Faults const& cells) {
  auto const point = [&](std::uint32_t cell) {
    FaultPoint p;
    p.index = campaign.plan.cells[cell].cell.target.value_or(0);
    p.time = runs.time(cell).value_or(Nanoseconds(0));
    if (cell != cells.first) p.against_first = estimate(runs.log_ratios(cell, cells.first));
    add_cpu_times(p, campaign, cell);
    return p;
  };
  f.curve.push_back(point(cells.first));
  for (std::uint32_t cell : cells.others) f.curve.push_back(point(cell));
  std::erase_if(f.curve, [](FaultPoint const& p) { return !(p.time.value > 0); });
  std::ranges::sort(f.curve, {}, &FaultPoint::index);
  std::vector<double> p;
  for (FaultPoint const& at : f.curve)
    if (at.against_first.ci) p.push_back(at.against_first.p);
  auto const adjusted = holm(p);
  std::size_t next = 0;
  for (FaultPoint& at : f.curve)
    if (at.against_first.ci) at.p_holm = adjusted[next++];
}

/// By placement, the median page of each quarter over page 0: what one page's faults met by chance weighs little.
void add_quarters(FaultOrderFinding& f, Campaign const& campaign, Runs const& runs, Faults const& cells) {
  constexpr std::size_t parts = 4;
  std::map<std::uint32_t, double> first;
  for (auto const& [placement, log] : runs.placed_log_times(cells.first)) first[placement] = log;
  std::array<std::map<std::uint32_t, std::vector<double>>, parts> logs;
  for (std::uint32_t cell : cells.others) {
    auto const index = campaign.plan.cells[cell].cell.target.value_or(0);
    auto const quarter = std::min<std::uint64_t>(parts - 1, index * parts / std::max<std::uint64_t>(1, f.pages));
    for (auto const& [placement, log] : runs.placed_log_times(cell))
      if (first.contains(placement)) logs[quarter][placement].push_back(log - first[placement]);
  }
  for (auto& by_placement : logs) {
    std::vector<double> medians;
    for (auto& [placement, values] : by_placement) medians.push_back(median_of(values));
    f.quarters.push_back(estimate(medians));
  }
}

/// The fastest page by its upper bound, so that one lucky point with a wide interval does not win.
void choose_best(FaultOrderFinding& f) {
  FaultPoint const* best = nullptr;
  for (FaultPoint const& p : f.curve) {
    Estimate const& e = p.against_first;
    if (!e.ci || p.p_holm >= significance || e.ratio > 1 / (1 + f.delta)) continue;
    if (!best || e.ci->high < best->against_first.ci->high) best = &p;
  }
  if (!best) return;
  f.best_index = best->index;
  Estimate const& e = best->against_first;
  f.gain = e;
  f.gain.ratio = 1 / e.ratio;
  f.gain.ci = Interval{1 / e.ci->high, 1 / e.ci->low};
}

}  // namespace

std::optional<std::string> expected_order(Campaign const& campaign) {
  auto const release = campaign.facts.value(fact::linux_release).as_string();
  auto const order = release ? order_of_release(*release) : std::nullopt;
  return order ? std::optional(order_words(*order)) : std::nullopt;
}

std::vector<FaultOrderFinding> fault_orders(std::span<Campaign const> campaigns) {
  std::vector<FaultOrderFinding> all;
  for (std::size_t c = 0; c < campaigns.size(); ++c) {
    Campaign const& campaign = campaigns[c];
    if (campaign.header.kind != "linux" || campaign.plan.base_page.value == 0) continue;
    Runs const runs(campaign);
    for (auto const& [backing, cells] : faults_of(campaign)) {
      FaultOrderFinding f;
      f.campaign = c;
      f.backing = backing;
      f.placements = runs.placements();
      f.pages = campaign.plan.cells[cells.first].cell.footprint / campaign.plan.base_page;
      f.delta = delta_of(runs, cells.first);
      add_curve(f, campaign, runs, cells);
      if (f.curve.empty()) continue;
      add_quarters(f, campaign, runs, cells);
      add_witness(f, campaign, cells.first);
      add_levels(f, campaign, cells.first);
      add_evidence(f, campaign);
      f.recognition = recognise(f.curve, f.pages, f.quarters, f.witness, f.delta);
      choose_best(f);
      add_replica(f, campaign, runs);
      f.expected = expected_order(campaign);
      if (auto const* kernel = campaign.facts.find(fact::linux_kernel)) {
        f.clear_kernel = kernel->value.as_string().value_or("");
        f.clear_kernel_why = kernel->note;
      }
      if (f.expected && f.recognition.recognised != Recognised::cannot_tell)
        f.agrees = to_string(f.recognition.recognised) == *f.expected;
      all.push_back(std::move(f));
    }
  }
  return all;
}

}  // namespace folioscope
