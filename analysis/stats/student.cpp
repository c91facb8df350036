// SPDX-License-Identifier: Apache-2.0
#include "stats/student.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace folioscope {

double student_quantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

double student_two_sided(double t, double degrees) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), std::fabs(t)));
}

}  // namespace folioscope
