// SPDX-License-Identifier: Apache-2.0
// Memory that a host took back and must provide again: what a fault costs by how long its memory had been free.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "record/capsule.hpp"

namespace folioscope {

struct ReturnedAge {
  double from_s = 0, to_s = 0;  ///< since it was freed
  std::uint32_t faults = 0, returned = 0;
  Nanoseconds median;
};

struct ReturnedMemory {
  std::optional<std::uint64_t> reporting_order;  ///< linux.page_reporting_order
  Nanoseconds warm;                              ///< median fault on memory just freed
  std::optional<Nanoseconds> returned;           ///< median of those far above it
  std::uint32_t other_frame = 0;                 ///< left out: Linux gave another page, free for an unknown time
  std::vector<ReturnedAge> ages;                 ///< ascending, those with faults
};
/// nullopt unless the campaign measured it.
std::optional<ReturnedMemory> returned_memory(Campaign const& campaign);
Json to_json(ReturnedMemory const& memory);
std::string to_text(ReturnedMemory const& memory);

/// A fault that takes so many times the warm median was served by the host, too: exits and a page of its own take
/// hundreds of microseconds, an interrupt a few.
inline constexpr double far_above_warm = 6;

}  // namespace folioscope
