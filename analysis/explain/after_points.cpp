// SPDX-License-Identifier: Apache-2.0
#include "explain/after_points.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace folioscope {
namespace {

constexpr double largest_value = 1e15;  // a whole number to a double; no page, no share and no time is larger

}  // namespace

std::vector<PlacedPoint> placed_points(Campaign const& campaign, std::set<std::string_view> const& series) {
  std::map<std::uint32_t, std::uint32_t> placement_of;
  for (Block const& b : campaign.blocks) placement_of[b.id] = b.placement;
  std::set<std::pair<std::uint32_t, std::uint32_t>> lost;
  for (RefusedCell const& r : campaign.refused) lost.emplace(r.cell, r.placement);
  std::vector<PlacedPoint> out;
  for (Point const& p : campaign.points) {
    if (!p.cell || !p.block || *p.cell >= campaign.plan.cells.size() || !series.contains(p.series)) continue;
    auto const placement = placement_of.find(*p.block);
    if (placement == placement_of.end() || lost.contains({*p.cell, placement->second})) continue;
    if (!(std::abs(p.x) < largest_value) || !(std::abs(p.y) < largest_value)) continue;
    out.push_back({&p, *p.cell, placement->second, *p.block});
  }
  std::ranges::stable_sort(out, {}, [](PlacedPoint const& p) { return std::tuple(p.cell, p.placement, p.block); });
  return out;
}

std::size_t PointsOfCell::at(std::uint32_t placement) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(placements, placement) - placements.begin());
}

std::vector<PointsOfCell> by_cell(std::vector<PlacedPoint> const& points) {
  std::vector<PointsOfCell> out;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    PointsOfCell cell;
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

}  // namespace folioscope
