// SPDX-License-Identifier: Apache-2.0
// When a campaign ends and what it then says: precision, budget, placements, signals, failures, refusals; and how it
// goes on.
#include <algorithm>

#include "campaign/precision.hpp"
#include "fake.hpp"
#include "stats/verdict.hpp"

namespace folioscope::campaign_test {
namespace {

using Stopping = OnFakeMachine;

TEST_F(Stopping, NarrowRatiosEndItAtTheFewestPlacements) {
  Plan const plan = plan_of(1, 4);
  Outcome const outcome = go(plan);
  EXPECT_EQ(outcome.stop_reason, "every ratio is narrow enough");
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_EQ(outcome.blocks, 30u);
  Campaign const c = recorded();
  EXPECT_EQ(c.placements.size(), 10u);
  EXPECT_EQ(c.header.stop_reason, outcome.stop_reason);
  EXPECT_TRUE(c.header.complete);
}

TEST_F(Stopping, NoisyRatiosGoOnUntilTheyAreNarrow) {
  Plan const plan = plan_of(1, 2);
  subject.noise = 0.2;
  EXPECT_EQ(go(plan).stop_reason, "every ratio is narrow enough");
  Campaign const c = recorded();
  EXPECT_GT(c.placements.size(), 10u);
  for (double width : relative_half_widths(c)) EXPECT_LE(width, plan.precision);
  Campaign before = c;
  before.blocks.resize(before.blocks.size() - 3);  // one placement fewer was not enough
  auto const widths = relative_half_widths(before);
  EXPECT_GT(*std::ranges::max_element(widths), plan.precision);
}

TEST_F(Stopping, TheIncrementalWidthsAreThoseOfTheVerdicts) {
  Plan plan = plan_of(3, 4);
  plan.min_placements = plan.max_placements = 4;
  subject.noise = 0.3;
  subject.lost_at_run = {{5, 7}};
  go(plan);
  Campaign c = recorded();
  ASSERT_EQ(c.refused.size(), 1u);
  c.refused.clear();
  auto const widths = Precision(c).half_widths(), expected = relative_half_widths(c);
  ASSERT_EQ(widths.size(), expected.size());
  ASSERT_EQ(widths.size(), 12u);
  for (std::size_t i = 0; i < widths.size(); ++i) EXPECT_NEAR(widths[i], expected[i], 1e-12);
}

TEST_F(Stopping, TheBudgetIsNeverOverspent) {
  Plan plan = plan_of(2, 8);  // 20 turns of 10 ms: 0.2 s a block, 0.1 s a placement
  plan.precision = 0;
  plan.budget = Nanoseconds(30e9);
  already_spent_s = 2;
  double const began = subject.now_s;
  Outcome const outcome = go(plan);
  EXPECT_EQ(outcome.stop_reason, "budget spent");
  double const spent = already_spent_s + subject.now_s - began;
  EXPECT_LE(spent, 30);
  EXPECT_GT(spent, 29.5) << "another block would have fitted";
  EXPECT_EQ(recorded().placements.size(), 40u);
}

TEST_F(Stopping, BlocksAPlacementShrinkWithTheBudget) {
  Plan plan = plan_of(2, 8);
  plan.precision = 0;
  plan.budget = Nanoseconds(5.1e9);  // ten placements of two blocks
  EXPECT_EQ(go(plan).stop_reason, "budget spent");
  Campaign const two = recorded();
  EXPECT_EQ(two.placements.size(), 10u);
  EXPECT_EQ(two.blocks.size(), 20u);

  plan.budget = Nanoseconds(3.1e9);  // of one
  EXPECT_EQ(go(plan).stop_reason, "budget spent; one block a placement, since two did not fit");
  EXPECT_EQ(recorded().placements.size(), 10u);

  plan.budget = Nanoseconds(1.6e9);  // not even that
  EXPECT_EQ(go(plan).stop_reason,
            "budget spent after 5 of 10 placements; one block a placement, since two did not fit");
}

TEST_F(Stopping, ABudgetShorterThanABlockGivesOneBlock) {
  Plan plan = plan_of(2, 8);
  plan.budget = Nanoseconds(1e6);
  EXPECT_EQ(go(plan).blocks, 1u);
  EXPECT_TRUE(recorded().header.complete);
}

TEST_F(Stopping, TheMostPlacementsEndIt) {
  Plan plan = plan_of(1, 2);
  plan.precision = 0;
  plan.max_placements = 12;
  EXPECT_EQ(go(plan).stop_reason, "12 placements, the most the plan allows");
  EXPECT_EQ(recorded().placements.size(), 12u);
}

TEST_F(Stopping, WithoutRatiosTheFewestPlacementsAreEnough) {
  EXPECT_EQ(go(plan_of(2, 0)).stop_reason, "as many placements as asked for");
  EXPECT_EQ(recorded().placements.size(), 10u);
}

TEST_F(Stopping, ASignalDropsTheBlockInFlightAndResumeGoesOn) {
  Plan const plan = plan_of(1, 4);
  int runs = 0;
  subject.on_run = [&] { stop = ++runs == 6 * 4 + 2; };  // in the fifth block, the second of its placement
  Outcome const outcome = go(plan);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(outcome.stop_reason, "interrupted");
  Campaign const before = recorded();
  EXPECT_FALSE(before.header.complete);
  EXPECT_EQ(before.blocks.size(), 4u);
  EXPECT_EQ(before.samples.size(), 24u);
  EXPECT_EQ(before.placements.back().evidence["left"], Json(true));

  stop = false;
  subject.on_run = nullptr;
  subject.places.clear();
  EXPECT_EQ(go(plan, true).stop_reason, "every ratio is narrow enough");
  Campaign const after = recorded();
  EXPECT_EQ(after.header.id, before.header.id);
  EXPECT_TRUE(after.header.complete);
  EXPECT_EQ(subject.places.front(), 2u) << "a new draw of memory is a new placement";
  EXPECT_EQ(after.placements.size(), 10u);
  for (std::uint32_t i = 0; i < after.blocks.size(); ++i) EXPECT_EQ(after.blocks[i].id, i);
  EXPECT_EQ(after.samples.size(), after.blocks.size() * 6);
}

TEST_F(Stopping, AResumedCampaignRunsTheBlocksItWouldHaveRun) {
  Plan plan = plan_of(1, 4);
  plan.min_placements = plan.max_placements = 4;
  go(plan);
  Campaign const whole = recorded();
  subject.on_run = [&, runs = 0]() mutable { stop = ++runs == 20; };  // in block 3, the first of a placement
  go(plan);
  stop = false;
  subject.on_run = nullptr;
  go(plan, true);
  Campaign const parts = recorded();
  ASSERT_EQ(parts.samples.size(), whole.samples.size());
  for (std::size_t i = 0; i < whole.samples.size(); ++i) {
    EXPECT_EQ(parts.samples[i].cell, whole.samples[i].cell);
    EXPECT_EQ(parts.samples[i].arm, whole.samples[i].arm);
    EXPECT_EQ(parts.samples[i].wall, whole.samples[i].wall);
  }
}

TEST_F(Stopping, ResumeHasWhatIsLeftOfTheBudget) {
  Plan plan = plan_of(2, 8);
  plan.precision = 0;
  plan.budget = Nanoseconds(10e9);
  subject.on_run = [&, runs = 0]() mutable { stop = ++runs == 20 * 20; };
  go(plan);
  stop = false;
  subject.on_run = nullptr;
  double const recorded_s = static_cast<double>(recorded().blocks.size()) * 0.2;
  double const began = subject.now_s;
  EXPECT_EQ(go(plan, true).stop_reason, "budget spent");
  EXPECT_LE(subject.now_s - began, 10 - recorded_s);
  EXPECT_GT(subject.now_s - began, 10 - recorded_s - 0.5);
}

TEST_F(Stopping, AFailureKeepsTheBlocksAndIsNoCompleteCampaign) {
  Plan const plan = plan_of(1, 4);
  subject.on_run = [&, runs = 0]() mutable {
    if (++runs == 15) throw Error("the clock ran backwards", "measure", "");
  };
  EXPECT_THROW(go(plan), Error);
  Campaign const c = recorded();
  EXPECT_EQ(c.blocks.size(), 2u);
  EXPECT_FALSE(c.header.complete);
  EXPECT_NE(c.header.stop_reason.find("the clock ran backwards"), std::string::npos);
}

TEST_F(Stopping, ACellRefusedWhileItRunsLeavesTheOthersAlone) {
  Plan const plan = plan_of(1, 4);
  subject.lost_at_run = {{2, 4}};
  EXPECT_EQ(go(plan).stop_reason, "every ratio is narrow enough");
  Campaign const c = recorded();
  ASSERT_EQ(c.refused.size(), 1u);
  EXPECT_EQ(c.refused[0].cell, 2u);
  EXPECT_EQ(c.refused[0].placement, 1u);
  EXPECT_EQ(c.refused[0].refusal.reason, "lost while it ran");
  EXPECT_EQ(std::ranges::count(c.samples, 2u, &Sample::cell), 4);
  EXPECT_EQ(std::ranges::count(c.samples, 3u, &Sample::cell), 30);
}

TEST_F(Stopping, ACellRefusedAtTheEndOfAPlacementNamesIt) {
  Plan const plan = plan_of(1, 4);
  subject.lost_at_leave = {{3, 2}};
  go(plan);
  Campaign const c = recorded();
  ASSERT_EQ(c.refused.size(), 1u);
  EXPECT_EQ(c.refused[0].cell, 3u);
  EXPECT_EQ(c.refused[0].placement, 2u);
  EXPECT_EQ(std::ranges::count(c.samples, 3u, &Sample::cell), 9);
}

TEST_F(Stopping, RunsRefusedEachTimeAreRecordedOnce) {
  Plan const plan = plan_of(1, 4);
  subject.never = {1};
  EXPECT_EQ(go(plan).stop_reason, "every ratio is narrow enough") << "of those that can be had";
  Campaign const c = recorded();
  ASSERT_EQ(c.plan.refusals.size(), 1u);
  EXPECT_EQ(c.plan.refusals[0].reason, "the pass took no time");
  EXPECT_EQ(std::ranges::count(c.samples, 1u, &Sample::cell), 0);
}

TEST_F(Stopping, NothingLeftToMeasureEndsIt) {
  Plan const plan = plan_of(1, 1);
  subject.lost_at_run = {{0, 3}, {1, 3}};
  EXPECT_EQ(go(plan).stop_reason, "every cell was refused");
  subject.lost_at_run.clear();
  subject.never = {0, 1};
  EXPECT_EQ(go(plan).stop_reason, "every cell was refused");
  EXPECT_TRUE(recorded().blocks.empty());
}

TEST_F(Stopping, ProgressIsRareAndItsTimeLeftHonest) {
  Plan plan = plan_of(2, 8);
  plan.precision = 0;
  plan.budget = Nanoseconds(30e9);
  double const began = subject.now_s;
  go(plan);
  double const end = subject.now_s;
  ASSERT_GT(told.size(), 100u);
  for (std::size_t i = 0; i < told.size(); ++i) {
    auto const& [at, p] = told[i];
    if (i > 0) {
      EXPECT_GE(at - told[i - 1].first, 0.1);
    }
    EXPECT_NEAR(p.elapsed_s, at - began, 1e-9);
    EXPECT_NEAR(p.left_s, end - at, 0.6);
    EXPECT_LE(p.cells_done, p.cells_in_block);
  }
  EXPECT_EQ(told.back().second.placements, recorded().placements.size());
}

TEST_F(Stopping, TimeLeftFollowsThePrecisionWhereThatIsNearer) {
  Plan plan = plan_of(2, 8);
  plan.budget = Nanoseconds(3600e9);
  go(plan);
  double const end = subject.now_s;
  auto const half = told[told.size() / 2];
  EXPECT_EQ(half.second.precise_share, 1);
  EXPECT_NEAR(half.second.left_s, end - half.first, 1);
}

}  // namespace
}  // namespace folioscope::campaign_test
