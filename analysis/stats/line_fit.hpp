// SPDX-License-Identifier: Apache-2.0
// Ordinary least squares: a straight line with intervals, and what any small set of shapes explains of a curve.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "stats/verdict.hpp"

namespace folioscope {

struct LineFit {
  double a = 0, b = 0;                  ///< y = a + b x
  std::optional<Interval> a_ci, b_ci;   ///< 95 %, null under 3 points
  std::vector<double> relative_errors;  ///< |fitted - y| / y, in the order given
  double median_error = 0;
};
/// nullopt with fewer than two distinct x, sizes that differ, or values that are no numbers.
std::optional<LineFit> fit_line(std::span<double const> x, std::span<double const> y);

/// One row of shape values a point; what the best weighted sum of the shapes gives at each point. nullopt where the
/// shapes cannot be told apart at these points.
std::optional<std::vector<double>> fit_shapes(std::span<std::vector<double> const> rows, std::span<double const> y);

}  // namespace folioscope
