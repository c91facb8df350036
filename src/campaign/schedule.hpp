// SPDX-License-Identifier: Apache-2.0
// Which cell runs when: every block is a random order of all cells, references twice; where cells belong to parts, a
// random order of the parts, and of the cells within each. A block's order follows from the plan's seed and the block's
// number alone, so a resumed campaign goes on as it would have.
#pragma once
#include <cstdint>
#include <vector>

#include "terms/plan.hpp"
#include "terms/random.hpp"
#include "terms/sample.hpp"

namespace folioscope {

struct Turn {
  std::uint32_t cell = 0;
  Arm arm = Arm::first;
};

/// `measured[i]`: cell i still runs; `parts[i]`: what it runs together with (empty: all with all). Which of a
/// reference's two turns is the A/A arm is drawn, too.
std::vector<Turn> block_order(Plan const& plan, std::vector<bool> const& measured,
                              std::vector<std::uint32_t> const& parts, Random& random);

/// Independent streams of the plan's seed.
Random random_of_block(Plan const& plan, std::uint32_t block);
Random random_of_placement(Plan const& plan, std::uint32_t placement);

/// How many blocks each further placement can have, at most as many as the plan wants, so that all placements still
/// wanted fit in the time left; 1 where not even two do.
std::uint32_t blocks_that_fit(Plan const& plan, std::uint32_t placements_done, double left_s, double block_s,
                              double placement_s);

}  // namespace folioscope
