// SPDX-License-Identifier: Apache-2.0
#include "explain/linux_contrast.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/layout.hpp"

namespace folioscope {
namespace {

double half_width_of_log(Interval const& ci) { return (std::log(ci.high) - std::log(ci.low)) / 2; }

}  // namespace

ContrastFinding linux_contrast(Contrast const& c, std::span<LinuxRatio const> ratios) {
  ContrastFinding f;
  f.quantity = "ratio in Linux ÷ ratio in user space";
  f.source = "Linux";
  f.why = fmt::format("Linux's own path was not measured; run folioscope linux {} with the same --out",
                      c.of.substr(0, c.of.find(' ')));
  for (LinuxRatio const& r : ratios) {
    if (r.path != c.of || r.target != 0) continue;
    if (r.order != "target_last") {
      f.why = fmt::format("this Linux clears {} in another order ({})", printable(r.path), printable(r.order));
      continue;
    }
    if (!r.predicted || !r.predicted->ci || !r.shown.ci || !(r.shown.ci->low > 0) || !(r.predicted->ci->low > 0)) {
      f.why = "the order was not measured in user space as well";
      continue;
    }
    if (f.outcome != ContrastFinding::Outcome::missing && r.shown.n <= f.n) continue;
    double const predicted = r.with_fixed_cost.value_or(r.predicted->ratio);
    // Two independent ratios: their errors add as squares.
    double const half = std::hypot(half_width_of_log(*r.shown.ci), half_width_of_log(*r.predicted->ci));
    f.outcome = ContrastFinding::Outcome::open;
    f.campaign = r.campaign;
    f.value = r.shown.ratio / predicted;
    f.ci = Interval{f.value * std::exp(-half), f.value * std::exp(half)};
    f.n = std::min(r.shown.n, r.predicted->n);
    f.why.clear();
  }
  return f;
}

}  // namespace folioscope
