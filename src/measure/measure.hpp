// SPDX-License-Identifier: Apache-2.0
// One cell, one pass: pinned threads make the state, meet at a barrier, clear, fence, and the clock is read.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "counters/reader.hpp"
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
/// Each stretch ascending, `call` bytes at a time; the last piece of a stretch may be shorter.
std::vector<Call> calls_of(Visits const& visits, Bytes call);
/// For each call a count, then that many line offsets: what enters the window of `ahead` bytes that runs before the
/// clear *in the order of visits*. A line is named once; the window ends with the folio. Empty when ahead is 0.
std::vector<std::uint32_t> prefetch_plan(std::span<Call const> calls, Bytes ahead, Bytes line);

/// Threads pinned to CPUs for a campaign's life; each pin is verified (sched_getcpu) or refused. The hiring thread is
/// the first member: a pass of one thread runs inline, with no hand-over to disturb it. Its own affinity comes back
/// when the crew ends.
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

struct FolioUse;

struct Pass {
  Kernel const* kernel = nullptr;
  Cell const* cell = nullptr;
  std::span<Call const> calls;  ///< over one folio
  Bytes extent;                 ///< bytes of a folio that the pass covers
  Bytes base_page;
  std::span<std::vector<std::byte*> const>
      folios;  ///< per thread (the crew's first ones); all copies one after another
  std::uint32_t copies = 1;
  std::span<std::uint32_t const> prefetches;  ///< a prefetch_plan of the calls; empty as a rule
  CounterReader* counters = nullptr;          ///< counts the clearing alone; such a pass is not for timing
  std::vector<Reading>* readings = nullptr;   ///< where the counts go
  FolioUse const* use = nullptr;              ///< done with each folio right after its clear, timed apart; one thread
  Nanoseconds* used = nullptr;                ///< where the time of all uses goes
};

/// Makes the state, clears, and fills wall, user, system, state, copies of a Sample. Negative or zero times assert
/// upstream: a clock that runs backwards throws Error. Where folios are used, wall is that of the clears alone, user
/// and system of both.
Sample measure(Crew& crew, Pass const& pass, Clock const& clock, Random& random);

/// Copies so that a pass takes at least 1,000 ticks, from a first timing. A pass too short for the clock counts as one
/// tick.
std::uint32_t copies_needed(Nanoseconds one, Nanoseconds tick);

}  // namespace folioscope
