// SPDX-License-Identifier: Apache-2.0
#include "terms/fixed.hpp"

#include <fmt/core.h>

#include <cmath>

namespace folioscope {

std::string fixed(double value, int decimals) {
  constexpr double longest = 1e7;
  if (!std::isfinite(value)) return "-";
  return std::fabs(value) < longest ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.2e}", value);
}

}  // namespace folioscope
