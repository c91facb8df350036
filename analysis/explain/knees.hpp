// SPDX-License-Identifier: Apache-2.0
// The smallest run that an order may be cut into and still clear at 95 % of the sequential bandwidth: from the
// run-length curves of a campaign, the longer runs being as fast too.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/runs.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

struct Knee {
  std::size_t campaign = 0;
  Cell like;                      ///< the curve's cells but for the run and the call
  std::optional<Bytes> bytes;     ///< null: no measured run reaches it
  std::optional<Bytes> at_most;   ///< the smallest run from which on the whole 95 % interval reaches it
  std::optional<Bytes> longest;   ///< measured
  std::optional<Estimate> ratio;  ///< at `bytes`
};
/// A curve needs three runs. Base-page calls, or the run's where that is shorter.
std::vector<Knee> knees(Campaign const& campaign, Runs const& runs, std::size_t index);

}  // namespace folioscope
