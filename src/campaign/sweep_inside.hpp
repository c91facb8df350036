// SPDX-License-Identifier: Apache-2.0
// Inside a SweepSubject: its cells, patches and pools. sweep_setup.cpp makes them, sweep.cpp runs them.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "campaign/after.hpp"
#include "campaign/prepared.hpp"
#include "campaign/sweep.hpp"
#include "record/plausible.hpp"

namespace folioscope {

struct SweepSubject::Inside {
  Inside(Plan const& p, Machine const& m, Clock const& c, SweepOptions o)
      : plan(p), machine(m), clock(c), options(std::move(o)) {}

  Plan const& plan;
  Machine const& machine;
  Clock const clock;
  SweepOptions const options;
  std::optional<Crew> crew;
  std::vector<std::optional<PreparedCell>> cells;  ///< empty: refused
  std::vector<std::size_t> patch_of;               ///< per cell, where it has one
  std::vector<Patch> patches;
  std::map<Backing, Pool> pools;
  std::vector<std::optional<Refusal>> refusals;  ///< per cell, where it has none
  std::vector<RefusedCell> news;
  std::vector<std::uint64_t> last_frames;
  std::optional<PageProbe> probe;
  std::unique_ptr<After> after;  ///< null: nothing is done after a pass
  std::vector<Point> shown;      ///< by the last run

  void refuse_cell(std::size_t cell, Refusal refusal);
  void refuse_backing(Backing const& backing, Refusal const& refusal);
  void prepare_cells();
  void hire();
  void make_pool(Backing const& backing);
  void choose_copies();
  double fastest_pass(std::size_t patch, Random& random);
  bool may_be_short(Patch const& patch) const;
  std::size_t folios_wanted(Backing const& backing, Bytes folio) const;
  Bytes memory_limit() const;
  /// What a pass is measured with beside the clock: counters, or a use of each folio.
  struct With {
    CounterReader* counters = nullptr;
    std::vector<Reading>* readings = nullptr;
    FolioUse const* use = nullptr;
    Nanoseconds* used = nullptr;
  };
  Sample pass(std::size_t cell, Random& random) { return pass(cell, random, With{}); }
  Sample pass(std::size_t cell, Random& random, With with);
  bool counted(Cell const& cell) const;
  Sample pass_and_after(std::size_t cell, Random& random);
  void refuse_what_after_cannot();
  Json check_states(std::uint32_t placement, Random& random);
};

}  // namespace folioscope
