// SPDX-License-Identifier: Apache-2.0
// Memory of one backing: mapped, populated by writing, verified by evidence. Placements draw folios from it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "machine/machine.hpp"
#include "terms/cell.hpp"
#include "terms/granted.hpp"
#include "terms/json.hpp"
#include "terms/random.hpp"

namespace folioscope {

struct PoolRequest {
  Backing backing;
  std::size_t folios = 0;
};

class Pool {
 public:
  /// Maps, populates and verifies; a Refusal says what this machine lacks. Never a SIGBUS: hugetlb is populated by
  /// MADV_POPULATE_WRITE (or guarded touching) first.
  static Granted<Pool> make(PoolRequest const& request, Machine const& machine);
  ~Pool();
  Pool(Pool&&) noexcept;
  Pool& operator=(Pool&&) noexcept;

  Backing const& backing() const;
  Bytes folio_bytes() const;  ///< PMD size, or the hugetlb page
  std::size_t folios() const;
  std::byte* folio(std::size_t i) const;

  /// Looks again: share of the pool that really has the wanted backing, with sources (smaps, minor faults, pagemap). A
  /// share under 99 % is a Refusal in `refusal`.
  struct Evidence {
    double share = 0;
    Json details;
    std::optional<Refusal> refusal;
  };
  Evidence verify() const;
  /// Physical frames of the given folios' first pages; empty where pagemap is not readable.
  std::vector<std::uint64_t> frames(std::vector<std::byte*> const& folios) const;

 private:
  struct Inside;
  explicit Pool(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

/// Why this machine's settings (and this process's) already rule the backing out; nullopt when it is worth trying.
std::optional<Refusal> refuse(Backing const& backing, Machine const& machine);

/// The folio size that a backing has on this machine; nullopt where unknown.
std::optional<Bytes> folio_of(Backing const& backing, Machine const& machine);

/// `count` distinct folios in random order: one placement. count <= pool.folios().
std::vector<std::byte*> draw(Pool const& pool, std::size_t count, Random& random);

}  // namespace folioscope
