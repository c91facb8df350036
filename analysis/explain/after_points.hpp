// SPDX-License-Identifier: Apache-2.0
// Points that belong to a cell and a placement, as what is done after a pass leaves them.
#pragma once
#include <cstdint>
#include <map>
#include <set>
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

}  // namespace folioscope
