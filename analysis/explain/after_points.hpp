// SPDX-License-Identifier: Apache-2.0
// Points that belong to a cell and a placement, as what is done after a pass leaves them.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/capsule.hpp"

namespace folioscope {

struct PlacedPoint {
  Point const* point = nullptr;
  std::uint32_t cell = 0;
  std::uint32_t placement = 0;
  std::uint32_t block = 0;
};

/// Of these series, those with a known cell and block, and not of cells refused within that placement; by cell, then
/// placement, then block.
std::vector<PlacedPoint> placed_points(Campaign const& campaign, std::set<std::string_view> const& series);

/// One cell's among them.
struct PointsOfCell {
  std::span<PlacedPoint const> points;
  std::vector<std::uint32_t> placements;  ///< ids that occur, ascending
  std::uint32_t cell() const { return points.front().cell; }
  /// Index of a placement that occurs.
  std::size_t at(std::uint32_t placement) const;
};
/// Views of `points`, which must outlive them.
std::vector<PointsOfCell> by_cell(std::vector<PlacedPoint> const& points);

}  // namespace folioscope
