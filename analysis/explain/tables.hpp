// SPDX-License-Identifier: Apache-2.0
// The tables that text and mail share: orders against sequential, kernels against the baseline, times by footprint.
#pragma once
#include <string>

#include "explain/explain.hpp"
#include "explain/layout.hpp"

namespace folioscope {

/// One line a reference (state, footprint, backing, kernel, call, threads), a column an order. At most `most` lines;
/// `left_out` counts the others.
Sheet orders_sheet(Explanation const& explanation, std::size_t campaign, std::size_t most, std::size_t& left_out);
/// One line a kernel and call, a column a stratum.
Sheet kernels_sheet(Explanation const& explanation, std::size_t campaign, std::size_t most, std::size_t& left_out);
/// Microseconds: five columns and their mean for one footprint of a published table.
Sheet published_sheet(PublishedTable const& table, PublishedGroup const& group, Bytes folio);

/// "target_last", or "target_last t128 run 64K ..." where factors differ from base-page runs.
std::string order_mark(Cell const& cell, Bytes base_page);
/// "3.10±0.15 s".
std::string verdict_figure(Verdict const& verdict);
/// "A/A: 2 of 48 pairs ..." and what the blocks went through.
/// Campaigns as a person wants them: the newest of each machine first, machines as they come.
std::vector<std::size_t> reading_order(Explanation const& explanation);
std::string noise_sentence(Explanation const& explanation, std::size_t campaign);
/// "Refused: movdir64b (CPUID does not offer it); ...", at most `most` by name; empty when nothing was.
std::string refusals_sentence(ExplainedCampaign const& campaign, std::size_t most);
std::string campaign_sentence(ExplainedCampaign const& campaign);

}  // namespace folioscope
