// SPDX-License-Identifier: Apache-2.0
// Capsules of real machines keep opening and keep saying what they said: each row is a line of README's results table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "explain/explain.hpp"
#include "explain/model_words.hpp"
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

/// Another mechanism on the second machine: the length of a call, not the order. Two blocks of each placement are kept.
TEST(RealMechanisms, OfTheTurinGuest) {
  Capsule const capsule = Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) /
                                        "tests/fixtures/amd-turin-guest-mechanism.folioscope");
  std::vector<Campaign> campaigns{capsule.load(1)};
  Explanation const e = explain(campaigns);
  ASSERT_EQ(e.mechanisms.size(), 1u);
  std::map<std::string, std::string> status;
  for (Mechanism const& m : e.mechanisms[0].mechanisms) status[m.name] = to_string(m.status);
  EXPECT_EQ(status["allocation_elision"], "supported");
  EXPECT_EQ(status["lost_prefetch"], "contradicted");
  EXPECT_EQ(status["translation"], "contradicted");
  ASSERT_TRUE(e.model.all.model.median && e.model.where_order_matters.model.median);
  EXPECT_LE(*e.model.all.model.median, 0.05);
  EXPECT_LT(*e.model.where_order_matters.model.median, *e.model.where_order_matters.nearest.median);
  EXPECT_LT(*e.model.all.model.median, *e.model.all.like_sequential.median);
  EXPECT_LT(*e.model.all.model.median, *e.model.all.nearest.median);
  for (FittedSetting const& s : e.model.settings) {
    if (s.kernel != "rep_stosb" || s.backing.kind != BackingKind::thp || s.threads != 1) continue;
    EXPECT_NEAR(s.fit.parameters[static_cast<std::size_t>(Physical::call)].value, 90, 8) << "ns a call of a page";
    EXPECT_TRUE(s.fit.parameters[static_cast<std::size_t>(Physical::page_start)].none);
  }
}

/// Both guests came from one image and share its machine id: they are two machines all the same.
TEST(RealMechanisms, OfTwoMachinesThatShareAnId) {
  std::vector<Campaign> campaigns;
  for (char const* name : {"amd-genoa-guest-mechanism.folioscope", "amd-turin-guest-mechanism.folioscope"})
    campaigns.push_back(Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / name).load(1));
  ASSERT_EQ(campaigns[0].facts.value(fact::instance_key).as_string(),
            campaigns[1].facts.value(fact::instance_key).as_string());
  Explanation const e = explain(campaigns);
  EXPECT_EQ(e.mechanisms.size(), 2u);
  std::size_t errors = 0;
  for (std::string const& s : prediction_sentences(e)) errors += s.find(": Predicting 68 cells") != std::string::npos;
  EXPECT_EQ(errors, 2u) << "each machine has its own";
}

constexpr char const* quick = "amd-genoa-guest-quick.folioscope";
constexpr char const* turin = "amd-turin-guest-quick.folioscope";
constexpr char const* table = "amd-genoa-guest-published-table.folioscope";
INSTANTIATE_TEST_SUITE_P(Fixtures, RealMachines,
                         ::testing::Values(Known{quick, "reverse", 1, 2.2, 2.6, Finding::slower},
                                           Known{quick, "target_last", 1, 2.0, 2.4, Finding::slower},
                                           Known{quick, "neighbourhood_last", 1, 0.95, 1.1, Finding::no_difference},
                                           Known{quick, "far_ascending", 1, 1.2, 1.6, Finding::slower},
                                           Known{quick, "reverse", 100, 2.0, 2.4, Finding::slower},
                                           Known{turin, "reverse", 1, 0.95, 1.05, Finding::no_difference},
                                           Known{turin, "far_ascending", 1, 0.97, 1.06, Finding::no_difference},
                                           Known{turin, "reverse", 8, 0.95, 1.05, Finding::no_difference},
                                           Known{table, "target_last", 1, 2.3, 2.8, Finding::slower},
                                           Known{table, "target_last", 512, 2.1, 2.4, Finding::slower}));

/// Order matters to plain stores on the second machine, and not to rep stosb.
TEST(TheSecondMachine, MindsTheOrderWithPlainStoresAlone) {
  Capsule const capsule = Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / turin);
  std::vector<Campaign> campaigns{capsule.load(1)};
  Explanation const e = explain(campaigns);
  bool plain = false, calls = false;
  for (Verdict const& v : e.judgement.verdicts) {
    Cell const& c = campaigns[0].plan.cells[v.cell].cell;
    if (to_string(c.backing) != "thp" || c.footprint != 2_MiB) continue;
    if (c.kernel == "mov_avx512" && c.order == "reverse")
      plain = v.verdict == Finding::slower && v.estimate.ratio > 1.8;
    if (c.kernel == "rep_stosb" && c.call == 2_MiB && v.against_baseline)
      calls = v.verdict == Finding::faster && v.estimate.ratio < 0.5;
  }
  EXPECT_TRUE(plain && calls);
  EXPECT_NE(e.advice[0].conclusion.find("A change is justified, though not of the order"), std::string::npos)
      << e.advice[0].conclusion;
}

Explanation explained(char const* file, std::vector<Campaign>& campaigns) {
  Capsule const capsule = Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / file);
  campaigns = {capsule.load(1)};
  return explain(campaigns);
}

/// The capsule's one line of that kernel, order and use.
BillLine const* bill_of(Explanation const& e, std::string_view kernel, std::string_view order, Use const& use) {
  for (BillLine const& line : e.bills.lines) {
    Cell const& cell = e.campaigns[0].cells[line.cell];
    if (cell.kernel == kernel && cell.order == order && line.use == use) return &line;
  }
  return nullptr;
}

/// Of one folio in full and of a hundred. The host's other guests pressed on the L3 while it ran: of the pages made in
/// the L3 in the placements 92.5 % were found there, the others in memory.
TEST(RealResidency, TargetLastLeavesTheTargetNearAndWhatIsNotBorneOutIsMerged) {
  std::vector<Campaign> campaigns;
  Explanation const e = explained("amd-genoa-guest-residency.folioscope", campaigns);
  ASSERT_EQ(e.residency.checks.size(), 1u);
  EXPECT_EQ(e.residency.checks[0].levels, (std::vector<std::string>{"L1", "L2", "L3/memory"}));
  EXPECT_EQ(e.residency.checks[0].merged, std::vector<std::string>{"L3/memory"});
  EXPECT_GE(e.residency.checks[0].least_right, 0.95) << e.residency.checks[0].least_right_level;
  double last = 0, sequential = 0;
  for (auto const& t : e.residency.targets) {
    Cell const& cell = campaigns[0].plan.cells[t.cell].cell;
    if (t.distance != 0 || cell.kernel != "rep_stosb") continue;
    (cell.order == "target_last" ? last : sequential) = t.ns.value;
  }
  EXPECT_LT(last, 5);
  EXPECT_GT(sequential, 10);
  for (ResidencyMap const& map : e.residency.maps) {
    bool const one = campaigns[0].plan.cells[map.cell].cell.footprint == 2_MiB;
    EXPECT_EQ(map.samples.size(), one ? 512u : 32u);
    EXPECT_EQ(map.bins_seen(), map.samples.size());
  }
  for (auto const& m : e.residency.misses) {
    Cell const& cell = campaigns[0].plan.cells[m.cell].cell;
    if (m.level == "L2") {
      EXPECT_NEAR(m.share.value, cell.kernel == "rep_stosb" && cell.footprint == 2_MiB ? 0.55 : 1, 0.1);
    }
  }
}

TEST(RealBill, WhatBypassesTheCachesLosesWhenAllIsUsedAtRandom) {
  std::vector<Campaign> campaigns;
  Explanation const e = explained("amd-genoa-guest-bill.folioscope", campaigns);
  auto const* all = bill_of(e, "movnt_avx512", "sequential", {Pattern::random, 1, Access::modify, false, {}});
  auto const* target =
      bill_of(e, "movnt_avx512", "sequential", {Pattern::target, 1.0 / 512, Access::modify, false, 128});
  ASSERT_TRUE(all && target);
  EXPECT_EQ(all->finding, Finding::slower);
  EXPECT_GT(all->ratio.ratio, 2);
  EXPECT_EQ(target->finding, Finding::faster);
  EXPECT_LT(target->ratio.ratio, 0.6);
  bool crosses = false;
  for (Crossover const& x : e.bills.crossovers)
    if (x.use.pattern == Pattern::random && !x.use.corunner) {
      crosses = true;
      EXPECT_GT(x.use.fraction, 0.1);
      EXPECT_LT(x.use.fraction, 0.3);
    }
  EXPECT_TRUE(crosses);
}

TEST(RealRadius, TodaysLinuxIsMarkedAndNotDearer) {
  std::vector<Campaign> campaigns;
  Explanation const e = explained("amd-genoa-guest-radius.folioscope", campaigns);
  int marked = 0;
  for (RadiusLine const& r : e.bills.radii) {
    if (!r.todays_linux) continue;
    ++marked;
    EXPECT_NEAR(e.bills.lines[r.line].ratio.ratio, 1, 0.1);
    EXPECT_NE(e.bills.lines[r.line].finding, Finding::slower);
  }
  EXPECT_EQ(marked, 2) << "two uses";
}

}  // namespace
}  // namespace folioscope
