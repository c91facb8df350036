// SPDX-License-Identifier: Apache-2.0
// Student's t, the only distribution the verdicts need, and the beta behind the interval of a counted share.
// Boost.Math, slow to compile, stays in distributions.cpp.
#pragma once
#include <cstdint>
#include <optional>

#include "stats/verdict.hpp"

namespace folioscope {

/// t with P(T <= t) = probability; degrees > 0, whole or (Welch) fractional.
double student_quantile(double probability, double degrees);
/// P(|T| >= |t|).
double student_two_sided(double t, double degrees);

/// The exact 95 % interval of Clopper and Pearson (1934) for `hits` of `trials`; nullopt without a trial.
std::optional<Interval> clopper_pearson(std::uint32_t hits, std::uint32_t trials);

}  // namespace folioscope
