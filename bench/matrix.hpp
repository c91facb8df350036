// SPDX-License-Identifier: Apache-2.0
// The factor levels of a bench run and the cells they give: kernels and orders from the catalogues, the rest from
// flags.
#pragma once
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "terms/cell.hpp"
#include "terms/plan.hpp"

namespace folioscope::bench {

struct Levels {
  std::vector<std::string> kernels;  ///< empty: all that clear
  std::vector<std::string> orders;   ///< empty: all
  std::vector<Bytes> runs;           ///< empty: a base page
  std::vector<Bytes> calls;          ///< empty: a base page, and for sequential the whole folio too
  std::vector<std::string> footprints = {"64K", "1", "8", "100"};  ///< folios, or a size
  std::vector<State> states = {State::cold, State::hot};
  std::vector<Backing> backings = {{BackingKind::thp, {}}, {BackingKind::base, {}}};
  std::vector<std::uint32_t> threads = {1};
  std::vector<Fence> fences = {Fence::pass};
  std::vector<Bytes> prefetches = {Bytes(0)};
};

/// Takes "--runs=4K,64K", "--runs 4K" and their like out of the arguments; the others stay. Throws UsageError.
Levels take_levels(int& argc, char** argv);
/// Takes --NAME=VALUE or --NAME VALUE out of the arguments; empty when it is not there.
std::string take_flag(int& argc, char** argv, std::string const& name);

struct NamedCell {
  std::string name;  ///< "clear/rep_stosb/reverse/run:4K/call:4K/1folio/cold/thp"
  Cell cell;
};
std::vector<NamedCell> cells_of(Levels const& levels, Machine const& machine);
/// With its visits. Throws UsageError where the order does not fit the footprint.
PlannedCell planned(Cell const& cell, Machine const& machine);

}  // namespace folioscope::bench
