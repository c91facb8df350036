// SPDX-License-Identifier: Apache-2.0
// What is recommended on machines that lose, that do not care, that run a newer Linux, and that cannot be told about.
#include "explain/recommend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/machines.hpp"
#include "synthetic/mechanism_machines.hpp"

namespace folioscope {
namespace {

using namespace synthetic;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr Mechanics losing{.unseen_ns_per_line = 4, .lines_to_run_up = 160};

Explanation recommended(Campaign const& c) { return explain({&c, 1}); }

Campaign with_release(Campaign c, std::string const& release) {
  Facts facts;
  facts.add(std::string(fact::linux_release), release, "made up");
  for (Fact const& f : c.facts.all())
    if (f.key != fact::linux_release) facts.add(f.key, f.value, f.source, f.note);
  c.facts = facts;
  return c;
}

TEST(Recommend, ALosingOrderIsToBeChangedAndWorkedAround) {
  Campaign const c = mechanism_campaign(losing);
  Explanation const e = recommended(c);
  Recommendation const& r = e.recommendations.at(0);
  ASSERT_EQ(r.patterns.size(), 4u);
  for (PatternAdvice const& p : r.patterns) {
    EXPECT_EQ(p.order, "sequential") << p.pattern;
    ASSERT_TRUE(p.gain && p.gain->ci);
    EXPECT_LT(p.gain->ci->high, 0.5) << p.text;
    EXPECT_THAT(p.text, HasSubstr("times as long as what Linux does now"));
  }
  EXPECT_THAT(r.patterns[0].text, HasSubstr("Were every line of the target's page to come from memory"));
  EXPECT_THAT(r.patterns[1].text, HasSubstr("sweep --experiment bill"));
  ASSERT_TRUE(r.today && r.patch);
  EXPECT_THAT(*r.today, AllOf(HasSubstr("Linux 6.18.5 clears huge pages target last"), HasSubstr("v7.0")));
  EXPECT_THAT(*r.patch, HasSubstr("folio_zero_user()"));
  EXPECT_THAT(r.programs, Contains(AllOf(HasSubstr("last base page first"), HasSubstr("prefault"))));
  EXPECT_THAT(r.settings, Contains(HasSubstr("MADV_POPULATE_WRITE")));
  ASSERT_TRUE(r.batch_stretch && r.folio_stretch);
  EXPECT_NEAR(r.batch_stretch->value / r.folio_stretch->value, 16, 0.3);
  EXPECT_NEAR(r.folio_stretch->value, 57500, 3000);
  Json const json = to_json(e)["recommendation"];
  EXPECT_EQ(json["order"].as_string(), "sequential");
  EXPECT_EQ(json["patterns"].items().size(), 4u);
  EXPECT_TRUE(json["patch"].is_string());
  EXPECT_THAT(to_mail(e), HasSubstr("What to do:"));
}

TEST(Recommend, NoChangeIsJustifiedWhereOrderDoesNotMatter) {
  Campaign const c = mechanism_campaign({});
  Explanation const e = recommended(c);
  Recommendation const& r = e.recommendations.at(0);
  ASSERT_EQ(r.patterns.size(), 4u);
  for (PatternAdvice const& p : r.patterns) EXPECT_THAT(p.text, HasSubstr("No change is justified"));
  EXPECT_FALSE(r.patch);
  EXPECT_TRUE(r.programs.empty());
  EXPECT_TRUE(to_json(e)["recommendation"]["patch"].is_null());
}

/// What Linux does now has no times beside what is advised: nothing is said to be no faster.
TEST(Recommend, WhatWasNotMeasuredBesideIsNotTheFastest) {
  Campaign c = mechanism_campaign(losing);
  std::erase_if(c.samples, [&](Sample const& s) {
    std::string const order = parse_order(c.plan.cells[s.cell].cell.order)->base;
    return order == "target_last" || order == "reverse";
  });
  Explanation const e = recommended(c);
  for (PatternAdvice const& p : e.recommendations.at(0).patterns) {
    EXPECT_THAT(p.text, HasSubstr("Cannot tell here, because")) << p.pattern;
    EXPECT_FALSE(p.gain) << p.pattern;
  }
}

/// A page by page kernel is gained without the order: a patch names what it changes alone.
TEST(Recommend, APatchLeavesAnOrderThatCostsNothing) {
  Campaign const c = mechanism_campaign({.elided = 0.3});
  Explanation const e = recommended(c);
  Recommendation const& r = e.recommendations.at(0);
  ASSERT_TRUE(r.patch);
  EXPECT_THAT(*r.patch, Not(HasSubstr("the order")));
  // A batch beyond the caches, not sixteen folios that fit them.
  ASSERT_TRUE(r.folio_stretch && r.batch_stretch);
  Campaign const spilling = mechanism_campaign({.spill_ns_per_kib = 30});
  Recommendation const s = recommended(spilling).recommendations.at(0);
  EXPECT_GT(*s.batch_stretch / *s.folio_stretch, 25);
}

TEST(Recommend, ANewerLinuxDoesItAlready) {
  Campaign const c = with_release(mechanism_campaign(losing), "7.1.0");
  Explanation const e = recommended(c);
  Recommendation const& r = e.recommendations.at(0);
  EXPECT_THAT(*r.today, HasSubstr("the target's neighbourhood last"));
  EXPECT_FALSE(r.patch) << *r.patch;
  EXPECT_TRUE(r.programs.empty()) << "first touches choose no order there";
}

TEST(Recommend, NothingWhereNothingCanBeTold) {
  Campaign c = mechanism_campaign(losing);
  std::erase_if(c.blocks, [](Block const& b) { return b.placement >= 4; });
  Explanation const e = recommended(c);
  EXPECT_TRUE(e.recommendations.at(0).patterns.empty());
  EXPECT_TRUE(to_json(e)["recommendation"].is_null());
  EXPECT_THAT(e.advice.at(0).conclusion, HasSubstr("Cannot tell on this machine, because"));
}

TEST(Recommend, TheBestSimdKernelIsForUserSpaceOnly) {
  Campaign const c = campaign(losing_machine());
  Explanation const e = recommended(c);
  ASSERT_TRUE(e.recommendations.at(0).user_only);
  EXPECT_THAT(*e.recommendations.at(0).user_only, AllOf(HasSubstr("movnt_avx512"), HasSubstr("user space only")));
  EXPECT_EQ(to_json(e)["recommendation"]["kernel"].as_string(), "movnti") << "Linux may use that one";
}

/// Order costs nothing while clearing; what is hot afterwards is what differs: target-last wins under cache pressure.
TEST(Recommend, TargetLastWinsWhereCachePressureMakesItsPageWorthHaving) {
  Request r = losing_machine();
  r.plan = plan_of({.orders = {"target_last", "neighbourhood_last@2"}, .folios = {4}});
  r.true_ns = by_order({});
  r.release = "7.0.0";
  Campaign c = campaign(r);
  Random random(5);
  for (Block const& b : c.blocks)
    for (std::uint32_t i = 0; i < c.plan.cells.size(); ++i)
      for (char const* pattern : {"target", "from_target", "random"})
        for (char const* company : {"alone", "corunner"}) {
          bool const target = std::string_view(pattern) == "target", pressed = company[0] == 'c';
          bool const hot = c.plan.cells[i].cell.order == "target_last" || !pressed;
          double const use = (target ? (hot ? 3000 : 30000) : 150000) * std::exp(0.01 * normal(random));
          double const share = target ? 1.0 / 512 : 1;
          std::string const label = std::string(pattern) + " modify " + company + (target ? " 128" : "");
          c.points.push_back({"bill.clear", label, share, 58000 * std::exp(0.01 * normal(random)), i, b.id});
          c.points.push_back({"bill.use", label, share, use, i, b.id});
        }
  Explanation const e = recommended(c);
  std::size_t pressed = 0;
  for (PatternAdvice const& p : e.recommendations.at(0).patterns) {
    EXPECT_EQ(p.source, "clear and use");
    bool const wins = p.pattern == "target only beside a neighbour that presses on the cache" ||
                      p.pattern == "unknown beside a neighbour that presses on the cache";
    EXPECT_EQ(p.order, wins ? "target_last" : "neighbourhood_last@2") << p.pattern << ": " << p.text;
    if (wins) {
      ASSERT_TRUE(p.gain && p.gain->ci) << p.pattern;
      EXPECT_LT(p.gain->ci->high, 0.95);
      ++pressed;
    } else {
      EXPECT_THAT(p.text, HasSubstr("No change is justified")) << p.pattern;
    }
  }
  EXPECT_EQ(pressed, 2u);
}

/// What clears fastest loses where the memory is used: a bill of the same machine decides, wherever it was measured.
TEST(Recommend, AnotherCampaignsBillDecides) {
  std::vector<Campaign> both{mechanism_campaign(losing)};
  Request r = losing_machine();
  r.plan = plan_of({.orders = {"target_last", "neighbourhood_last@2"}, .folios = {4}});
  r.true_ns = by_order({});
  both.push_back(campaign(r));
  both[1].facts = both[0].facts;
  for (Block const& b : both[1].blocks)
    for (std::uint32_t i = 0; i < both[1].plan.cells.size(); ++i)
      for (char const* pattern : {"target", "ascending", "random"}) {
        std::string const label = std::string(pattern) + " modify alone" + (pattern[0] == 't' ? " 128" : "");
        bool const near = both[1].plan.cells[i].cell.order == "neighbourhood_last@2";
        both[1].points.push_back({"bill.clear", label, 1, near ? 60000.0 : 150000.0 + b.id, i, b.id});
        both[1].points.push_back({"bill.use", label, 1, near ? 10000.0 : 20000.0 + b.id, i, b.id});
      }
  Explanation const e = explain(both);
  ASSERT_EQ(e.recommendations.at(0).patterns.size(), 4u);
  for (PatternAdvice const& p : e.recommendations[0].patterns) {
    EXPECT_EQ(p.source, "clear and use") << p.pattern;
    EXPECT_EQ(p.order, "neighbourhood_last@2") << p.pattern << ": " << p.text;
    EXPECT_EQ(p.radius, 8_KiB);
    EXPECT_THAT(p.text, HasSubstr("page by page"));
  }
  EXPECT_EQ(e.advice[0].order, "neighbourhood_last@2");
  ASSERT_TRUE(e.recommendations[0].patch);
  EXPECT_EQ(e.recommendations[0].patch->find("clear_page()"), std::string::npos) << *e.recommendations[0].patch;
}

TEST(Recommend, ProbesAreNobodysToAdopt) {
  Request r = losing_machine();
  r.plan = plan_of({.orders = {"reverse", "streams@4"}});
  r.true_ns = by_order({{"streams@4", 0.7}});
  Campaign const c = campaign(r);
  EXPECT_EQ(recommended(c).advice.at(0).order, "sequential");
}

}  // namespace
}  // namespace folioscope
