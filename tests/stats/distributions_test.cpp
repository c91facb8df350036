// SPDX-License-Identifier: Apache-2.0
#include "stats/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace folioscope {
namespace {

/// P(X >= least) of a binomial, summed in logarithms: shares nothing with the beta function.
double at_least(int least, int trials, double share) {
  double sum = 0;
  for (int k = least; k <= trials; ++k)
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1) - std::lgamma(trials - k + 1) + k * std::log(share) +
                    (trials - k) * std::log1p(-share));
  return sum;
}

// By definition: at the lower end as many hits or more, at the upper as many or fewer, have a chance of 2.5 %.
TEST(ClopperPearson, EndsWhereWhatWasSeenBecomesUnlikely) {
  for (int const trials : {1, 10, 84, 840})
    for (int const hits : {0, 1, 5, 42, 840}) {
      if (hits > trials) continue;
      auto const ci = clopper_pearson(static_cast<std::uint32_t>(hits), static_cast<std::uint32_t>(trials));
      ASSERT_TRUE(ci);
      if (hits > 0) EXPECT_NEAR(at_least(hits, trials, ci->low), 0.025, 1e-9) << hits << " of " << trials;
      if (hits < trials) EXPECT_NEAR(1 - at_least(hits + 1, trials, ci->high), 0.025, 1e-9) << hits << " of " << trials;
      EXPECT_LE(ci->low, static_cast<double>(hits) / trials);
      EXPECT_GE(ci->high, static_cast<double>(hits) / trials);
    }
}

TEST(ClopperPearson, ReachesTheEndsOfTheRange) {
  EXPECT_EQ(clopper_pearson(0, 10)->low, 0);
  EXPECT_EQ(clopper_pearson(10, 10)->high, 1);
}

TEST(ClopperPearson, SaysNothingOfNothing) {
  EXPECT_FALSE(clopper_pearson(0, 0));
  EXPECT_FALSE(clopper_pearson(2, 1));
}

}  // namespace
}  // namespace folioscope
