// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "measure/measure.hpp"
#include "terms/error.hpp"

namespace folioscope {

std::vector<Call> calls_of(Visits const& visits, Bytes call) {
  assert(call.value > 0);
  std::vector<Call> calls;
  for (Stretch const& stretch : visits) {
    std::uint64_t const end = stretch.offset.value + stretch.length.value;
    if (end > std::uint64_t{1} << 32 || call.value > std::numeric_limits<std::uint32_t>::max())
      throw Error("a folio of more than 4 GiB", "calls", "use a smaller huge page");
    for (std::uint64_t at = stretch.offset.value; at < end; at += call.value)
      calls.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::min(call.value, end - at))});
  }
  return calls;
}

std::vector<std::uint32_t> prefetch_plan(std::span<Call const> calls, Bytes ahead, Bytes line) {
  assert(line.value > 0);
  if (ahead.value == 0) return {};
  struct Visit {
    std::uint32_t line = 0;      ///< offset
    std::uint64_t position = 0;  ///< bytes cleared before it
  };
  std::vector<Visit> lines;
  std::uint64_t position = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (Call const& call : calls) {
    std::uint64_t const end = std::uint64_t{call.offset} + call.length;
    for (std::uint64_t at = call.offset / line.value * line.value; at < end; at += line.value) {
      // Calls shorter than a line share it with their neighbour.
      if (at != last)
        lines.push_back(
            {static_cast<std::uint32_t>(at), position + (std::max<std::uint64_t>(at, call.offset) - call.offset)});
      last = at;
    }
    position += call.length;
  }
  std::vector<std::uint32_t> plan;
  plan.reserve(lines.size() + calls.size());
  std::size_t front = 0;
  position = 0;
  for (Call const& call : calls) {
    position += call.length;
    while (front < lines.size() && lines[front].position < position) ++front;  // too late: this call clears it
    std::size_t const count_at = plan.size();
    plan.push_back(0);
    for (; front < lines.size() && lines[front].position < position + ahead.value; ++front) {
      plan.push_back(lines[front].line);
      ++plan[count_at];
    }
  }
  return plan;
}

std::uint32_t copies_needed(Nanoseconds one, Nanoseconds tick) {
  double const shortest = std::max(one.value, tick.value);
  if (!(shortest > 0)) return 1;
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(1000 * tick.value / shortest)));
}

}  // namespace folioscope
