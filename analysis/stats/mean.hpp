// SPDX-License-Identifier: Apache-2.0
// Means over placements of quantities that are no ratios (shares, nanoseconds as they are), with Student's interval.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "stats/verdict.hpp"

namespace folioscope {

struct Mean {
  double value = 0;
  std::optional<Interval> ci;  ///< 95 %, null under 2 placements
  std::uint32_t n = 0;         ///< placements
};
/// `values`: one a placement; those that are no number do not count.
Mean mean_of(std::span<double const> values);

/// A share counted in every placement. Where all placements say the same (all, or none) their spread is no measure of
/// what is not known: the interval then reaches as far as that of Clopper and Pearson for all of them together.
struct Hits {
  std::uint32_t hits = 0, of = 0;
};
Mean mean_share(std::span<Hits const> placements);

}  // namespace folioscope
