// SPDX-License-Identifier: Apache-2.0
// The subject of sweeps: plan + measure + backing. Pools are made once, a placement draws from them, a run is one pass
// of one cell. Cells that this machine cannot run, and cells whose memory is refused or lost, are refusals; the rest
// goes on.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "campaign/campaign.hpp"
#include "counters/reader.hpp"
#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "probe/chain.hpp"
#include "probe/residency.hpp"
#include "terms/plan.hpp"

namespace folioscope {

struct SweepOptions {
  std::optional<Bytes> max_memory;       ///< of all pools; otherwise 80 % of what is available
  std::vector<CounterReader*> counters;  ///< a pass of its own each, behind the timed ones; opened before the subject,
                                         ///< which hires threads, and outliving it
  std::optional<std::vector<unsigned>>
      counted_cpus;  ///< cells whose threads run elsewhere are not counted; null: all are
  std::vector<LatencyLevel>
      levels;  ///< from the idle latency curve; empty: states are not checked, and the evidence says so
};

class SweepSubject final : public Subject {
 public:
  /// Pins the calling thread (and one more for each further CPU wanted), maps and populates pools, and times one pass
  /// of each reference that may be shorter than 1,000 ticks to choose copies. `plan` and `machine` must outlive the
  /// subject.
  SweepSubject(Plan const& plan, Machine const& machine, Clock const& clock, SweepOptions options = {});
  ~SweepSubject() override;

  std::size_t measurable() const;  ///< cells not refused so far
  Placement place(std::uint32_t id, Random& random) override;
  Json leave() override;
  std::vector<RefusedCell> newly_refused() override;
  void warm_up(Random& random) override;
  Granted<Sample> run(std::size_t cell, Arm arm, Random& random) override;
  std::vector<Reading> count(std::size_t cell, Random& random) override;
  std::vector<Point> seen() override;
  PageProbe const& probe() const;       ///< made at the start, of states made on purpose
  std::vector<Refusal> limits() const;  ///< what the experiment's [options] ask for and this machine has not
  double core_clock() override;
  bool clock_changed() override;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace folioscope
