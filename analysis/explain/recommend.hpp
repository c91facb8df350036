// SPDX-License-Identifier: Apache-2.0
// What to do, by what the memory is used for: order, kernel and call size for Linux, what a patch would change, what
// can be set or programmed today, and how long a batch would keep the CPU.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/explain.hpp"
#include "stats/runs.hpp"

namespace folioscope {

/// Fills Explanation::recommendations, one a campaign, from its advice, its times, and its bill where it has one.
void recommend(Explanation& explanation, std::span<Campaign const> campaigns, std::span<Runs const> runs);

/// The object behind `recommendation` but for the text; null where nothing is recommended.
Json recommendation_json(Explanation const& explanation, std::size_t campaign);
/// The most useful first.
std::vector<std::string> recommendation_sentences(Explanation const& explanation, std::size_t campaign);

}  // namespace folioscope
