// SPDX-License-Identifier: Apache-2.0
// Randomised complete blocks over placements, with a stop rule, resume and progress: written once for sweeps and
// Linux's own paths. A Subject says what a cell is; the campaign decides when it runs and keeps the record.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "terms/granted.hpp"
#include "terms/plan.hpp"
#include "terms/random.hpp"
#include "terms/sample.hpp"

namespace folioscope {

/// What is measured. Cells are the plan's, by index.
class Subject {
 public:
  virtual ~Subject() = default;
  /// A new draw of memory for all cells. Called before the placement's first block.
  virtual Placement place(std::uint32_t id, Random& random) = 0;
  /// Verification at the end of a placement: evidence to add; cells that no longer have what they need are refused.
  virtual Json leave() = 0;
  /// Cells found not measurable since this was last asked (`placement` is filled in). Asked after place, run, count and
  /// leave; what they name is recorded and runs no more, and a sample just returned for one of them is dropped.
  virtual std::vector<RefusedCell> newly_refused() { return {}; }
  /// The number of the part that a cell belongs to, from 0 without gaps. A block runs the cells of one part together,
  /// in random order, and the parts in random order: what one of them needs (processes, hundreds of megabytes) would
  /// else leave caches and free memory of another kind to every cell of the others.
  virtual std::uint32_t part_of(std::size_t) const { return 0; }
  /// Before each block: work like the cells' that nobody records. What came before (a commit to disk, a new placement)
  /// leaves caches and branch predictors to others, and the first cells would pay.
  virtual void warm_up(Random&) {}
  /// One run of one cell. Fills everything but block, cell, arm and position. A refusal gives no sample: it is recorded
  /// once per subject and reason, and the cell is asked again in the next block (a lost backing refuses it each time,
  /// cheaply).
  virtual Granted<Sample> run(std::size_t cell, Arm arm, Random& random) = 0;
  /// What the run just granted showed beside its time; asked after each. Block and cell are the campaign's to fill in.
  virtual std::vector<Point> seen() { return {}; }
  /// Counter passes of a cell inside the same block; none as a rule.
  virtual std::vector<Reading> count(std::size_t, Random&) { return {}; }
  /// ns per dependent add now, and whether the clock source is still the same.
  virtual double core_clock() = 0;
  virtual bool clock_changed() { return false; }
};

struct Progress {
  std::uint32_t placements = 0, blocks = 0;
  std::uint32_t cells_done = 0, cells_in_block = 0;  ///< within the block
  double elapsed_s = 0, left_s = 0;                  ///< left: until the budget or the precision, whichever is nearer
  double precise_share = 0;                          ///< of the ratios that are narrow enough already
};

struct Outcome {
  std::string stop_reason;
  bool interrupted = false;
  std::uint32_t blocks = 0;
};

/// The monotonic clock that budgets are held against.
double steady_seconds();

struct RunRequest {
  Plan const* plan = nullptr;
  Subject* subject = nullptr;
  CapsuleWriter* writer = nullptr;                 ///< campaign begun or continued already
  Campaign const* before = nullptr;                ///< when resuming: what is there
  double already_spent_s = 0;                      ///< of the budget (start-up)
  std::atomic<bool> const* stop = nullptr;         ///< set by a signal
  std::function<void(Progress const&)> progress;   ///< called at most ten times a second
  std::function<double()> now_s = steady_seconds;  ///< tests pass their own
};

/// Runs blocks until every ratio is narrow enough, the budget is spent or `stop` is set; then finishes the record.
Outcome run_campaign(RunRequest const& request);

}  // namespace folioscope
