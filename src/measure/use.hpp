// SPDX-License-Identifier: Apache-2.0
// Uses memory as a program would that was given it: 8 bytes of each line of a pattern. Independent accesses, so that
// the core overlaps them as it can.
#pragma once
#include <cstddef>
#include <cstdint>

#include "measure/walk.hpp"
#include "terms/units.hpp"
#include "terms/use.hpp"

namespace folioscope {

/// A use over extents of one length, made ready: no division in the loop.
struct FolioUse {
  Pattern pattern = Pattern::ascending;
  Access access = Access::modify;
  std::uint64_t lines = 0;   ///< of the extent
  std::uint64_t first = 0;   ///< line that the pattern begins with
  std::uint64_t count = 0;   ///< lines used
  std::uint64_t factor = 1;  ///< random: line i + 1 = (factor * line i + step) mod the next power of two
  std::uint64_t step = 1;
};
/// The lines that `use` has in an extent: at least one, a target's base page whole.
FolioUse ready(Use const& use, Bytes extent, Bytes base_page, std::uint64_t seed);

void use_folio(FolioUse const& use, std::byte* folio);

/// One folio after the other: cleared, used, then the next. Ticks of the clears end with their fences, those of the
/// uses with a fence of their own. `start` to `end` of what is returned is as long as all clears together.
struct Bill {
  Ticks clears;
  std::uint64_t use_ticks = 0;
};
Bill clear_and_use(Walk const& what, FolioUse const& use);

}  // namespace folioscope
