// SPDX-License-Identifier: Apache-2.0
// Robust non-linear least squares of cost() on measured passes: Levenberg and Marquardt on log times and log
// parameters, reweighted after Huber. Parameters that no cell varies with are held; those that the data cannot tell
// apart or do not determine are said so, never hidden behind a narrow interval; prices that they do not show are 0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/cost.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

struct FitPoint {
  PassShape shape;
  double log_ns = 0;
};

struct FittedParameter {
  Physical which = Physical::stream;
  double value = 0;
  std::optional<Interval> ci;  ///< 95 %; null where it was held
  bool held = false;           ///< no cell varies with it, or it is `none`; value is an assumption
  bool none = false;  ///< the cells are told as well without it: a price of 0, or a length that only such a price needs
  bool determined = false;  ///< the interval spans less than a factor of three
};

struct Fit {
  PhysicalValues values{};
  std::vector<FittedParameter> parameters;  ///< in the order of Physical
  double condition = 0;                     ///< of the scaled Jacobian, largest over smallest singular value
  std::vector<std::pair<Physical, Physical>> inseparable;  ///< correlated above 0.98
  double residual = 0;                                     ///< robust standard deviation of log(measured ÷ fitted)
  std::size_t points = 0;
};

struct FitRequest {
  std::span<FitPoint const> points;
  double common_variance = 0;         ///< of log times, of what hits all points alike: it widens every price
  double llc_bytes = 32.0 * 1048576;  ///< where the search for llc_share begins
};
/// nullopt: fewer than 8 points, or fewer than three lengths of stretches below a whole extent.
std::optional<Fit> fit(FitRequest const& request);

}  // namespace folioscope
