// SPDX-License-Identifier: Apache-2.0
// At which level do the lines of a base page live now? A timed chain over some of its lines says so, without a PMU and
// without pointers in the lines. Looking brings the lines near: a page is looked at once, and few pages after one pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "probe/chain.hpp"
#include "probe/scale.hpp"
#include "terms/random.hpp"

namespace folioscope {

/// The clock as machine/clock has it, and a coarser tick to try what another machine's clock would see (0: as it is).
struct ProbeClock {
  double ns_per_tick = 1;
  Nanoseconds tick;
  Nanoseconds quantised_to;
};

/// Lines that a sample times: 16, or a whole page of 4 KiB where a tick is 25 ns or more (16 lines of an L1 are less
/// than a tick there).
std::size_t lines_a_sample(ProbeClock const& clock);

struct PageSample {
  Nanoseconds per_line;
  unsigned lines = 0;  ///< timed; 0 where the page has fewer than two lines
};
/// Times a chain over lines of [page, page + bytes), one of each of equal strata, in random order. One more line brings
/// the translation and is not timed. `clock_cost`: ticks that reading the clock takes (clock_cost_ticks).
PageSample sample_page(std::byte const* page, Bytes bytes, ProbeClock const& clock, std::uint64_t clock_cost,
                       Random& random);
std::uint64_t clock_cost_ticks();

/// How much of the memory under test may be looked at after one pass: 1/16 of the L1, or one base page where that is
/// more.
std::size_t samples_a_pass(Bytes l1, Bytes base_page, ProbeClock const& clock);

/// Looks at base pages with a scale made on this machine.
class PageProbe {
 public:
  struct Request {
    std::vector<LatencyLevel> levels;  ///< of the idle latency curve
    Bytes base_page;
    ProbeClock clock;
    std::uint64_t seed = 1;
    unsigned samples = 480;  ///< of each level; half of them make the scale, half test it
  };
  /// Makes states on purpose (just written, pushed out of each cache in turn, flushed) in memory of its own and learns
  /// how each looks; once more where levels that the curve shows could not be told apart. About 15 ms. Pin the thread
  /// first. With fewer than two levels the scale has at most one, and nothing can be told.
  explicit PageProbe(Request request);

  struct Seen {
    std::size_t level = 0;  ///< index into scale().levels
    Nanoseconds per_line;
  };
  /// Where the lines of this base page are now. One look changes the answer.
  Seen look(std::byte const* page, Random& random) const;

  /// Makes states on purpose once more, in memory of its own.
  std::vector<ConfusionRow> test(unsigned samples, Random& random) const;
  /// Finds out anew what pushes pages into each level: others' use of a shared cache makes that another amount. The
  /// scale stays.
  void push_anew(Random& random);

  Scale const& scale() const { return scale_; }
  bool can_tell() const { return scale_.levels.size() > 1; }
  /// Of states made on purpose, other ones than the scale was made from.
  std::vector<ConfusionRow> const& tested() const { return tested_; }
  std::vector<MadeLevel> const& samples() const { return samples_; }  ///< all, in the order taken
  std::size_t samples_a_pass() const { return samples_a_pass_; }
  std::vector<LatencyLevel> const& levels() const { return request_.levels; }
  ProbeClock const& clock() const { return request_.clock; }

 private:
  std::vector<Bytes> try_pushing(Random& random) const;
  void learn(Random& random);
  bool alike(std::size_t level, Nanoseconds per_line) const;
  std::vector<MadeLevel> take(unsigned samples, Random& random) const;
  Request request_;
  std::uint64_t clock_cost_ = 0;
  std::size_t samples_a_pass_ = 1;
  std::vector<Bytes> pushing_;  ///< by level: what brings pages there
  Scale scale_;
  std::vector<ConfusionRow> tested_;
  std::vector<MadeLevel> samples_;
};

}  // namespace folioscope
