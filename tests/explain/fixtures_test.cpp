// SPDX-License-Identifier: Apache-2.0
// Capsules of real machines keep opening and keep saying what they said: each row is a line of README's results table.
#include <gtest/gtest.h>

#include <filesystem>

#include "explain/explain.hpp"
#include "record/capsule.hpp"

namespace folioscope {
namespace {

struct Known {
  char const* file;
  char const* order;
  std::uint64_t folios;
  double low, high;  ///< the ratio lies between
  Finding verdict;
};

class RealMachines : public ::testing::TestWithParam<Known> {};

TEST_P(RealMachines, SayWhatTheySaid) {
  Known const& known = GetParam();
  Capsule const capsule = Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / known.file);
  std::vector<Campaign> campaigns{capsule.load(1)};
  Explanation const explanation = explain(campaigns);
  bool found = false;
  for (Verdict const& v : explanation.judgement.verdicts) {
    Cell const& c = campaigns[0].plan.cells[v.cell].cell;
    if (v.against_baseline || !c.order.starts_with(known.order) || c.kernel != "rep_stosb" || c.call != 4_KiB ||
        to_string(c.backing) != "thp" || c.footprint != 2_MiB * known.folios)
      continue;
    found = true;
    EXPECT_GT(v.estimate.ratio, known.low) << describe(c);
    EXPECT_LT(v.estimate.ratio, known.high) << describe(c);
    EXPECT_EQ(v.verdict, known.verdict) << describe(c);
  }
  EXPECT_TRUE(found);
}

/// The machine that the mechanisms were first told apart on; two blocks of each placement are kept.
TEST(RealMechanisms, OfTheGenoaGuest) {
  Capsule const capsule = Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) /
                                        "tests/fixtures/amd-genoa-guest-mechanism.folioscope");
  std::vector<Campaign> campaigns{capsule.load(1)};
  Explanation const e = explain(campaigns);
  ASSERT_EQ(e.mechanisms.size(), 1u);
  for (Mechanism const& m : e.mechanisms[0].mechanisms) {
    if (m.name == "lost_prefetch") EXPECT_EQ(to_string(m.status), "supported");
    if (m.name == "write_streaming") EXPECT_EQ(to_string(m.status), "contradicted");
    if (m.name == "direction") EXPECT_NE(to_string(m.status), "supported");
  }
  ASSERT_TRUE(e.model.all.model.median && e.model.all.repeat.median);
  EXPECT_LE(*e.model.all.model.median, std::max(0.05, 1.5 * *e.model.all.repeat.median));
  EXPECT_LT(*e.model.all.model.median, *e.model.all.like_sequential.median);
  EXPECT_LT(*e.model.all.model.median, *e.model.all.nearest.median);
}

constexpr char const* quick = "amd-genoa-guest-quick.folioscope";
constexpr char const* table = "amd-genoa-guest-published-table.folioscope";
INSTANTIATE_TEST_SUITE_P(Fixtures, RealMachines,
                         ::testing::Values(Known{quick, "reverse", 1, 2.2, 2.6, Finding::slower},
                                           Known{quick, "target_last", 1, 2.0, 2.4, Finding::slower},
                                           Known{quick, "neighbourhood_last", 1, 0.95, 1.1, Finding::no_difference},
                                           Known{quick, "far_ascending", 1, 1.2, 1.6, Finding::slower},
                                           Known{quick, "reverse", 100, 2.0, 2.4, Finding::slower},
                                           Known{table, "target_last", 1, 2.3, 2.8, Finding::slower},
                                           Known{table, "target_last", 512, 2.1, 2.4, Finding::slower}));

}  // namespace
}  // namespace folioscope
