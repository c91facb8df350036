// SPDX-License-Identifier: Apache-2.0
// Every block is complete and in random order, the same again from the same seed.
#include <gmock/gmock.h>

#include <algorithm>

#include "campaign/schedule.hpp"
#include "fake.hpp"

namespace folioscope::campaign_test {
namespace {

std::vector<std::pair<std::uint32_t, Arm>> turns_of(Campaign const& c, std::uint32_t block) {
  std::vector<std::pair<std::uint32_t, Arm>> turns;
  for (Sample const& s : c.samples)
    if (s.block == block) turns.emplace_back(s.cell, s.arm);
  return turns;
}

using Blocks = OnFakeMachine;

TEST_F(Blocks, EveryBlockRunsEveryCellOnceAndReferencesTwice) {
  Plan plan = plan_of(3, 4);
  plan.precision = 0;
  plan.max_placements = 5;
  plan.budget = Nanoseconds(1e12);
  go(plan);
  Campaign const c = recorded();
  ASSERT_EQ(c.blocks.size(), 15u);
  std::vector<std::pair<std::uint32_t, Arm>> expected;
  for (std::uint32_t i = 0; i < plan.cells.size(); ++i) expected.emplace_back(i, Arm::first);
  for (std::uint32_t i = 0; i < 3; ++i) expected.emplace_back(i, Arm::again);
  std::set<std::vector<std::pair<std::uint32_t, Arm>>> orders;
  int again_later = 0;
  for (Block const& b : c.blocks) {
    auto const turns = turns_of(c, b.id);
    EXPECT_THAT(turns, testing::UnorderedElementsAreArray(expected));
    orders.insert(turns);
    for (std::uint32_t r = 0; r < 3; ++r)
      again_later +=
          std::ranges::find(turns, std::pair(r, Arm::first)) < std::ranges::find(turns, std::pair(r, Arm::again));
    EXPECT_EQ(b.placement, b.id / 3);
  }
  EXPECT_GT(again_later, 0) << "either run may be the earlier, or drift within a block would look like a difference";
  EXPECT_LT(again_later, 45);
  EXPECT_EQ(orders.size(), c.blocks.size()) << "18 turns have 6.4e15 orders: no two blocks share one";
}

TEST_F(Blocks, EveryCellMeetsEveryPositionAlike) {
  Plan const plan = plan_of(1, 3);
  std::vector<bool> const measured(plan.cells.size(), true);
  constexpr int blocks = 20000;
  std::vector<std::vector<int>> seen(plan.cells.size(), std::vector<int>(5));
  for (std::uint32_t b = 0; b < blocks; ++b) {
    Random random = random_of_block(plan, b);
    auto const turns = block_order(plan, measured, {}, random);
    ASSERT_EQ(turns.size(), 5u);
    for (std::size_t i = 0; i < turns.size(); ++i) ++seen[turns[i].cell][i];
  }
  // A fixed seed: 6 standard deviations of a binomial count are room enough.
  for (std::uint32_t cell = 0; cell < plan.cells.size(); ++cell)
    for (int const count : seen[cell]) EXPECT_NEAR(count, blocks / 5 * (cell == 0 ? 2 : 1), 6 * 70);
}

TEST_F(Blocks, CellsOfAPartRunTogetherAndEveryPartMeetsEveryPlace) {
  Plan const plan = plan_of(2, 2);
  std::vector<bool> measured(plan.cells.size(), true);
  measured[1] = false;
  std::vector<std::uint32_t> const parts{0, 1, 1, 2, 2, 2};
  ASSERT_EQ(parts.size(), plan.cells.size());
  std::set<std::vector<std::uint32_t>> orders_of_parts, orders_of_cells;
  for (std::uint32_t b = 0; b < 200; ++b) {
    Random random = random_of_block(plan, b);
    std::vector<std::uint32_t> places, cells;
    for (Turn const& turn : block_order(plan, measured, parts, random)) {
      if (places.empty() || places.back() != parts[turn.cell]) places.push_back(parts[turn.cell]);
      if (parts[turn.cell] == 2) cells.push_back(turn.cell);
    }
    EXPECT_EQ(places.size(), 3u) << "none is left and come back to";
    orders_of_parts.insert(places);
    orders_of_cells.insert(cells);
  }
  EXPECT_EQ(orders_of_parts.size(), 6u);
  EXPECT_EQ(orders_of_cells.size(), 6u);
}

TEST_F(Blocks, TheSeedDecidesTheOrder) {
  Plan plan = plan_of(2, 5);
  plan.max_placements = plan.min_placements = 2;
  go(plan);
  auto const first = subject.runs;
  subject.runs.clear();
  go(plan);
  EXPECT_EQ(subject.runs, first);
  subject.runs.clear();
  plan.seed = 2;
  go(plan);
  EXPECT_NE(subject.runs, first);
}

TEST_F(Blocks, TimesAndEvidenceAreKept) {
  Plan plan = plan_of(1, 1);
  plan.min_placements = plan.max_placements = 2;
  plan.blocks_per_placement = 2;
  go(plan);
  Campaign const c = recorded();
  ASSERT_EQ(c.placements.size(), 2u);
  EXPECT_EQ(subject.left, 2u);
  EXPECT_EQ(c.placements[0].common_frames, 0.5);
  EXPECT_EQ(c.placements[0].evidence, Json::object({{"entered", true}, {"left", true}}));
  ASSERT_EQ(c.blocks.size(), 4u);
  EXPECT_NEAR(c.blocks[0].elapsed.value, 3 * 0.01e9, 1);
  EXPECT_NEAR(c.blocks[0].clearing.value, 3 * 0.006e9, 0.001 * 3 * 0.006e9);
  EXPECT_NEAR(c.blocks[0].making_state.value, 3 * 0.004e9, 1);
  EXPECT_NEAR(c.blocks[1].started_s, 0.1 + 0.03, 1e-6);
  EXPECT_FALSE(c.blocks[0].marked);
}

TEST_F(Blocks, PointsThatRunsShowAreKeptWithCellAndBlock) {
  subject.shows = true;
  subject.lost_at_run[1] = 1;
  Plan plan = plan_of(1, 2);
  plan.max_placements = 1;
  plan.min_placements = 1;
  go(plan);
  Campaign const c = recorded();
  ASSERT_FALSE(c.points.empty());
  std::size_t kept = 0;
  for (Point const& p : c.points) {
    ASSERT_TRUE(p.cell && p.block);
    EXPECT_EQ(p.x, *p.cell) << "the run's own cell";
    kept += *p.block == 0;
  }
  EXPECT_EQ(kept, 4U) << "the reference twice, each order once";
  for (Point const& p : c.points) EXPECT_TRUE(*p.block == 0 || *p.cell != 1U) << "lost on the way: nothing of that run";
}

TEST_F(Blocks, ADisturbedBlockIsMarkedAndSaysWhy) {
  Plan plan = plan_of(1, 1);
  plan.min_placements = plan.max_placements = 2;
  subject.add_ns_at[7] = 0.33;  // behind the fourth block
  subject.on_run = [&, runs = 0]() mutable { subject.clock_source_changed = ++runs > 15; };
  go(plan);
  Campaign const c = recorded();
  ASSERT_EQ(c.blocks.size(), 6u);
  for (std::uint32_t b : {0u, 1u, 2u, 4u}) EXPECT_FALSE(c.blocks[b].marked) << b;
  EXPECT_TRUE(c.blocks[3].marked);
  EXPECT_EQ(c.blocks[3].note, "core clock -9 %");
  EXPECT_TRUE(c.blocks[5].marked);
  EXPECT_EQ(c.blocks[5].note, "clock source changed");
}

}  // namespace
}  // namespace folioscope::campaign_test
