// SPDX-License-Identifier: Apache-2.0
// Brings extents into a cell's state before a pass, and checks on a sample that it worked.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "probe/chain.hpp"
#include "terms/cell.hpp"
#include "terms/random.hpp"

namespace folioscope {

/// Why this machine cannot make the state; nullopt when it can.
std::optional<Refusal> refuse(State state, Machine const& machine);

/// cold: non-zero data by non-temporal stores (x86-64), or plain stores and DC CIVAC (arm64); in no cache afterwards.
/// hot: non-zero data just written by this core with ordinary stores, base pages in random order.
/// cold_zero: as cold, with zeros. Each extent is `length` bytes; extents and length are multiples of 64.
void make_state(State state, std::span<std::byte* const> extents, Bytes length, Bytes base_page, Random& random);

/// How the state looks to the probe: of the sampled lines, the share whose latency fits the state. cold, cold_zero:
/// memory. hot: any cache, which is promised only while all extents together fit the largest cache seen. Consumes the
/// sampled lines' state: make it again before measuring. No samples when the levels cannot tell (fewer than two).
/// `memory_from`: ns a line, as the probe's scale has it; half way between the levels where there is none.
struct StateCheck {
  double share = 0;
  bool promised =
      true;  ///< false: hot, and more than the caches hold; the share then says how much of it they did hold
  unsigned samples = 0;  ///< lines
  Nanoseconds median_latency;
};
StateCheck check_state(State state, std::span<std::byte* const> extents, Bytes length, Bytes base_page,
                       std::span<LatencyLevel const> levels, Clock const& clock, Random& random,
                       std::optional<Nanoseconds> memory_from = {});

}  // namespace folioscope
