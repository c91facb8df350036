// SPDX-License-Identifier: Apache-2.0
// What is done with the memory after each pass, as an experiment's [options] say: its lines are looked for with the
// residency probe, or it is used and the use timed apart. What is seen are points (docs/record-format.md).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "measure/use.hpp"
#include "probe/residency.hpp"
#include "record/capsule.hpp"
#include "terms/error.hpp"
#include "terms/plan.hpp"

namespace folioscope {

struct AfterOptions {
  enum class What { nothing, probe, use } what = What::nothing;
  std::uint32_t pages = 256;  ///< probe: base pages looked at in a run of one folio, spread over it
  /// probe: the same for larger footprints, whose passes take that much longer
  std::uint32_t pages_beyond = 64;
  std::vector<Use> uses;  ///< use: all of them in each run, without targets
};
/// Of `after`, `pages`, `pages_beyond`, `uses`, `fractions`, `accesses`, `company`. Throws Error naming the key.
AfterOptions after_of(std::map<std::string, std::string> const& options);

/// A cell about to run, and how to run a pass of it: state, clear, and where a use is given that of each folio.
struct AfterRun {
  Cell const* cell = nullptr;
  std::span<std::byte* const> extents;
  Bytes extent;
  std::function<Sample(FolioUse const* use, Nanoseconds* used)> pass;
};

class After {
 public:
  virtual ~After() = default;
  /// Several passes as one sample, of their clears alone; adds what was seen.
  virtual Sample run(AfterRun const& run, Random& random, std::vector<Point>& seen) = 0;
  /// For the evidence of each placement; null where there is nothing to say.
  virtual Json evidence() const { return {}; }
  /// What cannot be had here, to be recorded once.
  virtual std::vector<Refusal> limits() const { return {}; }
};

/// nullptr where nothing is done after a pass. `plan` gives the targets that reference cells are held against. All must
/// outlive it.
std::unique_ptr<After> make_after(Plan const& plan, Machine const& machine, PageProbe const& probe);

/// A CPU for somebody else to work on: allowed, of another core than `busy` where the machine says what cores are, and
/// on the same shared cache where it says that; nullopt where only `busy` is allowed.
std::optional<unsigned> company_for(unsigned busy, Machine const& machine);

/// Points that say what a probe's scale is and how well it finds states made on purpose: probe.level, probe.confusion.
std::vector<Point> points_of(PageProbe const& probe);
/// The same once more, for a placement's evidence: of states made just now, the share found in the right level, and
/// where the others were. Where that is too few the states are made once more, in another way.
Json check_probe(PageProbe& probe, Random& random);

}  // namespace folioscope
