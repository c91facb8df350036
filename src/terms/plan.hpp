// SPDX-License-Identifier: Apache-2.0
// A plan: the cells of one experiment and how they are to be run, as recorded in the capsule and resumed from it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "terms/cell.hpp"
#include "terms/error.hpp"

namespace folioscope {

/// A stretch cut into calls: `length` bytes ascending from `offset` in the folio, handed over call bytes at a time.
struct Stretch {
  Bytes offset;
  Bytes length;
  friend auto operator<=>(Stretch const&, Stretch const&) = default;
};
using Visits =
    std::vector<Stretch>;  ///< ascending neighbours already merged; descending runs are stretches of one run each

struct PlannedCell {
  Cell cell;
  Visits visits;  ///< over one folio (or the footprint where that is smaller)
};

struct Plan {
  std::string experiment;  ///< "quick", or the file's name
  std::string description;
  std::uint64_t seed = 1;
  Nanoseconds budget{60e9};
  double precision = 0.03;  ///< stop when every ratio's 95 % interval is within this of the ratio
  std::uint32_t min_placements = 10;
  std::uint32_t max_placements = 200;
  std::uint32_t blocks_per_placement = 3;
  Bytes base_page;
  Bytes folio;
  std::vector<PlannedCell> cells;              ///< references run twice a block, the second time as the A/A arm
  std::vector<Refusal> refusals;               ///< cells, kernels and backings that cannot be had here
  std::map<std::string, std::string> options;  ///< extensions of later experiments, kept with the record
};

/// Everything but cells and refusals, which the capsule keeps in tables of their own.
Json to_json(Plan const& plan);
/// Throws Error naming `where`.
Plan plan_from_json(Json const& json, std::string_view where);
/// Run-length text of visits for the record: "offset+length" in bytes, repeats of a constant step folded as
/// "offset+length*count@step".
std::string encode_visits(Visits const& visits);
/// Throws Error naming `where`; bounds what it builds by `extent` (hostile capsules).
Visits decode_visits(std::string_view text, Bytes extent, std::string_view where);

}  // namespace folioscope
