// SPDX-License-Identifier: Apache-2.0
// What a campaign's record says of its residency probe: pages brought to each level on purpose, when the scale was made
// and again in every placement, and how many of them were found there. Levels that these do not bear out are merged,
// placements in which the probe was surely lost are left out.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

/// Of pages brought to one level on purpose.
struct MadeOnPurpose {
  std::string level;              ///< as the latency curve names it
  double right = 1;               ///< share found there when the scale was made
  double right_later = 1;         ///< the same in the placements that count
  std::uint32_t pages_later = 0;  ///< looked at in those; 0: the record has none
};

struct ProbeCheck {
  std::size_t campaign = 0;
  std::vector<std::string> levels;  ///< nearest first, as told apart at this tick and borne out in the placements
  double least_right = 1;           ///< of states made on purpose, the share found, of the level found worst
  std::string least_right_level;
  std::vector<MadeOnPurpose> made;
  std::vector<std::string> merged;   ///< those of `levels` that were told apart at first: "L2/L3"
  std::set<std::uint32_t> left_out;  ///< placements in which a level was surely found less often than in 95 %
  std::uint32_t placements = 0;      ///< that were checked
  std::map<std::string, std::string> level_of;  ///< a sample's label: the level that it counts as
};
ProbeCheck probe_check(Campaign const& campaign, std::size_t index);
Json to_json(ProbeCheck const& check);
/// Of the least of its levels, in words: "97.5 %", rounded down.
std::string least_right_words(ProbeCheck const& check);

/// Looks that found a line at one of the levels.
struct LevelShare {
  std::string level;
  double share = 0;
  std::optional<Interval> ci;  ///< 95 %, Clopper-Pearson over looks
};
/// At which of the check's levels samples of these ns a line are, by the scale on record, nearest level first; empty
/// where the record has no scale.
std::vector<LevelShare> level_shares(Campaign const& campaign, ProbeCheck const& check,
                                     std::span<double const> per_line_ns);

}  // namespace folioscope
