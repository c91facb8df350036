// SPDX-License-Identifier: Apache-2.0
// Machines built to have one mechanism each: a walk over the lines of a folio, visit by visit, in which a small machine
// of its own kind decides what each piece costs. Shares no code with the cost model or the hypotheses.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "synthetic/synthetic.hpp"

namespace folioscope::synthetic {

/// The cells of the mechanism experiment on an x86-64 machine with two CPUs, visits included.
Plan mechanism_plan();

/// What each machine has beside 28 ns a KiB of streaming and 1 ns a call. 0 and false: it has not.
struct Mechanics {
  // A prefetcher that must see contiguous lines before it helps.
  double unseen_ns_per_line = 0;  ///< more per line until then
  double lines_to_run_up = 0;
  std::uint32_t trackers = 8;  ///< streams that it follows, the least recently used is forgotten
  // A core that stops allocating after a run of stores.
  double allocating_ns_per_line = 0;
  double lines_to_stream = 0;           ///< any jump starts again
  double downward_ns_per_page = 0;      ///< a step to a lower address, however long
  double far_down_ns = 0;               ///< a step down from page to page, lines not: none of the known mechanisms
  double start_ns = 0;                  ///< every jump
  double hidden_by_prefetch = 0;        ///< share of start_ns that prefetching saves
  double many_streams_ns_per_turn = 0;  ///< where more than `trackers` places are visited by turns
  double walk_ns = 0;                   ///< of a page that does not follow its neighbour, unless a huge entry maps it
  double call_ns = 0, fence_ns = 0;     ///< more a call; a fence
  double set_up_ns = 0;                 ///< of a call of a page or more
  double elided = 0;                    ///< share of time saved by calls of 64 KiB and more
  double zero_saves = 0;                ///< share of time saved on lines that are zero already
  double most_bytes_per_ns = 0;         ///< of all threads together
  double spill_ns_per_kib = 0;          ///< beyond 8 MiB
};

/// Nanoseconds of a pass of that cell.
double mechanical_ns(PlannedCell const& planned, Mechanics const& mechanics);

/// A campaign of the mechanism experiment on such a machine, with an idle latency curve that ends at 110 ns.
Campaign mechanism_campaign(Mechanics const& mechanics, Noise const& noise = {.pass = 0.02, .placement_cell = 0.005},
                            std::uint64_t seed = 1);

}  // namespace folioscope::synthetic
