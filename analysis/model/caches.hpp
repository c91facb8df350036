// SPDX-License-Identifier: Apache-2.0
// What caches and a stream prefetcher would do with a pass, simulated: which lines a clear waits for because nothing
// fetched them ahead, and where the lines are afterwards. A model of the visits alone: it has seen no time and no
// counter, and its figures say "simulated" wherever they stand.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "terms/plan.hpp"

namespace folioscope {

struct CacheReach {
  std::string name;  ///< "L1"
  Bytes bytes;       ///< of the lines written last, how many this level and the nearer ones hold together
};

/// Every level keeps what was written last (no sets: frames are random, so conflicts average out). A stream is lines
/// that follow each other, up or down, also from one base page to the next; the prefetcher follows so many at a time,
/// forgets the one that was quiet longest, and runs ahead of a stream once it has seen `training` lines of it.
struct CacheModel {
  Bytes line{64};
  std::vector<CacheReach> levels;  ///< nearest first
  std::uint32_t streams = 16;
  std::uint32_t training = 2;
};

/// How one pass writes: `visits` over one folio, repeated over the folios of the footprint.
struct Walk {
  Visits const* visits = nullptr;
  Bytes call;         ///< pieces that the kernel gets at once
  bool down = false;  ///< the kernel's direction inside a call
};

/// Lines that a cold pass fetches on demand, per line cleared; the others were prefetched.
double simulated_demand(Walk const& walk, CacheModel const& model);

/// By base page of the folio, then level (nearest first; memory last): the share of the page's lines that is there
/// after a pass over `folios` of them.
std::vector<std::vector<double>> simulated_residency(Walk const& walk, Bytes base_page, std::uint64_t folios,
                                                     CacheModel const& model);

}  // namespace folioscope
