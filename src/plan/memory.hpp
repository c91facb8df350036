// SPDX-License-Identifier: Apache-2.0
// Pools must fit: at least twice the largest footprint of each backing, for every thread, all at once.
#pragma once
#include <vector>

#include "plan/choice.hpp"

namespace folioscope {

/// What one pool must hold.
struct Demand {
  Backing backing;
  Bytes footprint;
  std::uint32_t threads = 1;
  friend auto operator<=>(Demand const&, Demand const&) = default;
};

class MemoryBound {
 public:
  MemoryBound(Machine const& machine, std::optional<Bytes> max_memory, bool allow_system_changes);
  /// Why this pool cannot be had even alone.
  std::optional<Refusal> refuse(Demand const& demand) const;
  /// The demands to give up, the largest first, until what is left fits together.
  std::vector<std::pair<Demand, Refusal>> give_up(std::vector<Demand> demands) const;

 private:
  Machine const& machine_;
  std::optional<Bytes> max_memory_;
  bool allow_system_changes_;

  struct Sums {
    std::uint64_t all = 0;             ///< against --max-memory
    std::uint64_t from_available = 0;  ///< without hugetlb pages that Linux holds already
  };
  Sums sums(std::vector<Demand> const& demands) const;
  std::uint64_t free_pages(Backing const& backing) const;
  Bytes available() const;
  std::optional<std::string> too_much(Sums const& sums) const;
};

/// Twice the folios that the demand touches.
Bytes pool_bytes(Demand const& demand, Bytes folio);

}  // namespace folioscope
