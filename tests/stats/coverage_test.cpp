// SPDX-License-Identifier: Apache-2.0
// Does a 95 % interval hold the truth 95 times of 100, and does identical code pass for different 5 times of 100? On
// made-up machines with the placements that a quick sweep affords. Seeds are fixed: the counts are the same on every
// run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "stats/comparisons.hpp"
#include "stats/runs.hpp"
#include "stats/verdict.hpp"
#include "synthetic/synthetic.hpp"

namespace folioscope {
namespace {

struct Machine {
  std::string name;
  synthetic::Noise noise;
  double ratio;
  double most_covered;
};

std::vector<Machine> machines() {
  synthetic::Noise const quiet{.pass = 0.01};
  synthetic::Noise const heavy{.pass = 0.02, .spike_share = 0.05, .spike = 1.0};
  synthetic::Noise const placed{.pass = 0.01, .placement = 0.2, .placement_cell = 0.05, .block_drift = 0.03};
  synthetic::Noise const all{
      .pass = 0.03, .spike_share = 0.05, .spike = 2.0, .placement = 0.1, .placement_cell = 0.02, .block_drift = 0.05};
  // A quarter of all passes take about twice as long: whole placements are struck, and the t interval errs on the wide
  // side.
  synthetic::Noise const storm{.pass = 0.01, .spike_share = 0.25, .spike = 1.0};
  return {{"quiet", quiet, 1.0, 0.97},
          {"heavy_tails", heavy, 1.0, 0.97},
          {"placement_effects", placed, 3.1, 0.97},
          {"everything", all, 1.2, 0.97},
          {"storm", storm, 1.0, 1.0}};
}

/// Ten kernels, each with its own reference and one order: comparisons that share nothing.
Plan plan() {
  synthetic::Grid grid;
  grid.kernels.clear();
  for (int i = 0; i < 10; ++i) grid.kernels.push_back("kernel_" + std::to_string(i));
  return synthetic::plan_of(grid);
}

struct Counts {
  int comparisons = 0, covered = 0, pairs = 0, flagged = 0, campaigns = 0, campaigns_flagged = 0, wrong = 0;
};

Counts simulate(Machine const& machine, int campaigns, std::uint32_t placements) {
  Counts counts;
  for (int i = 0; i < campaigns; ++i) {
    Campaign const c = synthetic::campaign({.plan = plan(),
                                            .true_ns = synthetic::by_order({{"reverse", machine.ratio}}),
                                            .noise = machine.noise,
                                            .placements = placements,
                                            .seed = static_cast<std::uint64_t>(i) + 1});
    Judgement const j = judge({&c, 1});
    for (Verdict const& v : j.verdicts) {
      if (v.against_baseline) continue;
      ++counts.comparisons;
      counts.covered += v.estimate.ci->low <= machine.ratio && machine.ratio <= v.estimate.ci->high;
      counts.wrong += machine.ratio == 1 && (v.verdict == Finding::slower || v.verdict == Finding::faster);
    }
    counts.pairs += static_cast<int>(j.aa_pairs);
    counts.flagged += static_cast<int>(j.aa_flagged);
    counts.campaigns_flagged += j.aa_flagged_holm > 0;
    ++counts.campaigns;
  }
  return counts;
}

bool long_run() { return std::getenv("FOLIOSCOPE_LONG") != nullptr; }

class Coverage : public testing::TestWithParam<Machine> {};

TEST_P(Coverage, IntervalsHoldTheTruthAndIdenticalCodeIsIdentical) {
  int const campaigns = long_run() ? 2000 : 200;
  Counts const n = simulate(GetParam(), campaigns, 10);
  double const covered = static_cast<double>(n.covered) / n.comparisons;
  double const flagged = static_cast<double>(n.flagged) / n.pairs;
  RecordProperty("comparisons", n.comparisons);
  RecordProperty("covered_per_mille", static_cast<int>(covered * 1000 + 0.5));
  RecordProperty("aa_flagged_per_mille", static_cast<int>(flagged * 1000 + 0.5));
  ASSERT_GE(n.comparisons, 2000);
  ASSERT_GE(n.pairs, 2000);
  EXPECT_GE(covered, 0.93);
  EXPECT_LE(covered, GetParam().most_covered);
  EXPECT_GE(flagged, GetParam().most_covered < 1 ? 0.03 : 0.0);
  EXPECT_LE(flagged, 0.07);
  // Holm: at most one campaign of twenty flags anything, with room for the luck of the draw.
  EXPECT_LE(n.campaigns_flagged, n.campaigns / 20 + 3 * static_cast<int>(std::sqrt(n.campaigns / 20.0)));
  EXPECT_LE(n.wrong, n.campaigns / 20);
  std::printf("%s: coverage %.3f of %d, A/A flagged %.3f of %d, campaigns flagged after Holm %d of %d\n",
              GetParam().name.c_str(), covered, n.comparisons, flagged, n.pairs, n.campaigns_flagged, n.campaigns);
}

INSTANTIATE_TEST_SUITE_P(Machines, Coverage, testing::ValuesIn(machines()), [](auto const& i) { return i.param.name; });

}  // namespace
}  // namespace folioscope
