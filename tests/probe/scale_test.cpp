// SPDX-License-Identifier: Apache-2.0
// The scale on samples recorded on a real machine, as they are and as a coarser clock would have seen them.
#include "probe/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace folioscope {
namespace {

/// Samples of `lines` lines each, nearest level first.
std::vector<MadeLevel> recorded(unsigned lines) {
  std::ifstream file(FOLIOSCOPE_SOURCE_DIR "/tests/probe/amd-genoa-guest-samples.txt");
  std::vector<MadeLevel> made;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    unsigned timed = 0;
    MadeLevel level;
    if (!(words >> timed >> level.name) || timed != lines) continue;
    for (double ns = 0; words >> ns;) level.ns.push_back(ns);
    made.push_back(std::move(level));
  }
  return made;
}

/// As a clock of that tick would have seen the same spans.
std::vector<MadeLevel> through_clock(std::vector<MadeLevel> made, unsigned lines, double tick_ns) {
  Random random(7);
  for (MadeLevel& level : made)
    for (double& ns : level.ns) ns = quantised(Nanoseconds(ns * lines), Nanoseconds(tick_ns), random).value / lines;
  return made;
}

struct Halves {
  std::vector<MadeLevel> learnt, kept;
};
/// As they were taken: the first half makes the scale, the second tries it.
Halves halves(std::vector<MadeLevel> const& made) {
  Halves h{made, made};
  for (std::size_t i = 0; i < made.size(); ++i) {
    auto const half = static_cast<std::ptrdiff_t>(made[i].ns.size() / 2);
    h.learnt[i].ns.assign(made[i].ns.begin(), made[i].ns.begin() + half);
    h.kept[i].ns.assign(made[i].ns.begin() + half, made[i].ns.end());
  }
  return h;
}

std::vector<std::string> names_of(Scale const& scale) {
  std::vector<std::string> names;
  for (auto const& level : scale.levels) names.push_back(level.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Recorded, FourLevelsAreToldApart) {
  auto const [learnt, kept] = halves(recorded(16));
  ASSERT_EQ(kept.size(), 4u);
  Scale const scale = scale_of(learnt);
  EXPECT_EQ(names_of(scale), (Names{"L1", "L2", "L3", "memory"}));
  EXPECT_TRUE(scale.levels.back().is_memory);
  for (auto const& row : confusion(scale, kept)) {
    EXPECT_GE(row.right, 0.95) << row.made;
    unsigned all = 0;
    for (unsigned n : row.seen) all += n;
    EXPECT_EQ(all, 120u);
  }
}

class CoarseTick : public testing::TestWithParam<double> {};

TEST_P(CoarseTick, WholePagesStillTellLevelsApartAndWhatIsNotToldIsMerged) {
  auto const [learnt, kept] = halves(through_clock(recorded(63), 63, GetParam()));
  Scale const scale = scale_of(learnt);
  ASSERT_GE(scale.levels.size(), 2u);
  EXPECT_EQ(scale.levels.back().name, "memory");
  for (auto const& row : confusion(scale, kept)) EXPECT_GE(row.right, 0.95) << row.made;
}

TEST_P(CoarseTick, MakesNoLevelsOutOfNothing) {
  auto const made = through_clock(recorded(16), 16, GetParam());
  Scale const scale = scale_of(made);
  for (std::size_t i = 1; i < scale.levels.size(); ++i) EXPECT_GT(scale.levels[i].up_to, scale.levels[i - 1].up_to);
  for (auto const& row : confusion(scale, made)) EXPECT_GE(row.right, 0.95) << row.made << " should have been merged";
}

INSTANTIATE_TEST_SUITE_P(Ticks, CoarseTick, testing::Values(10, 25, 40),
                         [](auto const& tick) { return std::to_string(static_cast<int>(tick.param)); });

TEST(Coarse, SixteenLinesOfNearLevelsAreOneLevelToATickOf40) {
  auto const made = through_clock(recorded(16), 16, 40);
  Scale const scale = scale_of(made);
  EXPECT_EQ(scale.levels.front().name, "L1/L2");
  EXPECT_EQ(scale.levels.front().nearest, "L1");
  EXPECT_TRUE(scale.holds(0, "L1"));
  EXPECT_TRUE(scale.holds(0, "L2"));
  EXPECT_FALSE(scale.holds(0, "L"));
  EXPECT_FALSE(scale.holds(0, "memory"));
}

TEST(Coarse, ATickLongerThanAnySampleLeavesNothing) {
  Scale const scale = scale_of(through_clock(recorded(16), 16, 1e6));
  ASSERT_EQ(scale.levels.size(), 1u);
  EXPECT_EQ(scale.levels[0].name, "L1/L2/L3/memory");
  EXPECT_FALSE(scale.levels[0].is_memory) << "a merged level is not memory";
}

TEST(Coarse, QuantisingKeepsTheMeanAndGivesWholeTicks) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    auto const ns = quantised(Nanoseconds(33), Nanoseconds(40), random).value;
    EXPECT_TRUE(ns == 0 || ns == 40) << ns;
    sum += ns;
  }
  EXPECT_NEAR(sum / 20000, 33, 1);
  EXPECT_EQ(quantised(Nanoseconds(33), Nanoseconds(0), random).value, 33);
}

std::vector<MadeLevel> made_of(std::vector<std::pair<std::string, std::vector<double>>> const& levels) {
  std::vector<MadeLevel> made;
  for (auto const& [name, ns] : levels) made.push_back({name, ns});
  return made;
}

TEST(Scale, CutsInTheGap) {
  auto const made = made_of({{"L1", {1, 1.1, 1.2}}, {"memory", {100, 110, 120}}});
  Scale const scale = scale_of(made);
  ASSERT_EQ(scale.levels.size(), 2u);
  EXPECT_NEAR(scale.levels[0].up_to.value, std::sqrt(1.2 * 100), 1e-9);
  EXPECT_EQ(scale.levels[1].up_to.value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(scale.level_of(Nanoseconds(0)), 0u);
  EXPECT_EQ(scale.level_of(Nanoseconds(1e9)), 1u);
}

TEST(Scale, AFartherLevelThatLooksNearerIsMerged) {
  // As when pages pushed out of the L1 were not: the L2's samples look like the L1's.
  auto const made = made_of({{"L1", {4, 4.1, 4.2}}, {"L2", {1, 1.1, 1.2}}, {"memory", {100, 110}}});
  EXPECT_EQ(names_of(scale_of(made)), (Names{"L1/L2", "memory"}));
}

TEST(Scale, SurvivesEmptyAndBrokenSamples) {
  EXPECT_TRUE(scale_of(std::span<MadeLevel const>()).levels.empty());
  EXPECT_TRUE(scale_of(made_of({{"L1", {}}, {"memory", {}}})).levels.empty());
  EXPECT_EQ(names_of(scale_of(made_of({{"L1", {}}, {"L2", {4, 4}}, {"memory", {NAN, 100, -1}}}))),
            (Names{"L1/L2", "memory"}));
  EXPECT_EQ(Scale{}.level_of(Nanoseconds(5)), 0u);
}

TEST(Scale, WhatTheCurveShowsAsOneIsHeldByItsFirstName) {
  Scale const scale = scale_of(made_of({{"L1", {1, 1.1}}, {"L2/L3", {5, 12}}, {"memory", {100, 110}}}));
  EXPECT_EQ(names_of(scale), (Names{"L1", "L2/L3", "memory"}));
  EXPECT_TRUE(scale.holds(1, "L2/L3"));
  EXPECT_FALSE(scale.holds(2, "L2/L3"));
}

TEST(Scale, FromACurveCutsHalfWayInRatio) {
  std::vector<LatencyLevel> const levels{
      {"L1", 32_KiB, Nanoseconds(1)}, {"L2", 1_MiB, Nanoseconds(4)}, {"memory", 1_GiB, Nanoseconds(100)}};
  Scale const scale = scale_of(levels);
  EXPECT_EQ(names_of(scale), (Names{"L1", "L2", "memory"}));
  EXPECT_EQ(scale.levels[0].up_to.value, 2);
  EXPECT_EQ(scale.levels[1].up_to.value, 20);
  EXPECT_TRUE(scale.levels[2].is_memory);
}

}  // namespace
}  // namespace folioscope
