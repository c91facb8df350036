// SPDX-License-Identifier: Apache-2.0
// A planned cell made ready to run on this machine, and the memory that cells share in a placement.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backing/pool.hpp"
#include "kernels/kernel.hpp"
#include "measure/measure.hpp"
#include "terms/granted.hpp"
#include "terms/plan.hpp"

namespace folioscope {

struct PreparedCell {
  Kernel const* kernel = nullptr;
  std::vector<Call> calls;
  std::vector<std::uint32_t> prefetches;
  Bytes extent;  ///< a folio, or the footprint where that is smaller
  std::size_t extents_a_copy = 1;
};

/// Holds the cell against kernel contract, features, state, CPUs and its own visits: a capsule being resumed may ask
/// for anything.
Granted<PreparedCell> prepare(PlannedCell const& planned, Machine const& machine);

/// What all cells of one backing, footprint and thread count clear in a placement: the same extents, so that they
/// differ in nothing else.
struct Patch {
  Backing backing;
  Bytes footprint;
  std::uint32_t threads = 1;
  Bytes extent;
  std::size_t extents_a_copy = 1;
  std::uint32_t copies = 1;
  std::vector<std::vector<std::byte*>> extents;  ///< per thread, copy after copy

  std::size_t extents_a_thread() const { return copies * extents_a_copy; }
};

/// Folios that a patch takes from its pool; several extents share a folio where the footprint is smaller.
std::size_t folios_of(Patch const& patch, Bytes folio, Bytes base_page);
/// Draws the patch's extents anew, in random order; returns the folios drawn.
std::vector<std::byte*> lay(Patch& patch, Pool const& pool, Bytes base_page, Random& random);

}  // namespace folioscope
