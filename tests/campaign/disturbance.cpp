// SPDX-License-Identifier: Apache-2.0
#include "campaign/disturbance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace folioscope {
namespace {

constexpr char const* stat =
    "cpu  10 0 20 3000 4 0 5 600 0 0\n"
    "cpu0 1 0 2 300 4 0 5 100 0 0\n"
    "cpu1 1 0 2 300 4 0 5 200 0 0\n"
    "cpu1279 1 0 2 300 4 0 5 50\n"
    "intr 5 0 0\n"
    "cpu7 1 0 2 300 4 0 5 999\n";

TEST(Steal, CountsTheAllowedCpusAlone) {
  std::vector<unsigned> const cpus{1, 7, 1279};
  EXPECT_EQ(stolen_seconds(stat, cpus, 100), 2.5);
}

TEST(Steal, UnknownIsNotNought) {
  std::vector<unsigned> const cpus{0};
  EXPECT_FALSE(stolen_seconds("", cpus, 100));
  EXPECT_FALSE(stolen_seconds("cpu0 1 2 3 4\n", cpus, 100));
  EXPECT_FALSE(stolen_seconds(stat, {}, 100));
  EXPECT_TRUE(std::isnan(stolen_now(cpus, "/nowhere/stat")));
}

TEST(CoreClock, MarksWhatIsOffByMoreThanFivePercent) {
  CoreClock clock;
  auto const judged = [&](double before, double after) {
    Block block;
    block.add_ns_before = before;
    block.add_ns_after = after;
    clock.judge(block);
    return block;
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(judged(0.300, 0.301).marked);
  EXPECT_FALSE(judged(0.31, 0.29).marked);
  EXPECT_EQ(judged(0.3, 0.4).note, "core clock -25 %");
  EXPECT_TRUE(judged(0.25, 0.3).marked);
}

TEST(CoreClock, UnknownMarksNothing) {
  CoreClock clock;
  Block block;
  block.add_ns_before = 0;
  block.add_ns_after = std::numeric_limits<double>::quiet_NaN();
  clock.judge(block);
  EXPECT_FALSE(block.marked);
}

}  // namespace
}  // namespace folioscope
