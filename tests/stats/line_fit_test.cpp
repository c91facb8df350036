// SPDX-License-Identifier: Apache-2.0
#include "stats/line_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "terms/random.hpp"

namespace folioscope {
namespace {

TEST(LineFit, FindsTheLineThroughPointsOnIt) {
  std::vector<double> const x{1, 2, 4, 8}, y{5, 7, 11, 19};
  auto const fit = fit_line(x, y);
  ASSERT_TRUE(fit && fit->a_ci && fit->b_ci);
  EXPECT_NEAR(fit->a, 3, 1e-9);
  EXPECT_NEAR(fit->b, 2, 1e-9);
  EXPECT_NEAR(fit->median_error, 0, 1e-9);
}

TEST(LineFit, AgreesWithAWorkedExample) {
  // Anscombe's first set: intercept 3.0001, slope 0.5001, standard errors 1.1247 and 0.1179 (9 degrees, t 2.2622).
  std::vector<double> const x{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  std::vector<double> const y{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  auto const fit = fit_line(x, y);
  ASSERT_TRUE(fit && fit->a_ci && fit->b_ci);
  EXPECT_NEAR(fit->a, 3.0001, 1e-4);
  EXPECT_NEAR(fit->b, 0.5001, 1e-4);
  EXPECT_NEAR(fit->b_ci->high - fit->b, 2.2622 * 0.1179, 1e-3);
  EXPECT_NEAR(fit->a_ci->high - fit->a, 2.2622 * 1.1247, 1e-2);
}

TEST(LineFit, IntervalsCoverTheTruth) {
  Random random(5);
  int covered = 0;
  constexpr int trials = 500;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> x, y;
    for (int i = 0; i < 12; ++i) {
      double noise = 0;  // twelve uniforms: nearly normal
      for (int k = 0; k < 12; ++k) noise += static_cast<double>(random.below(1u << 20)) / (1u << 20) - 0.5;
      x.push_back(i);
      y.push_back(10 + 3 * i + noise);
    }
    auto const fit = fit_line(x, y);
    covered += fit->b_ci->low <= 3 && 3 <= fit->b_ci->high;
  }
  EXPECT_GT(covered, trials * 92 / 100);
  EXPECT_LT(covered, trials * 98 / 100);
}

TEST(Shapes, FitWhatIsMadeOfThemAndNothingElse) {
  std::vector<std::vector<double>> const rows{{1, 0}, {0.5, 0.5}, {0, 1}, {0, 1}};
  std::vector<double> const sum{4, 3, 2, 2}, apart{4, 3, 3, 1};
  auto const exact = fit_shapes(rows, sum);
  ASSERT_TRUE(exact);
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR((*exact)[i], sum[i], 1e-9);
  auto const near = fit_shapes(rows, apart);
  ASSERT_TRUE(near);
  EXPECT_NEAR((*near)[2], 2, 1e-9) << "the mean of what the same shapes gave";
}

TEST(Shapes, ThatCannotBeToldApartAreRefused) {
  std::vector<std::vector<double>> const same{{1, 2}, {2, 4}, {3, 6}}, ragged{{1, 2}, {1}, {2, 3}};
  std::vector<double> const y{1, 2, 3}, two{1, 2};
  EXPECT_FALSE(fit_shapes(same, y));
  EXPECT_FALSE(fit_shapes(ragged, y));
  EXPECT_FALSE(fit_shapes(std::span(same).first(2), y));
  EXPECT_FALSE(fit_shapes({}, {}));
}

TEST(LineFit, RefusesWhatDeterminesNoLine) {
  std::vector<double> const one{1}, same{2, 2, 2}, three{1, 2, 3};
  std::vector<double> const broken{1, std::numeric_limits<double>::quiet_NaN(), 3};
  EXPECT_FALSE(fit_line(one, one));
  EXPECT_FALSE(fit_line(same, three));
  EXPECT_FALSE(fit_line(three, one));
  EXPECT_FALSE(fit_line(three, broken));
  std::vector<double> const two{1, 2};
  auto const fit = fit_line(two, two);
  ASSERT_TRUE(fit);
  EXPECT_FALSE(fit->b_ci) << "two points leave nothing to judge the line by";
}

}  // namespace
}  // namespace folioscope
