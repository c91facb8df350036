// SPDX-License-Identifier: Apache-2.0
// From tables to campaigns. Nothing read is trusted: ids must name what is there, words must be known, sizes are
// bounded by the file's own; whatever fails is an Error that calls the capsule damaged.
#pragma once
#include <cstdint>
#include <vector>

#include "record/capsule.hpp"
#include "record/database.hpp"

namespace folioscope::record {

std::vector<CampaignHeader> headers(Database const& database);
/// One consistent view, whoever may be writing.
Campaign load(Database const& database, std::int64_t id);

/// All cells' visits together, twice what a plan may have; what goes beyond it is refused when it is written.
inline constexpr std::size_t most_stretches = std::size_t{1} << 24;

}  // namespace folioscope::record
