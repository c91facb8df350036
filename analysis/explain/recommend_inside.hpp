// SPDX-License-Identifier: Apache-2.0
// What recommend.cpp and recommend_pattern.cpp share: one campaign with what it recommends from.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/advice.hpp"
#include "explain/explain.hpp"
#include "explain/finder.hpp"
#include "stats/runs.hpp"

namespace folioscope {

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

/// The first of these selectors that finds a cell.
std::optional<std::uint32_t> first_of(Ground const& g, std::vector<char const*> const& selectors);
inline bool surely_less(Estimate const& e) { return e.ci && e.n >= 10 && e.ci->high < 1; }

/// Fills Recommendation::patterns. `bill`: the ground of the same machine's campaign that has the use on it, which may
/// be this one; `best`: the cell that is advised, `current`: what Linux does now.
void add_patterns(Recommendation& r, Ground const& g, Ground const* bill, std::optional<std::uint32_t> best,
                  std::optional<std::uint32_t> current);

}  // namespace folioscope
