// SPDX-License-Identifier: Apache-2.0
// Memory to fault again and again: folios of one backing, each given back just before it is touched, so that what is
// timed is a fault on warm memory: pages that the host still backs, in no cache, full of data.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backing/mapping.hpp"
#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "terms/cell.hpp"
#include "terms/granted.hpp"
#include "terms/random.hpp"
#include "terms/sample.hpp"

namespace folioscope {

/// One timed touch of every folio of an extent.
struct Fault {
  Sample sample;
  Nanoseconds since_free;           ///< between giving the memory back and touching it
  std::uint64_t minor_faults = 0;   ///< of this thread, while it was timed
  std::uint64_t interruptions = 0;  ///< involuntary switches while it was timed
  int error = 0;                    ///< of a touch that Linux refused: the memory is not there
};

class FaultMemory {
 public:
  /// Maps `extents` extents: one folio each, or several mthp blocks. Nothing is touched yet.
  static Granted<FaultMemory> make(Backing const& backing, std::size_t extents, Machine const& machine);

  Bytes folio() const { return folio_; }
  std::uint64_t pages() const { return folio_ / base_page_; }
  std::uint32_t folios_an_extent() const { return folios_an_extent_; }
  std::size_t extents() const { return extents_.size(); }

  /// Touches page `index` of every folio of extent `i`, which has no memory now, and times that.
  Fault touch(std::size_t i, std::uint64_t index, Clock const& clock);
  /// Every folio of the extent full of data and in no cache.
  void make_cold(std::size_t i, Random& random);
  /// The extent's pages go back to Linux; false where this Linux cannot.
  bool give_back(std::size_t i);
  /// Cold and full of data, given back, touched at `index`.
  Granted<Fault> fault(std::size_t i, std::uint64_t index, Clock const& clock, Random& random);
  /// Since it was given back; 0 where it never was.
  Nanoseconds since_free(std::size_t i, Clock const& clock) const;
  std::byte* at(std::size_t i) const { return extents_[i]; }
  bool populated(std::size_t i) const { return populated_[i]; }
  /// Whether every folio of the extent is one page to Linux: touching the rest of it faults no more.
  bool whole(std::size_t i, std::uint64_t index);

 private:
  FaultMemory() = default;
  Backing backing_;
  Bytes folio_, base_page_;
  Bytes stride_;  ///< from one folio of an extent to the next
  std::uint32_t folios_an_extent_ = 1;
  std::vector<backing::Mapping> mappings_;
  std::vector<std::byte*> extents_;
  std::vector<bool> populated_;
  std::vector<std::uint64_t> freed_at_;  ///< ticks
};

}  // namespace folioscope
