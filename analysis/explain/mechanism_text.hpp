// SPDX-License-Identifier: Apache-2.0
// Mechanisms in sentences, for terminals and mails.
#pragma once
#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace folioscope {

/// "going down by pages loses, 2.71 (2.60 to 2.82) [> 1.1]": the figure, its interval, what was predicted.
std::string finding_words(ContrastFinding const& finding);
/// The finding that says most about the status; nullptr where nothing was measured.
ContrastFinding const* most_telling_finding(Mechanism const& mechanism);
/// One entry a hypothesis that was tested, what stands first, then one for all that were not. Empty unless the campaign
/// is the newest of its machine.
/// `brief`: all that is inconclusive in one entry, and all that is contradicted, a figure each without its interval.
std::vector<std::string> mechanism_sentences(Explanation const& explanation, std::size_t campaign, bool brief = false);
/// "Of 12 hypotheses ... stand: ...", for the cover; empty where none was tested.
std::string mechanism_conclusion(Explanation const& explanation, std::size_t campaign);

/// "With l2_stream off: reverse takes 1.05 (1.02 to 1.08) times as long as sequential, which takes 2.3 times ...": one
/// a campaign with prefetchers off; empty for others.
std::string prefetchers_off_sentence(Explanation const& explanation, std::size_t campaign);

}  // namespace folioscope
