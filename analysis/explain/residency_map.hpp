// SPDX-License-Identifier: Apache-2.0
// The residency of one folio in full: each of its pages, with what was seen of it, and the stretches of pages of which
// the same can be said.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explain/after_points.hpp"
#include "stats/mean.hpp"

namespace folioscope {

/// Pages that follow each other and of which the same is sure.
struct ResidencyStretch {
  std::uint64_t first_page = 0, last_page = 0;
  /// The level that holds more than half of each page's lines, as the page's own interval has it; "mixed" where no
  /// level surely does; "not looked at".
  std::string where;
  std::string most;  ///< the level seen most often: `where`, unless that is mixed
  Mean share;        ///< of `most` in all its pages together
  std::uint32_t samples = 0;
};
inline constexpr char mixed_levels[] = "mixed", not_looked_at[] = "not looked at";

struct ResidencyMap {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::uint64_t pages = 0;               ///< of the folio
  std::uint64_t pages_a_bin = 1;         ///< the resolution: 1 is each page by itself
  std::vector<std::string> levels;       ///< nearest first
  std::vector<std::uint32_t> samples;    ///< by bin
  std::vector<std::vector<Mean>> share;  ///< by level, then bin; n is 0 where the bin has no sample
  std::vector<ResidencyStretch> stretches;
  std::size_t bins_seen() const;
};

/// `levels`: of the campaign's scale, nearest first. Bins: each page of one folio where samples are at least as many as
/// pages, up to `most_bins`.
ResidencyMap residency_map(PointsOfCell const& cell, std::uint64_t pages, std::uint64_t most_bins,
                           std::vector<std::string> const& levels);

}  // namespace folioscope
