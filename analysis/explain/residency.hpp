// SPDX-License-Identifier: Apache-2.0
// Where lines are after a clear, from what the residency probe saw: level shares by page bin, misses by level, and what
// the target and its neighbours cost. Residency is not fills: what happened on the way there is counted, or simulated.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/probe_check.hpp"
#include "explain/residency_map.hpp"
#include "record/capsule.hpp"
#include "stats/mean.hpp"

namespace folioscope {

/// The share of a page bin's lines that a level holds after the clear of a cell.
struct ResidencyShare {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::uint32_t page_bin = 0;                   ///< from 0
  std::uint64_t first_page = 0, last_page = 0;  ///< of the folio
  std::string level;                            ///< "L1", "L2/L3" where two cannot be told apart, "memory"
  Mean share;
  std::uint32_t samples = 0;  ///< of the bin, all levels
  std::string source;         ///< "probed", "simulated", "counted over the first use"
};

/// Of all pages alike: the share of lines that are in no level up to this one.
struct ProbedMisses {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::string level;
  Mean share;
};

/// What a load from a page at this distance from the target takes after the clear.
struct TargetLatency {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::uint64_t target = 0;
  std::int64_t distance = 0;  ///< base pages
  Mean ns;
};

struct Residency {
  std::vector<ResidencyShare> shares;
  std::vector<ResidencyMap> maps;  ///< one a cell: one folio in full, and what many folios have in common
  std::vector<ProbedMisses> misses;
  std::vector<TargetLatency> targets;
  std::vector<ProbeCheck> checks;
};
/// Appends what this campaign has.
void add_residency(Residency& residency, Campaign const& campaign, std::size_t index);

}  // namespace folioscope
