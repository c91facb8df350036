// SPDX-License-Identifier: Apache-2.0
// What residency, bill and radius say, as JSON and as sentences.
#pragma once
#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace folioscope {

Json residency_json(Explanation const& explanation);
/// A map a cell, its pages in columns: one folio in full would be thousands of rows.
Json residency_maps_json(Explanation const& explanation);
Json probed_misses_json(Explanation const& explanation);
Json target_latency_json(Explanation const& explanation);
Json probe_checks_json(Explanation const& explanation);
Json bill_json(Explanation const& explanation);
Json crossovers_json(Explanation const& explanation);
Json radius_json(Explanation const& explanation);

/// Sentences about what a campaign shows of the time after the clear, the most important first; none where it shows
/// nothing.
std::vector<std::string> after_findings(Explanation const& explanation, std::size_t campaign);
/// Those of them that the residency probe gives.
std::vector<std::string> residency_findings(Explanation const& explanation, std::size_t campaign);
/// "read and write all of it, ascending", "touch the target's page", for people.
std::string words_of(Use const& use);
/// "0.83 times", with its interval and what the verdict rule makes of it.
std::string bill_claim(BillLine const& line);

/// A sentence for the conclusion; nullopt where nothing was billed.
std::optional<std::string> bill_conclusion(Explanation const& explanation, std::size_t campaign);
/// Whether the campaign's bill weighs the use of the memory.
bool has_bill(Explanation const& explanation, std::size_t campaign);
/// Of the kernels that Linux may use, the one whose total is surely less than the baseline's when all of the folio is
/// used at once, ascending, for reading and writing; the line's index. nullopt where none is, or nothing was billed.
std::optional<std::size_t> cheapest_for_linux(Explanation const& explanation, std::size_t campaign);

}  // namespace folioscope
