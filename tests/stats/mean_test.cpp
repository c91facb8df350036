// SPDX-License-Identifier: Apache-2.0
#include "stats/mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace folioscope {
namespace {

TEST(Mean, HasStudentsInterval) {
  // scipy.stats.t.interval(0.95, 4, 3, sqrt(2.5 / 5))
  std::vector<double> const values{1, 2, 3, 4, 5};
  Mean const m = mean_of(values);
  EXPECT_EQ(m.value, 3);
  EXPECT_EQ(m.n, 5u);
  ASSERT_TRUE(m.ci);
  EXPECT_NEAR(m.ci->low, 1.0367568385224393, 1e-9);
  EXPECT_NEAR(m.ci->high, 4.963243161477561, 1e-9);
}

TEST(Mean, LeavesOutWhatIsNoNumber) {
  std::vector<double> const values{NAN, 2, INFINITY};
  Mean const m = mean_of(values);
  EXPECT_EQ(m.value, 2);
  EXPECT_EQ(m.n, 1u);
  EXPECT_FALSE(m.ci);
  EXPECT_EQ(mean_of(std::vector<double>{}).n, 0u);
}

TEST(Share, StaysBetweenNoneAndAll) {
  std::vector<Hits> const placements{{1, 10}, {0, 10}, {9, 10}, {0, 0}};
  Mean const m = mean_share(placements);
  EXPECT_EQ(m.n, 3u);
  EXPECT_NEAR(m.value, 1.0 / 3, 1e-12);
  ASSERT_TRUE(m.ci);
  EXPECT_EQ(m.ci->low, 0);
  EXPECT_EQ(m.ci->high, 1);
}

TEST(Share, OfAlwaysTheSameIsNotCertain) {
  std::vector<Hits> const all(10, Hits{4, 4});
  Mean const m = mean_share(all);
  ASSERT_TRUE(m.ci);
  EXPECT_EQ(m.value, 1);
  EXPECT_NEAR(m.ci->low, std::pow(0.025, 1.0 / 40), 1e-9) << "40 of 40";
  EXPECT_EQ(m.ci->high, 1);
}

}  // namespace
}  // namespace folioscope
