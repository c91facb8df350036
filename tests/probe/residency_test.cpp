// SPDX-License-Identifier: Apache-2.0
// What the probe promises whatever the machine; that it finds the right level is for tests/long/residency to say.
#include "probe/residency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "probe/made.hpp"

namespace folioscope {
namespace {

std::vector<LatencyLevel> const four{{"L1", 16_KiB, Nanoseconds(1.4)},
                                     {"L2", 128_KiB, Nanoseconds(4)},
                                     {"L3", 1_MiB, Nanoseconds(15)},
                                     {"memory", 64_MiB, Nanoseconds(150)}};

TEST(Sample, ReadsOnlyThePageAndWritesNothing) {
  alignas(4096) static std::byte page[4096];
  std::memset(page, 0xff, sizeof page);  // were a value to leak into an address, all ones would fault
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    auto const sample = sample_page(page, 4_KiB, {}, 0, random);
    EXPECT_EQ(sample.lines, 16u);
    EXPECT_GE(sample.per_line.value, 0);
  }
  for (auto byte : page) ASSERT_EQ(byte, std::byte{0xff});
}

TEST(Sample, TimesWholePagesWhereTheTickIsCoarse) {
  alignas(4096) static std::byte page[4096];
  Random random(1);
  EXPECT_EQ(sample_page(page, 4_KiB, {1, Nanoseconds(25), {}}, 0, random).lines, 63u);
  EXPECT_EQ(sample_page(page, 4_KiB, {1, Nanoseconds(1), Nanoseconds(40)}, 0, random).lines, 63u);
  EXPECT_EQ(sample_page(page, 128_B, {}, 0, random).lines, 1u);
  EXPECT_EQ(sample_page(page, 64_B, {}, 0, random).lines, 0u);
}

TEST(Budget, IsASixteenthOfTheL1OrOnePage) {
  EXPECT_EQ(samples_a_pass(32_KiB, 4_KiB, {}), 3u);
  EXPECT_EQ(samples_a_pass(128_KiB, 4_KiB, {}), 7u);
  EXPECT_EQ(samples_a_pass(32_KiB, 64_KiB, {}), 60u);
  EXPECT_EQ(samples_a_pass(32_KiB, 4_KiB, {1, Nanoseconds(40), {}}), 1u) << "at least one";
}

TEST(Made, PushesWithMoreThanTheNearerLevelHolds) {
  for (std::size_t level = 0; level < four.size(); ++level) {
    auto const sizes = pushing_sizes(four, level);
    ASSERT_FALSE(sizes.empty());
    for (Bytes const size : sizes)
      if (size.value != 0) {
        EXPECT_GT(size, four[level - 1].up_to);
      }
  }
  EXPECT_GT(pushing_sizes(four, 2).size(), 3u) << "what works is tried";
}

TEST(Made, GivesDistinctPagesInEveryLevel) {
  MadeStates made({four, 4_KiB, {}});
  Random random(1);
  for (std::size_t level = 0; level < four.size(); ++level) {
    auto pages = made.make(level, random);
    EXPECT_EQ(pages.size(), level == 0 ? 1u : 4u);
    std::ranges::sort(pages);
    EXPECT_EQ(std::ranges::adjacent_find(pages), pages.end());
  }
}

TEST(Probe, LooksWithAScaleOfItsOwn) {
  PageProbe probe({four, 4_KiB, {0.4, Nanoseconds(10), {}}, 1, 24});
  ASSERT_FALSE(probe.scale().levels.empty());
  EXPECT_EQ(probe.tested().size(), 4u);
  for (auto const& row : probe.tested()) {
    unsigned all = 0;
    for (unsigned n : row.seen) all += n;
    EXPECT_EQ(all, 12u) << row.made;
    EXPECT_EQ(row.seen.size(), probe.scale().levels.size());
  }
  Random random(1);
  auto const scale = probe.scale().levels;
  probe.push_anew(random);
  for (std::size_t i = 0; i < scale.size(); ++i) EXPECT_EQ(probe.scale().levels[i].up_to, scale[i].up_to);
  auto const again = probe.test(8, random);
  ASSERT_EQ(again.size(), 4u);
  for (auto const& row : again) EXPECT_LE(row.right, 1);
  alignas(4096) static std::byte page[4096];
  EXPECT_LT(probe.look(page, random).level, probe.scale().levels.size());
}

TEST(Probe, CannotTellWithoutLevels) {
  alignas(4096) static std::byte page[4096];
  Random random(1);
  for (auto const& levels : {std::vector<LatencyLevel>{}, std::vector<LatencyLevel>{four.back()}}) {
    PageProbe probe({levels, 4_KiB, {}, 1, 24});
    probe.push_anew(random);
    EXPECT_FALSE(probe.can_tell());
    EXPECT_TRUE(probe.test(8, random).empty());
    EXPECT_EQ(probe.look(page, random).level, 0u);
  }
}

}  // namespace
}  // namespace folioscope
