// SPDX-License-Identifier: Apache-2.0
// What each of Linux's own paths took in a `linux` campaign, or why it was not measured.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/capsule.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

/// Whether cells of this kernel are a path of Linux's own.
bool is_path_kernel(std::string_view kernel);
/// "populate" of "linux_populate_madvise", as the campaign's plan names it.
std::string path_of(Campaign const& campaign, Cell const& cell);
/// "populate-madvise, 2 threads", "fault-order thp".
std::string path_words(Cell const& cell);

struct PathOutcome {
  std::string name;  ///< path and variant: "fault-order thp"
  bool measured = false;
  std::string reason, remedy;      ///< of a refusal
  Nanoseconds real, user, system;  ///< of one pass: the median of real, means of the others
  Nanoseconds per_folio;           ///< geometric mean over placements
  std::optional<Interval> ci;      ///< 95 %, of per_folio in ns
};
std::vector<PathOutcome> path_outcomes(Campaign const& campaign);
Json to_json(PathOutcome const& outcome);
std::string to_text(PathOutcome const& outcome);

}  // namespace folioscope
