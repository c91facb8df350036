// SPDX-License-Identifier: Apache-2.0
#include "stats/distributions.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace folioscope {

double student_quantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

double student_two_sided(double t, double degrees) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), std::fabs(t)));
}

std::optional<Interval> clopper_pearson(std::uint32_t hits, std::uint32_t trials) {
  if (trials == 0 || hits > trials) return std::nullopt;
  constexpr double tail = 0.025;
  double const k = hits, n = trials;
  // The beta distribution has no parameter 0: there the interval ends with the share's own range.
  return Interval{hits == 0 ? 0 : boost::math::ibeta_inv(k, n - k + 1, tail),
                  hits == trials ? 1 : boost::math::ibeta_inv(k + 1, n - k, 1 - tail)};
}

}  // namespace folioscope
