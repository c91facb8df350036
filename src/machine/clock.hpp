// SPDX-License-Identifier: Apache-2.0
// How long a tick of terms/ticks is, how coarse it is as seen, and the core clock by a chain of dependent adds.
#pragma once
#include <cstdint>
#include <string>

#include "terms/units.hpp"

namespace folioscope {

struct Clock {
  double ns_per_tick = 1;  ///< against CLOCK_MONOTONIC_RAW
  Nanoseconds tick;        ///< smallest step seen
  std::string source;      ///< the kernel's clocksource at the start
};

/// Calibrates in about 10 ms.
Clock read_clock();
/// The kernel's clock source now; compared with Clock::source at the end of each block.
std::string current_clocksource();
/// ns per dependent add, the best of a few chains, about 0.2 ms: 1 / core clock in GHz where an add takes one cycle.
double ns_per_add(Clock const& clock);

}  // namespace folioscope
