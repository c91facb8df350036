// SPDX-License-Identifier: Apache-2.0
// The subject of paths whose cells are passes of their own: the path's file says what one pass is (make ready, time,
// look, undo); pinned threads, clocks, refusals and evidence are the same for all.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "campaign/campaign.hpp"
#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "measure/measure.hpp"

namespace folioscope {

struct Passed {
  Sample sample;
  std::vector<Point> seen;  ///< beside the time; block and cell are filled in by the campaign
};

/// What a pass works with.
struct PassPlace {
  Cell const& cell;
  Machine const& machine;
  Clock const& clock;
  Crew& crew;  ///< has at least the cell's threads
  Random& random;
};

class Passes final : public Subject {
 public:
  /// A refusal gives no sample; three in a row end the cell. Its subject is filled in.
  using Pass = std::function<Granted<Passed>(PassPlace const&)>;
  /// `part` holds the path's cells and outlives the subject. `leave`: evidence at the end of each placement.
  Passes(Plan const& part, Machine const& machine, Clock const& clock, Pass pass, std::function<Json()> leave = {});

  Placement place(std::uint32_t id, Random& random) override;
  Json leave() override;
  std::vector<RefusedCell> newly_refused() override;
  Granted<Sample> run(std::size_t cell, Arm arm, Random& random) override;
  std::vector<Point> seen() override;
  double core_clock() override;
  bool clock_changed() override;

 private:
  void refuse(std::size_t cell, Refusal refusal);

  Plan const& plan_;
  Machine const& machine_;
  Clock clock_;
  Pass pass_;
  std::function<Json()> leave_;
  std::optional<Crew> crew_;
  std::vector<unsigned> failures_;  ///< in a row, by cell
  std::vector<std::optional<Refusal>> refused_;
  std::vector<RefusedCell> news_;
  std::vector<Point> seen_;
};

/// What one task did. Linux splits CPU time by its ticks, milliseconds apart, so a pass splits its own: what it spent
/// in the program's own instructions; the rest of its CPU time was Linux's.
struct Worked {
  int error = 0;  ///< an errno; 0: all of it was done
  std::uint64_t program_ticks = 0;
};
/// Wall time from the first start to the last end, CPU times of all, over `work(thread)` on `threads` members that
/// start together. An error of one is the error of all.
struct Timed {
  Sample sample;
  int error = 0;
};
Timed time_work(Crew& crew, std::uint32_t threads, Clock const& clock, std::function<Worked(std::size_t)> const& work);

/// One task's part of a Timed.
struct TaskTimes {
  std::uint64_t start = 0, end = 0;
  double cpu_ns = 0;
  Worked worked;
};
/// Runs `work` on the calling thread.
TaskTimes time_task(std::function<Worked(std::size_t)> const& work, std::size_t task);
Timed sum_of(std::span<TaskTimes const> tasks, Clock const& clock);

}  // namespace folioscope
