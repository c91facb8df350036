// SPDX-License-Identifier: Apache-2.0
// Timed chains of dependent loads. The next address is base + offset + (the value just loaded AND 0): the dependency is real,
// yet the lines need not hold pointers, so cleared memory can be probed (issue: residency). Each load waits for the one before.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "terms/units.hpp"

namespace folioscope {

/// Ticks that one pass over base + offsets[i] takes, in that order, all loads dependent. Reads 8 bytes at each.
std::uint64_t chase_ticks(std::byte const* base, std::span<std::uint32_t const> offsets);

struct LatencyPoint {
  Bytes size;
  Nanoseconds per_load;
};

struct LatencyRequest {
  Bytes largest;              ///< of the working set
  double ns_per_tick = 1;
  Nanoseconds budget{1e9};
  std::uint64_t seed = 1;
};

/// The idle latency curve: working sets from 4 KiB up in steps of about 1.4, random line order over huge-page memory where it can be
/// had. Pinning is the caller's.
std::vector<LatencyPoint> idle_latency_curve(LatencyRequest const& request);

/// A plateau of the curve.
struct LatencyLevel {
  std::string name;           ///< "L1", "L2", "L3", "memory": by rank as seen
  Bytes up_to;                ///< largest working set still on the plateau; the last level's is the largest measured
  Nanoseconds latency;
};
/// Pure: plateaus seen in a curve. Levels that cannot be told apart are merged.
std::vector<LatencyLevel> latency_levels(std::span<LatencyPoint const> curve);

}  // namespace folioscope
