// SPDX-License-Identifier: Apache-2.0
#include "stats/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/comparisons.hpp"
#include "stats/runs.hpp"
#include "synthetic/synthetic.hpp"

namespace folioscope {
namespace {

using synthetic::Grid;
using synthetic::plan_of;

Campaign campaign_of(Grid const& grid, std::vector<std::pair<std::string, double>> ratios, synthetic::Noise noise,
                     std::uint32_t placements = 10, std::uint64_t seed = 7) {
  return synthetic::campaign({.plan = plan_of(grid),
                              .true_ns = synthetic::by_order(std::move(ratios)),
                              .noise = noise,
                              .placements = placements,
                              .seed = seed});
}

Verdict const& verdict_on(Judgement const& j, Campaign const& c, std::string_view order) {
  auto const it =
      std::ranges::find_if(j.verdicts, [&](Verdict const& v) { return c.plan.cells[v.cell].cell.order == order; });
  EXPECT_NE(it, j.verdicts.end()) << order;
  return *it;
}

// Reference values: R 4.2, t.test(log(c(...))), and the tables of Student's t.
TEST(Estimate, IsTheTIntervalOfTheMean) {
  double const x[] = {0.1, 0.2, 0.3, 0.4, 0.5};
  Estimate const e = estimate(x);
  EXPECT_EQ(e.n, 5u);
  EXPECT_NEAR(std::log(e.ratio), 0.3, 1e-12);
  double const error = std::sqrt(0.025 / 5);
  EXPECT_NEAR(std::log(e.ci->high), 0.3 + 2.776445 * error, 1e-6);
  EXPECT_NEAR(std::log(e.ci->low), 0.3 - 2.776445 * error, 1e-6);
  EXPECT_NEAR(std::log(e.ci90->high), 0.3 + 2.131847 * error, 1e-6);
  EXPECT_NEAR(e.p, 0.01324, 1e-4);  // t = 4.2426, 4 degrees
}

TEST(Estimate, SaysNothingItCannotKnow) {
  EXPECT_EQ(estimate({}).n, 0u);
  double const one[] = {0.5};
  EXPECT_FALSE(estimate(one).ci);
  EXPECT_EQ(estimate(one).p, 1);
  double const holes[] = {0.5, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 0.5};
  EXPECT_EQ(estimate(holes).n, 2u);
}

TEST(Estimate, OfEqualValuesHasNoWidth) {
  std::vector<double> const same(12, 0.25);
  Estimate const e = estimate(same);
  EXPECT_NEAR(e.ci->low, e.ci->high, 1e-12);
  EXPECT_LT(e.p, 1e-6);
  EXPECT_EQ(estimate(std::vector<double>(12, 0.0)).p, 1);
}

TEST(Difference, IsWelchs) {
  double const a[] = {1.0, 1.2, 1.4, 1.6};
  double const b[] = {0.1, 0.1, 0.2, 0.2, 0.3};
  Estimate const e = estimate_difference(a, b);
  EXPECT_NEAR(std::log(e.ratio), 1.3 - 0.18, 1e-12);
  // va = 0.0666667/4, vb = 0.007/5: t = 8.3345, 3.52 degrees.
  EXPECT_NEAR(e.p, 0.0019, 4e-4);
  EXPECT_FALSE(estimate_difference(a, std::span(b, 1)).ci);
}

TEST(Holm, AdjustsAsPublished) {
  double const p[] = {0.01, 0.04, 0.03, 0.005};
  auto const adjusted = holm(p);
  EXPECT_NEAR(adjusted[0], 0.03, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.02, 1e-12);
  EXPECT_TRUE(holm({}).empty());
  double const certain[] = {0.9, 1.0};
  EXPECT_EQ(holm(certain)[0], 1);
}

TEST(Judge, TellsSlowerFasterAndNoDifference) {
  Campaign const c = campaign_of({.orders = {"reverse", "random", "far_ascending"}},
                                 {{"reverse", 3.1}, {"random", 1.0}, {"far_ascending", 0.8}}, {.pass = 0.005});
  Judgement const j = judge({&c, 1});
  ASSERT_EQ(j.verdicts.size(), 3u);
  EXPECT_EQ(verdict_on(j, c, "reverse").verdict, Finding::slower);
  EXPECT_NEAR(verdict_on(j, c, "reverse").estimate.ratio, 3.1, 0.05);
  EXPECT_EQ(verdict_on(j, c, "far_ascending").verdict, Finding::faster);
  EXPECT_EQ(verdict_on(j, c, "random").verdict, Finding::no_difference);
  EXPECT_NEAR(verdict_on(j, c, "reverse").reference_time.value, 58000, 2000);
}

TEST(Judge, DoesNotTellWhatNoiseHides) {
  // What differs from placement to placement between two cells is in no A/A comparison, only in the interval.
  Campaign const c = campaign_of({}, {{"reverse", 1.05}}, {.pass = 0.01, .placement_cell = 0.2});
  Verdict const v = judge({&c, 1}).verdicts.at(0);
  EXPECT_EQ(v.verdict, Finding::cannot_tell);
  EXPECT_FALSE(v.why.empty());
}

TEST(Judge, NoDifferenceOnANoisyMachineIsNoDifferenceAboveItsNoise) {
  Campaign const c = campaign_of({}, {{"reverse", 1.0}}, {.pass = 0.3});
  Verdict const v = judge({&c, 1}).verdicts.at(0);
  EXPECT_GT(v.delta, 0.1);
  EXPECT_NE(v.verdict, Finding::slower);
}

TEST(Judge, NeedsTenPlacements) {
  Campaign const nine = campaign_of({}, {{"reverse", 3.0}}, {.pass = 0.01}, 9);
  Judgement const few = judge({&nine, 1});
  EXPECT_EQ(few.verdicts[0].verdict, Finding::cannot_tell);
  EXPECT_NE(few.verdicts[0].why.find("9 placements"), std::string::npos);
  EXPECT_TRUE(few.verdicts[0].estimate.ci);
  Campaign const ten = campaign_of({}, {{"reverse", 3.0}}, {.pass = 0.01}, 10);
  EXPECT_EQ(judge({&ten, 1}).verdicts[0].verdict, Finding::slower);
}

TEST(Judge, ASmallButCertainDifferenceIsNotSlower) {
  Campaign const c = campaign_of({}, {{"reverse", 1.01}}, {.pass = 0.001}, 30);
  Verdict const v = judge({&c, 1}).verdicts[0];
  EXPECT_LT(v.p_holm, 0.05);
  EXPECT_EQ(v.verdict, Finding::no_difference);  // within the 2 % that count as nothing
}

TEST(Judge, DeltaIsTheNoiseOfTheStratum) {
  Campaign const c = campaign_of({.states = {State::cold, State::hot}}, {{"reverse", 1.0}}, {.pass = 0.1});
  Judgement const j = judge({&c, 1});
  ASSERT_EQ(j.noise.size(), 2u);
  for (StratumNoise const& n : j.noise) {
    Runs const runs(c);
    for (std::uint32_t i = 0; i < c.plan.cells.size(); ++i) {
      Cell const& cell = c.plan.cells[i].cell;
      if (!is_reference(cell) || stratum_of(cell) != n.stratum) continue;
      Estimate const e = estimate(runs.aa_log_ratios(i));  // one kernel in the stratum: its own half-width
      EXPECT_NEAR(*n.smallest_effect, std::sqrt(e.ci->high / e.ci->low) - 1, 1e-9);
    }
    EXPECT_GT(*n.smallest_effect, 0.02);
  }
  for (Verdict const& v : j.verdicts) EXPECT_GT(v.delta, 0.02);
}

TEST(Judge, ComparesKernelsAndCallsWithLinuxsOwn) {
  Campaign const c =
      campaign_of({.kernels = {"nothing", "rep_stosb", "movnti"}, .calls = {4096, 2u << 20}}, {}, {.pass = 0.01});
  Judgement const j = judge({&c, 1});
  int baseline = 0;
  for (Verdict const& v : j.verdicts) {
    EXPECT_NE(c.plan.cells[v.cell].cell.kernel, "nothing");
    if (!v.against_baseline) continue;
    ++baseline;
    Cell const& base = c.plan.cells[v.reference].cell;
    EXPECT_EQ(base.kernel, "rep_stosb");
    EXPECT_EQ(base.call, Bytes(4096));
    EXPECT_TRUE(is_reference(base));
  }
  EXPECT_EQ(baseline, 3);  // rep_stosb in one call, movnti in both
}

TEST(Judge, FamilyIsAllCampaignsGiven) {
  std::vector<Campaign> const both{campaign_of({}, {{"reverse", 1.03}}, {.pass = 0.02}, 10, 1),
                                   campaign_of({}, {{"reverse", 1.03}}, {.pass = 0.02}, 10, 2)};
  Judgement const together = judge(both);
  Judgement const alone = judge({both.data(), 1});
  EXPECT_GE(together.verdicts[0].p_holm, alone.verdicts[0].p_holm);
  EXPECT_EQ(together.verdicts[1].campaign, 1u);
  EXPECT_EQ(together.aa_pairs, 2u);
}

TEST(Judge, DriftBetweenBlocksCancels) {
  Campaign const c = campaign_of({}, {{"reverse", 2.0}}, {.pass = 0.002, .placement = 0.5, .block_drift = 0.3});
  Verdict const v = judge({&c, 1}).verdicts[0];
  EXPECT_NEAR(v.estimate.ratio, 2.0, 0.02);
  EXPECT_LT(v.estimate.ci->high - v.estimate.ci->low, 0.02);
}

TEST(Judge, SurvivesPartialAndDamagedRecords) {
  Campaign c = campaign_of({.orders = {"reverse", "random"}}, {{"reverse", 2.0}}, {.pass = 0.01});
  std::erase_if(c.samples, [&](Sample const& s) { return c.plan.cells[s.cell].cell.order == "random"; });
  c.samples.resize(c.samples.size() - 2);
  auto const damage = [&](std::uint32_t block, std::uint32_t cell, double ns, std::uint32_t copies) {
    Sample s;
    s.block = block;
    s.cell = cell;
    s.copies = copies;
    s.wall = Nanoseconds(ns);
    c.samples.push_back(s);
  };
  damage(4000000000u, 0, 1, 1);
  damage(0, 4000000000u, 1, 1);
  damage(3, 0, -5, 0);
  damage(3, 1, std::numeric_limits<double>::quiet_NaN(), 1);
  Judgement const j = judge({&c, 1});
  EXPECT_EQ(verdict_on(j, c, "reverse").verdict, Finding::slower);
  Verdict const& gone = verdict_on(j, c, "random");
  EXPECT_EQ(gone.verdict, Finding::cannot_tell);
  EXPECT_EQ(gone.estimate.n, 0u);
  EXPECT_FALSE(std::isfinite(gone.time.value));

  Campaign empty;
  EXPECT_TRUE(judge({&empty, 1}).verdicts.empty());
  EXPECT_TRUE(judge({}).verdicts.empty());
}

TEST(Judge, AnOrderWithoutItsReferenceCannotTell) {
  Campaign c = campaign_of({}, {}, {.pass = 0.01});
  std::erase_if(c.plan.cells, [](PlannedCell const& p) { return is_reference(p.cell); });
  ASSERT_EQ(c.plan.cells.size(), 1u);
  Judgement const j = judge({&c, 1});
  ASSERT_EQ(j.verdicts.size(), 1u);
  EXPECT_EQ(j.verdicts[0].verdict, Finding::cannot_tell);
  EXPECT_TRUE(relative_half_widths(c).empty());
}

TEST(Judge, OrderOfSamplesDoesNotMatter) {
  Campaign c = campaign_of({.orders = {"reverse", "random"}}, {{"reverse", 1.5}}, {.pass = 0.05});
  Judgement const before = judge({&c, 1});
  Random random(3);
  shuffle(c.samples, random);
  std::ranges::reverse(c.blocks);
  Judgement const after = judge({&c, 1});
  for (std::size_t i = 0; i < before.verdicts.size(); ++i) {
    EXPECT_DOUBLE_EQ(before.verdicts[i].estimate.ratio, after.verdicts[i].estimate.ratio);
    EXPECT_DOUBLE_EQ(before.verdicts[i].p_holm, after.verdicts[i].p_holm);
  }
}

TEST(StopRule, WidthsShrinkAndStartInfinite) {
  Grid const grid{.orders = {"reverse", "random"}};
  auto const one = relative_half_widths(campaign_of(grid, {}, {.pass = 0.05}, 1));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_TRUE(std::isinf(one[0]));
  auto const few = relative_half_widths(campaign_of(grid, {}, {.pass = 0.05}, 5));
  auto const many = relative_half_widths(campaign_of(grid, {}, {.pass = 0.05}, 80));
  EXPECT_LT(many[0], few[0]);
  EXPECT_LT(many[0], 0.03);
}

TEST(Runs, DividesByCopies) {
  Campaign c = campaign_of({}, {{"reverse", 2.0}}, {.pass = 0.001});
  for (Sample& s : c.samples)
    if (!is_reference(c.plan.cells[s.cell].cell)) {
      s.copies = 10;
      s.wall = s.wall * 10;
    }
  EXPECT_NEAR(judge({&c, 1}).verdicts[0].estimate.ratio, 2.0, 0.02);
}

/// The design's cross-check: placements drawn with replacement, then blocks within them.
Interval bootstrap(std::vector<std::vector<double>> const& logs, int draws) {
  Random random(11);
  std::vector<double> means;
  for (int d = 0; d < draws; ++d) {
    double sum = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      auto const& blocks = logs[random.below(logs.size())];
      std::vector<double> drawn;
      for (std::size_t b = 0; b < blocks.size(); ++b) drawn.push_back(blocks[random.below(blocks.size())]);
      sum += median_of(drawn);
    }
    means.push_back(sum / static_cast<double>(logs.size()));
  }
  std::ranges::sort(means);
  auto const at = [&](double q) { return std::exp(means[static_cast<std::size_t>(q * (draws - 1))]); };
  return {at(0.025), at(0.975)};
}

TEST(Judge, AgreesWithAHierarchicalBootstrap) {
  Campaign const c = campaign_of({}, {{"reverse", 2.5}}, {.pass = 0.01, .placement_cell = 0.03}, 40);
  Verdict const v = judge({&c, 1}).verdicts[0];
  std::vector<std::vector<double>> logs(40);
  for (Block const& b : c.blocks) {
    double order = 0, reference = 0;
    for (Sample const& s : c.samples)
      if (s.block == b.id && s.arm == Arm::first) (s.cell == v.cell ? order : reference) = std::log(s.wall.value);
    logs[b.placement].push_back(order - reference);
  }
  Interval const other = bootstrap(logs, 2000);
  double const width = v.estimate.ci->high - v.estimate.ci->low;
  EXPECT_NEAR(other.low, v.estimate.ci->low, width / 3);
  EXPECT_NEAR(other.high, v.estimate.ci->high, width / 3);
}

}  // namespace
}  // namespace folioscope
