// SPDX-License-Identifier: Apache-2.0
// What a campaign holds of a cell beside its times, by placement: counted events per line, and the share of probed
// lines found at a level after the clear. They are different quantities from different sources and are never mixed.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/capsule.hpp"

namespace folioscope {

/// Events whose name is one of `names` ("a|b|c"), summed, per line of the footprint; by placement.
std::map<std::uint32_t, double> counted_per_line(Campaign const& campaign, std::uint32_t cell, std::string_view names);
/// Share of probed base pages found at `level` or nearer, by the scale of the capsule's own probe; by placement.
std::map<std::uint32_t, double> probed_share(Campaign const& campaign, std::uint32_t cell, std::string_view level);

/// Nanoseconds a folio of clear and use together, of the largest share of it that was used; by placement.
struct BilledUse {
  std::string pattern;  ///< "target", "ascending", "from_target", "descending", "random"
  bool corunner = false;
};
std::map<std::uint32_t, double> billed_total(Campaign const& campaign, std::uint32_t cell, BilledUse const& use);
/// Cells that have a bill.
std::vector<std::uint32_t> billed_cells(Campaign const& campaign);

}  // namespace folioscope
