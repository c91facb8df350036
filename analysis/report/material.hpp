// SPDX-License-Identifier: Apache-2.0
// What every dataset draws from: the campaigns, what explain makes of them, and their times by cell, each built once.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explain/explain.hpp"
#include "stats/runs.hpp"

namespace folioscope {

struct Material {
  std::span<Campaign const> campaigns;  ///< must outlive it
  Explanation explanation;
  std::vector<Runs> runs;                         ///< by campaign
  std::vector<std::string> labels;                ///< by campaign; no two alike, made harmless; the emulator is named
  std::vector<std::vector<std::uint32_t>> cells;  ///< by campaign: the cells that stand for it first
};
Material material_of(std::span<Campaign const> campaigns, std::span<ForeignFigure const> foreign = {});

}  // namespace folioscope
