// SPDX-License-Identifier: Apache-2.0
// A latency curve and the levels of the memory hierarchy that it shows.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "terms/units.hpp"

namespace folioscope {

struct LatencyPoint {
  Bytes size;  ///< of the working set
  Nanoseconds per_load;
};

/// A plateau of the curve.
struct LatencyLevel {
  std::string name;  ///< "L1", "L2", ... by rank as seen; the last one is "memory"
  Bytes up_to;       ///< largest working set still on the plateau; the last level's is the largest measured
  Nanoseconds latency;
};
/// What the machine is said to have between a core and memory; nothing where nobody says.
struct ToldCaches {
  unsigned levels = 0;
  Bytes largest;
};
/// Pure: plateaus seen in a curve, ascending in size and latency. Levels that cannot be told apart are merged; a curve
/// that is flat, or too short to tell, gives one level, "memory". Where fewer caches are seen than told, the last of
/// them stands for those that are not seen, and is named so: "L2/L3". Where more are seen
/// than told, close ones are one that wanders. A plateau well beyond the largest told is memory's.
std::vector<LatencyLevel> latency_levels(std::span<LatencyPoint const> curve, ToldCaches told = {});

}  // namespace folioscope
