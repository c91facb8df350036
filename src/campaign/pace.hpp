// SPDX-License-Identifier: Apache-2.0
// How long blocks and placements take, from the last few of them, and from that what still fits and how long is left.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>

#include "terms/plan.hpp"

namespace folioscope {

/// The mean of the last few; nullopt before the first.
class RecentMean {
 public:
  void add(double seconds);
  std::optional<double> mean() const;

 private:
  std::deque<double> last_;
};

class Pace {
 public:
  explicit Pace(Plan const& plan) : plan_(&plan) {}

  void block(double seconds) { block_.add(seconds); }
  void placement(double seconds) { placement_.add(seconds); }  ///< drawing and verifying, no blocks
  double block_s() const { return block_.mean().value_or(0); }
  double placement_s() const { return placement_.mean().value_or(0); }
  bool known() const { return block_.mean().has_value(); }

  /// Whether one more block ends within the budget, with a placement before it where `placing`. The first block of all
  /// is tried in any case: how long it takes is known only then.
  bool fits(double spent_s, bool placing) const;

  /// Seconds until the budget, the precision or the last placement allowed, whichever is nearest. `widest`: the widest
  /// half-width.
  double left_s(double spent_s, std::uint32_t placements, std::uint32_t blocks_a_placement,
                std::optional<double> widest) const;

 private:
  Plan const* plan_;
  RecentMean block_, placement_;
};

}  // namespace folioscope
