// SPDX-License-Identifier: Apache-2.0
// One cell, one pass: pinned threads make the state, meet at a barrier, clear, fence, and the clock is read.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "machine/clock.hpp"
#include "terms/cell.hpp"
#include "terms/granted.hpp"
#include "terms/plan.hpp"
#include "terms/random.hpp"
#include "terms/sample.hpp"

namespace folioscope {

/// One call of the kernel: made from visits and call size once, walked in the timed loop.
struct Call {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};
std::vector<Call> calls_of(Visits const& visits, Bytes call);

/// Threads pinned to CPUs for a campaign's life; each pin is verified (sched_getcpu) or refused.
class Crew {
 public:
  static Granted<Crew> hire(std::span<unsigned const> cpus);
  ~Crew();
  Crew(Crew&&) noexcept;
  Crew& operator=(Crew&&) noexcept;
  std::size_t size() const;

  struct Inside;
  Inside& inside() const { return *inside_; }

 private:
  explicit Crew(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

struct Pass {
  Kernel const* kernel = nullptr;
  Cell const* cell = nullptr;
  std::span<Call const> calls;                          ///< over one folio
  Bytes extent;                                         ///< bytes of a folio that the pass covers
  Bytes base_page;
  std::span<std::vector<std::byte*> const> folios;      ///< per thread; all copies one after another
  std::uint32_t copies = 1;
  std::span<std::uint32_t const> prefetches;            ///< line offsets to prefetch before each call, empty as a rule
};

/// Makes the state, clears, and fills wall, user, system, state, copies of a Sample. Negative or zero times assert upstream:
/// a clock that runs backwards throws Error.
Sample measure(Crew& crew, Pass const& pass, Clock const& clock, Random& random);

/// Copies so that a pass takes at least 1,000 ticks, from a first timing.
std::uint32_t copies_needed(Nanoseconds one, Nanoseconds tick);

}  // namespace folioscope
