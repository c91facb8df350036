// SPDX-License-Identifier: Apache-2.0
// What a capsule holds that no machine can have given (times that are no numbers or longer than a day, clears faster
// than any core can store) is left out before anything is concluded from it, and counted in Campaign::left_out.
#pragma once
#include "record/capsule.hpp"

namespace folioscope {

// One core clears no faster than it can retire full-line stores: a 64-byte store a cycle at 6 GHz is 0.4 TB/s. What is
// more than twice that was not a clear.
inline constexpr double fastest_bytes_per_ns = 1000;  // 1 TB/s a thread

Campaign plausible(Campaign campaign);

}  // namespace folioscope
