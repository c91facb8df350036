// SPDX-License-Identifier: Apache-2.0
// What no machine can have given is left out, counted, and everything else stays as it is.
#include "record/plausible.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace folioscope {
namespace {

using testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Two cells of 2 MiB, the second of a kernel that stores nothing; a sample of each, a count, a point, a block.
Campaign sound() {
  Campaign c;
  for (char const* name : {"rep_stosb", "empty"}) {
    PlannedCell planned;
    planned.cell.kernel = name;
    planned.cell.footprint = 2_MiB;
    c.plan.cells.push_back(planned);
  }
  KernelContract none;
  none.name = "empty";
  none.store = StoreKind::none;
  c.kernels.push_back(none);
  Sample s;
  s.wall = Nanoseconds(60000);
  s.cell = 0;
  c.samples.push_back(s);
  s.cell = 1;
  s.wall = Nanoseconds(20);
  c.samples.push_back(s);
  Reading r;
  r.value = 32768;
  c.readings.push_back(r);
  c.points.push_back({"latency.idle", "", 4096, 1.2, {}, {}});
  Block b;
  b.steal_s = 0.25;
  b.add_ns_before = b.add_ns_after = 0.3;
  c.blocks.push_back(b);
  return c;
}

TEST(Plausible, WhatAMachineCanHaveGivenStays) {
  Campaign const c = plausible(sound());
  EXPECT_EQ(c.samples.size(), 2u);
  EXPECT_EQ(c.readings.size(), 1u);
  EXPECT_EQ(c.points.size(), 1u);
  EXPECT_EQ(c.blocks.at(0).steal_s, 0.25);
  EXPECT_EQ(c.left_out, "");
}

TEST(Plausible, FasterThanAnyCoreCanStoreIsLeftOut) {
  Campaign c = sound();
  for (Sample& s : c.samples) s.copies = std::numeric_limits<std::uint32_t>::max();
  c = plausible(c);
  ASSERT_EQ(c.samples.size(), 1u) << "what stores nothing has no such limit";
  EXPECT_EQ(c.samples[0].cell, 1u);
  EXPECT_EQ(c.left_out, "Left out, as damaged: 1 sample faster than any core can store (1 TB/s).");
  Campaign fast = sound();
  fast.samples[0].wall = Nanoseconds(2098);  // 2 MiB at 1 TB/s
  EXPECT_EQ(plausible(fast).samples.size(), 2u);
  fast.samples[0].wall = Nanoseconds(2097);
  EXPECT_EQ(plausible(fast).samples.size(), 1u);
}

TEST(Plausible, ALevelWithoutBoundStays) {
  Campaign c = sound();
  c.points.push_back({"probe.level", "memory", std::numeric_limits<double>::quiet_NaN(), 150, {}, {}});
  EXPECT_EQ(plausible(c).points.size(), c.points.size()) << "the record has null there";
  c.points.back().x = infinite;
  EXPECT_EQ(plausible(c).points.size(), c.points.size() - 1);
}

TEST(Plausible, FiguresThatAreNoneAreLeftOut) {
  for (double const wrong : {infinite, -infinite, std::numeric_limits<double>::quiet_NaN(), 1e308, -1.0}) {
    Campaign c = sound();
    c.samples[0].wall = Nanoseconds(wrong);
    c.samples[1].state = Nanoseconds(wrong);
    c.blocks[0].steal_s = c.blocks[0].elapsed.value = wrong;
    c.readings[0].running = Nanoseconds(wrong);
    c.points.push_back({"latency.idle", "", 1, wrong == -1 ? 1e300 : wrong, {}, {}});
    c = plausible(c);
    EXPECT_TRUE(c.samples.empty()) << wrong;
    EXPECT_TRUE(c.readings.empty()) << wrong;
    EXPECT_EQ(c.points.size(), 1u) << wrong;
    EXPECT_EQ(c.blocks[0].steal_s, 0) << wrong;
    EXPECT_EQ(c.blocks[0].elapsed.value, 0) << wrong;
    EXPECT_EQ(c.blocks[0].add_ns_before, 0.3) << "what is sound stays";
    for (char const* part : {"2 samples with a time", "1 count ", "1 point ", "1 block "})
      EXPECT_THAT(c.left_out, HasSubstr(part)) << wrong;
  }
}

}  // namespace
}  // namespace folioscope
