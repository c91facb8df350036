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

constexpr double samples_a_bin = 4;  ///< and placement, on average: fewer say nothing
constexpr std::uint64_t most_bins = 64;
constexpr std::size_t most_targets = 64;  ///< of a cell

/// The scale's levels, nearest first; where the record has none, those that were seen, by their latency.
std::vector<std::string> levels_of(Campaign const& c, std::span<PlacedPoint const> points) {
  std::vector<std::string> levels;
  for (Point const& p : c.points)
    if (p.series == "probe.level" && std::ranges::find(levels, p.label) == levels.end()) levels.push_back(p.label);
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

std::uint64_t bins_for(std::uint64_t pages, std::size_t samples, std::size_t placements) {
  double const each = static_cast<double>(samples) / static_cast<double>(std::max<std::size_t>(1, placements));
  auto const fit = static_cast<std::uint64_t>(std::max(1.0, each / samples_a_bin));
  return std::min({std::bit_floor(fit), most_bins, std::bit_floor(std::max<std::uint64_t>(1, pages))});
}

struct OfCell {
  std::span<PlacedPoint const> points;
  std::vector<std::uint32_t> placements;  ///< ids that occur
  std::size_t at(std::uint32_t placement) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(placements, placement) - placements.begin());
  }
};

/// Views of `points`, which must outlive them.
std::vector<OfCell> by_cell(std::vector<PlacedPoint> const& points) {
  std::vector<OfCell> out;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    OfCell cell;
    while (end < points.size() && points[end].cell == points[begin].cell) {
      if (cell.placements.empty() || cell.placements.back() != points[end].placement)
        cell.placements.push_back(points[end].placement);
      ++end;
    }
    cell.points = std::span(points).subspan(begin, end - begin);
    out.push_back(std::move(cell));
  }
  return out;
}

void add_shares(Residency& r, std::size_t index, OfCell const& cell, std::uint64_t pages,
                std::vector<std::string> const& levels) {
  auto const bins = bins_for(pages, cell.points.size(), cell.placements.size());
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
      r.shares.push_back({index, cell.points.front().cell, static_cast<std::uint32_t>(b), (b * pages + bins - 1) / bins,
                          ((b + 1) * pages + bins - 1) / bins - 1, levels[l], mean_share(of_bin[b][l]), samples,
                          "probed"});
    }
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    auto misses = all[l];
    for (std::size_t p = 0; p < misses.size(); ++p) {
      misses[p].hits = 0;
      for (std::size_t farther = l + 1; farther < levels.size(); ++farther) misses[p].hits += all[farther][p].hits;
    }
    r.misses.push_back({index, cell.points.front().cell, levels[l], mean_share(misses)});
  }
}

/// Points around each target: its own, or for cells without one every target that another cell has.
void add_targets(Residency& r, Campaign const& c, std::size_t index, OfCell const& cell) {
  constexpr std::int64_t farthest = 64;  ///< what the probe watches
  std::set<std::uint64_t> targets;
  auto const id = cell.points.front().cell;
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
      r.targets.push_back({index, id, target, distance, mean_of(medians)});
    }
  }
}

/// "L2 seen as L3": both halves.
void add_check(Residency& r, Campaign const& c, std::size_t index) {
  constexpr std::string_view middle = " seen as ";
  ProbeCheck check;
  check.campaign = index;
  std::map<std::string, double> right;
  for (Point const& p : c.points) {
    if (p.series == "probe.level") check.levels.push_back(p.label);
    if (p.series != "probe.confusion") continue;
    auto const at = p.label.find(middle);
    if (at == std::string::npos || !std::isfinite(p.y)) continue;
    std::string const made = p.label.substr(0, at);
    std::string const seen = "/" + p.label.substr(at + middle.size()) + "/";
    right.try_emplace(made, 0);
    if (seen.find("/" + made + "/") != std::string::npos) right[made] += p.y;
  }
  if (check.levels.empty()) return;
  for (auto const& [made, share] : right)
    if (share < check.least_right || check.least_right_level.empty())
      check.least_right = share, check.least_right_level = made;
  r.checks.push_back(std::move(check));
}

}  // namespace

void add_residency(Residency& r, Campaign const& c, std::size_t index) {
  add_check(r, c, index);
  auto const pages = placed_points(c, {"probe.page"});
  auto const levels = levels_of(c, pages);
  for (auto const& cell : by_cell(pages)) {
    Cell const& what = c.plan.cells[cell.points.front().cell].cell;
    auto const extent = std::min(what.footprint, c.plan.folio);
    auto const base = std::max<std::uint64_t>(1, c.plan.base_page.value);
    add_shares(r, index, cell, std::max<std::uint64_t>(1, extent.value / base), levels);
  }
  auto const watched = placed_points(c, {"probe.target"});
  for (auto const& cell : by_cell(watched)) add_targets(r, c, index, cell);
}

}  // namespace folioscope
