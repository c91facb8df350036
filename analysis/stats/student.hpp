// SPDX-License-Identifier: Apache-2.0
// Student's t, the only distribution the verdicts need. Boost.Math stays in student.cpp.
#pragma once

namespace folioscope {

/// t with P(T <= t) = probability; degrees > 0, whole or (Welch) fractional.
double student_quantile(double probability, double degrees);
/// P(|T| >= |t|).
double student_two_sided(double t, double degrees);

}  // namespace folioscope
