// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of one program share: pinned threads, pools by backing, the clock. A cell runs through measure()
// as in a campaign.
#pragma once
#include <benchmark/benchmark.h>

#include <map>
#include <optional>

#include "backing/pool.hpp"
#include "bench/matrix.hpp"
#include "campaign/prepared.hpp"
#include "counters/reader.hpp"
#include "machine/clock.hpp"
#include "measure/measure.hpp"

namespace folioscope::bench {

class Stand {
 public:
  /// `counters` must be open before: they count the threads hired here. `in_place`: a pass clears the same memory so
  /// many times in a row, as programs that loop over one buffer do; none: disjoint copies, as in a campaign.
  Stand(Machine const& machine, std::uint32_t threads, std::vector<std::unique_ptr<CounterReader>> counters,
        std::optional<std::uint32_t> in_place = {});
  /// One repetition: a new placement, then passes by manual time. What cannot be had is an error in the result, with
  /// its reason.
  void run(benchmark::State& state, Cell const& cell);
  Clock const& clock() const { return clock_; }

 private:
  Granted<Pool*> pool_for(Patch const& patch);
  void choose_copies(Patch& patch, Cell const& cell, PreparedCell const& ready);
  Granted<Pool*> lay_copies(Patch& patch, Cell const& cell, PreparedCell const& ready);
  void passes(benchmark::State& state, Patch const& patch, Cell const& cell, PreparedCell const& ready);
  void count(benchmark::State& state, Pass pass);

  Machine const& machine_;
  Clock clock_;
  std::vector<std::unique_ptr<CounterReader>> counters_;  ///< a pass of its own each
  std::optional<std::uint32_t> in_place_;
  Granted<Crew> crew_;
  std::map<Backing, Pool> pools_;
  Random random_{1};
};

}  // namespace folioscope::bench
