// SPDX-License-Identifier: Apache-2.0
// From verdicts to sentences: which stratum stands for the machine, what each order costs there, what that means for
// the Linux that runs on it, and what would overturn it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace folioscope {

/// The order in which the three generations of Linux clear a huge page.
enum class LinuxOrder { sequential, target_last, neighbourhood_last };
/// From a release such as "6.18.5-cloud": nullopt when it cannot be read.
std::optional<LinuxOrder> order_of_release(std::string_view release);

/// Lower is nearer to the case that stands for all: cold, THP, one folio, one thread, Linux's own kernel, base-page
/// calls.
std::vector<std::uint64_t> prominence(ExplainedCampaign const& campaign, Cell const& cell);
/// "a cold 2 MiB THP", "100 hot 2 MiB folios of hugetlb-2M memory".
std::string what_is_cleared(ExplainedCampaign const& campaign, Cell const& cell);
/// "from the last page to the first", "in the order of Linux v4.14 to v6.19 (target page 128 last)".
std::string how_it_goes(ExplainedCampaign const& campaign, Cell const& cell);
/// "AMD EPYC 9B14, Linux 6.18.5".
std::string machine_words(ExplainedCampaign const& campaign);

/// "takes 3.10 (2.95 to 3.25) times as long", "makes no difference above 2.0 % (1.00)", "cannot be told (...)".
std::string claim(Verdict const& verdict);
/// "67.7 % of the clearing time (66.1 to 69.2)": what going without a slower order saves.
std::string saving_words(Verdict const& verdict);

Advice advise(Explanation const& explanation, std::size_t campaign);

}  // namespace folioscope
