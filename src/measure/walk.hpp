// SPDX-License-Identifier: Apache-2.0
// The timed region: nothing in it but the calls, the fences and two readings of the counter.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "measure/measure.hpp"

namespace folioscope {

struct Walk {
  ClearFunction* clear = nullptr;
  std::span<std::byte* const> folios;
  std::span<Call const> calls;
  std::span<std::uint32_t const> prefetches;  ///< empty, or a prefetch_plan
  bool fence_each_call = false;
};

struct Ticks {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// Every kernel ends with a full fence inside the time: stores still in the buffers are not yet a cleared page.
Ticks walk(Walk const& what);

}  // namespace folioscope
