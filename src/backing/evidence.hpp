// SPDX-License-Identifier: Apache-2.0
// From what was seen to the share of a pool that has the wanted backing. Pure: the seeing is done elsewhere.
#pragma once
#include <cstdint>
#include <optional>

#include "backing/frames.hpp"
#include "backing/pool.hpp"
#include "backing/smaps.hpp"

namespace folioscope::backing {

struct Sighting {
  Backing backing;
  Bytes length;
  Bytes folio;
  Bytes base;
  std::uint64_t minor_faults = 0;           ///< while populating
  std::optional<double> huge_before_split;  ///< thp-pte: share mapped by PMD before the split
  std::optional<Smaps> smaps;
  std::optional<FrameSample> frames;  ///< in units of unit_of()
};

/// The unit whose frames tell the backing: a folio, an mthp block, a base page.
Bytes unit_of(Backing const& backing, Bytes folio, Bytes base);
/// The least share that any source allows; a Refusal under 99 %, or where no source could be read.
Pool::Evidence judge(Sighting const& seen);

}  // namespace folioscope::backing
