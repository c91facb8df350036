// SPDX-License-Identifier: Apache-2.0
// Timed chains of dependent loads. The next address is base + offset + (the value just loaded AND 0): the dependency is
// real, yet the lines need not hold pointers, so cleared memory can be probed. Each load waits for the one before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "terms/latency.hpp"
#include "terms/units.hpp"

namespace folioscope {

/// Ticks that `rounds` passes over base + offsets[i] take, in that order, all loads dependent. Reads 8 bytes at each.
/// With no offsets: what reading the clock twice costs.
std::uint64_t chase_ticks(std::byte const* base, std::span<std::uint32_t const> offsets, std::uint32_t rounds = 1);

struct LatencyRequest {
  Bytes largest;  ///< of the working set; bounded by 4 GiB, and by what can be mapped
  double ns_per_tick = 1;
  Nanoseconds budget{1e9};
  std::uint64_t seed = 1;
};

/// The idle latency curve: working sets from 4 KiB up in steps of about 1.4, random line order over huge-page memory
/// where it can be had. Pinning is the caller's.
std::vector<LatencyPoint> idle_latency_curve(LatencyRequest const& request);

}  // namespace folioscope
