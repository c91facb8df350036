// SPDX-License-Identifier: Apache-2.0
#include "explain/residency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "explain/after_points.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

constexpr double samples_a_bin = 4;                ///< and placement, on average: fewer say nothing
constexpr std::uint64_t most_bins = 64;            ///< of one folio: narrow intervals, beside the map of each page
constexpr std::uint64_t most_bins_beyond = 32;     ///< of many folios together
constexpr std::uint64_t most_bins_of_a_map = 512;  ///< the base pages of 2 MiB
constexpr std::size_t most_targets = 64;           ///< of a cell

/// The scale's levels, nearest first; where the record has none, those that were seen, by their latency.
std::vector<std::string> levels_of(ProbeCheck const& check, std::span<PlacedPoint const> points) {
  std::vector<std::string> levels = check.levels;
  std::map<std::string, std::pair<double, double>> seen;
  for (auto const& p : points) {
    auto& [sum, n] = seen[p.point->label];
    sum += p.point->y, ++n;
  }
  std::vector<std::pair<double, std::string>> more;
  for (auto const& [name, sum] : seen)
    if (std::ranges::find(levels, name) == levels.end()) more.emplace_back(sum.first / sum.second, name);
  std::ranges::sort(more);
  for (auto const& [ns, name] : more) levels.push_back(name);
  return levels;
}

/// By level, then placement.
using Counts = std::vector<std::vector<Hits>>;

void count(Counts& counts, std::size_t placement, std::size_t level) {
  for (std::size_t l = 0; l < counts.size(); ++l) {
    ++counts[l][placement].of;
    counts[l][placement].hits += l == level;
  }
}

std::uint64_t bins_for(std::uint64_t pages, std::uint64_t most, std::size_t samples, std::size_t placements) {
  double const each = static_cast<double>(samples) / static_cast<double>(std::max<std::size_t>(1, placements));
  auto const fit = static_cast<std::uint64_t>(std::max(1.0, each / samples_a_bin));
  return std::min({std::bit_floor(fit), most, std::bit_floor(std::max<std::uint64_t>(1, pages))});
}

void add_shares(Residency& r, std::size_t index, PointsOfCell const& cell, std::uint64_t pages, std::uint64_t most,
                std::vector<std::string> const& levels) {
  auto const bins = bins_for(pages, most, cell.points.size(), cell.placements.size());
  Counts const none(levels.size(), std::vector<Hits>(cell.placements.size()));
  std::vector<Counts> of_bin(bins, none);
  Counts all = none;
  for (auto const& p : cell.points) {
    if (p.point->x < 0 || p.point->x >= static_cast<double>(pages)) continue;
    auto const level = static_cast<std::size_t>(std::ranges::find(levels, p.point->label) - levels.begin());
    auto const bin = static_cast<std::uint64_t>(p.point->x) * bins / pages;
    count(of_bin[bin], cell.at(p.placement), level);
    count(all, cell.at(p.placement), level);
  }
  for (std::uint64_t b = 0; b < bins; ++b)
    for (std::size_t l = 0; l < levels.size(); ++l) {
      std::uint32_t samples = 0;
      for (Hits const& n : of_bin[b][l]) samples += n.of;
      if (samples == 0) continue;
      r.shares.push_back({index, cell.cell(), static_cast<std::uint32_t>(b), (b * pages + bins - 1) / bins,
                          ((b + 1) * pages + bins - 1) / bins - 1, levels[l], mean_share(of_bin[b][l]), samples,
                          "probed"});
    }
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    auto misses = all[l];
    for (std::size_t p = 0; p < misses.size(); ++p) {
      misses[p].hits = 0;
      for (std::size_t farther = l + 1; farther < levels.size(); ++farther) misses[p].hits += all[farther][p].hits;
    }
    r.misses.push_back({index, cell.cell(), levels[l], mean_share(misses)});
  }
}

/// A clock may have seen nothing pass: then the plain mean.
Mean geometric_mean(std::vector<double> values) {
  if (!std::ranges::all_of(values, [](double v) { return v > 0; })) return mean_of(values);
  for (double& v : values) v = std::log(v);
  Mean m = mean_of(values);
  m.value = std::exp(m.value);
  if (m.ci) m.ci = Interval{std::exp(m.ci->low), std::exp(m.ci->high)};
  return m;
}

/// Points around each target: its own, or for cells without one every target that another cell has.
void add_targets(Residency& r, Campaign const& c, std::size_t index, PointsOfCell const& cell) {
  constexpr std::int64_t farthest = 64;  ///< what the probe watches
  std::set<std::uint64_t> targets;
  auto const id = cell.cell();
  if (auto const own = c.plan.cells[id].cell.target)
    targets.insert(*own);
  else
    for (PlannedCell const& planned : c.plan.cells)
      if (planned.cell.target) targets.insert(*planned.cell.target);
  while (targets.size() > most_targets) targets.erase(std::prev(targets.end()));
  for (auto const target : targets) {
    std::map<std::int64_t, std::vector<std::vector<double>>> at;
    for (auto const& p : cell.points) {
      auto const distance = static_cast<std::int64_t>(p.point->x) - static_cast<std::int64_t>(target);
      if (std::abs(distance) > farthest) continue;
      auto& placements = at[distance];
      placements.resize(cell.placements.size());
      placements[cell.at(p.placement)].push_back(p.point->y);
    }
    for (auto& [distance, placements] : at) {
      std::vector<double> medians;
      for (auto& values : placements)
        if (!values.empty()) medians.push_back(median_of(values));
      r.targets.push_back({index, id, target, distance, geometric_mean(medians)});
    }
  }
}

}  // namespace

void add_residency(Residency& r, Campaign const& c, std::size_t index) {
  ProbeCheck const check = probe_check(c, index);
  // What the probe saw, as the levels that its checks bear out: copies, for a label may become another.
  std::vector<Point> counted;
  counted.reserve(c.points.size());
  auto const count_as = [&](std::string_view series) {
    counted.clear();
    auto points = placed_points(c, {series});
    std::erase_if(points, [&](PlacedPoint const& p) { return check.left_out.contains(p.placement); });
    for (PlacedPoint& p : points) {
      auto const as = check.level_of.find(p.point->label);
      if (as == check.level_of.end() || as->second == p.point->label) continue;
      counted.push_back(*p.point);
      counted.back().label = as->second;
      p.point = &counted.back();
    }
    return points;
  };
  auto const pages = count_as("probe.page");
  auto const levels = levels_of(check, pages);
  for (auto const& cell : by_cell(pages)) {
    Cell const& what = c.plan.cells[cell.cell()].cell;
    auto const extent = std::min(what.footprint, c.plan.folio);
    auto const all = std::max<std::uint64_t>(1, extent.value / std::max<std::uint64_t>(1, c.plan.base_page.value));
    bool const one = what.footprint <= c.plan.folio;
    add_shares(r, index, cell, all, one ? most_bins : most_bins_beyond, levels);
    r.maps.push_back(residency_map(cell, all, one ? most_bins_of_a_map : most_bins_beyond, levels));
    r.maps.back().campaign = index;
  }
  auto const watched = count_as("probe.target");
  for (auto const& cell : by_cell(watched)) add_targets(r, c, index, cell);
  if (!check.levels.empty()) r.checks.push_back(check);
}

}  // namespace folioscope
