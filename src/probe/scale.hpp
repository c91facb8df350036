// SPDX-License-Identifier: Apache-2.0
// From the latency of a page's lines to the level that holds them. A scale is made from samples of states made on
// purpose: levels whose samples cannot be told apart are one level with both names. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/chain.hpp"
#include "terms/random.hpp"
#include "terms/units.hpp"

namespace folioscope {

struct ScaleLevel {
  std::string name;        ///< as the latency curve names it; "L1/L2" where the two cannot be told apart
  Nanoseconds typical;     ///< the median of a sample's latency per line
  Nanoseconds up_to;       ///< a sample below belongs here or nearer; infinity for the last level
  std::string nearest;     ///< the first of the names
  bool is_memory = false;  ///< the last level, where it is not merged with a cache
};

struct Scale {
  std::vector<ScaleLevel> levels;  ///< nearest first
  /// Index of the level; 0 where there is none.
  std::size_t level_of(Nanoseconds per_line) const;
  /// From where on a sample is memory's; nullopt where memory is not told from the caches.
  std::optional<Nanoseconds> memory_from() const;
  /// Whether the level (an index) holds what was made in the level of that name; of "L2/L3" the first name counts.
  bool holds(std::size_t level, std::string_view made) const;
};

/// Samples of pages brought into one level on purpose.
struct MadeLevel {
  std::string name;
  std::vector<double> ns;  ///< per line, one a sample
};

/// The cuts that mistake fewest samples. Neighbours are merged where a cut made without some samples finds more than
/// 3.5 % of those on the wrong side. `made` is nearest level first; levels without a sample are merged with the one
/// before.
Scale scale_of(std::span<MadeLevel const> made);
/// Without samples: cuts half way, in ratio, between the plateaus of a latency curve.
Scale scale_of(std::span<LatencyLevel const> levels);

/// One row of a confusion matrix: of pages made in one level, how many were seen in each level of the scale.
struct ConfusionRow {
  std::string made;
  std::vector<unsigned> seen;  ///< by level of the scale
  double right = 0;            ///< share seen in the level that holds the name
};
std::vector<ConfusionRow> confusion(Scale const& scale, std::span<MadeLevel const> made);

/// What a clock of that tick would have said of a span: its ends fall anywhere between two ticks.
Nanoseconds quantised(Nanoseconds span, Nanoseconds tick, Random& random);

}  // namespace folioscope
