// SPDX-License-Identifier: Apache-2.0
#include "campaign/schedule.hpp"

#include <algorithm>

namespace folioscope {

std::vector<Turn> block_order(Plan const& plan, std::vector<bool> const& measured,
                              std::vector<std::uint32_t> const& parts, Random& random) {
  std::vector<Turn> turns;
  for (std::uint32_t i = 0; i < plan.cells.size(); ++i) {
    if (!measured[i]) continue;
    turns.push_back({i, Arm::first});
    if (is_reference(plan.cells[i].cell)) turns.push_back({i, Arm::again});
  }
  shuffle(
      turns,
      random);  // the arms too: were `first` always the earlier, what drifts within a block would pass for a difference
  if (parts.empty()) return turns;
  std::vector<std::uint32_t> ranks(*std::ranges::max_element(parts) + 1);
  for (std::uint32_t i = 0; i < ranks.size(); ++i) ranks[i] = i;
  shuffle(ranks, random);
  std::ranges::stable_sort(turns, {}, [&](Turn const& turn) { return ranks[parts[turn.cell]]; });
  return turns;
}

Random random_of_block(Plan const& plan, std::uint32_t block) { return Random(plan.seed).split(block); }
Random random_of_placement(Plan const& plan, std::uint32_t placement) {
  return Random(plan.seed).split((std::uint64_t{1} << 32) + placement);
}

std::uint32_t blocks_that_fit(Plan const& plan, std::uint32_t placements_done, double left_s, double block_s,
                              double placement_s) {
  double const wanted = std::max(1.0, static_cast<double>(plan.min_placements) - placements_done);
  for (std::uint32_t blocks = std::max(1u, plan.blocks_per_placement); blocks > 1; --blocks)
    if (wanted * (blocks * block_s + placement_s) <= left_s) return blocks;
  return 1;
}

}  // namespace folioscope
