// SPDX-License-Identifier: Apache-2.0
#include "explain/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/machines.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

using namespace synthetic;
using testing::HasSubstr;

Request small(std::uint64_t seed, double reverse, double speed = 1) {
  Grid const grid{.orders = {"reverse", "random"}};
  auto const base = by_order({{"reverse", reverse}, {"random", 2.0}});
  return {.plan = plan_of(grid),
          .true_ns = [=](Cell const& c) { return speed * base(c); },
          .noise = {.pass = 0.005},
          .seed = seed};
}

Comparison of(Request const& base, Request const& other) {
  std::vector<CapsuleContent> files(2);
  files[0] = {"base.folioscope", {}};
  files[0].campaigns.push_back(campaign(base));
  files[1] = {"other.folioscope", {}};
  files[1].campaigns.push_back(campaign(other));
  return compare(files);
}

Compared const* find(Comparison const& c, Compared::Quantity quantity, std::string_view order) {
  for (Compared const& x : c.compared)
    if (x.quantity == quantity && x.cell.order == order) return &x;
  return nullptr;
}

TEST(Compare, FindsAChangedRatioAndLeavesTheOthers) {
  Comparison const c = of(small(1, 2.0), small(2, 3.0));
  Compared const* reverse = find(c, Compared::Quantity::ratio, "reverse");
  ASSERT_TRUE(reverse);
  EXPECT_EQ(reverse->verdict, Finding::slower);
  EXPECT_NEAR(reverse->difference.ratio, 1.5, 0.03);
  EXPECT_LT(reverse->difference.ci->low, 1.5);
  EXPECT_GT(reverse->difference.ci->high, 1.5);
  EXPECT_EQ(find(c, Compared::Quantity::ratio, "random")->verdict, Finding::no_difference);
  EXPECT_EQ(c.files[1].matched, 3u);
}

TEST(Compare, TimesOnlyOnTheSameInstance) {
  Comparison const same = of(small(1, 2.0), small(2, 2.0, 1.1));
  ASSERT_TRUE(find(same, Compared::Quantity::time, "sequential"));
  EXPECT_NEAR(find(same, Compared::Quantity::time, "sequential")->difference.ratio, 1.1, 0.02);
  EXPECT_EQ(find(same, Compared::Quantity::ratio, "reverse")->verdict, Finding::no_difference);
  Request other = small(2, 2.0, 1.1);
  other.machine = "Another";
  Comparison const apart = of(small(1, 2.0), other);
  EXPECT_FALSE(find(apart, Compared::Quantity::time, "sequential"));
  EXPECT_FALSE(apart.files[1].same_instance);
  EXPECT_TRUE(find(apart, Compared::Quantity::ratio, "reverse"));
}

TEST(Compare, FailOnHoldsOnlyForCertainAndLargeDifferences) {
  Comparison const c = of(small(1, 2.0), small(2, 2.1));
  EXPECT_FALSE(held_by(c, parse_fail_on("slower:3%")).empty());
  EXPECT_TRUE(held_by(c, parse_fail_on("slower:8%")).empty());
  EXPECT_TRUE(held_by(c, parse_fail_on("faster:3%")).empty());
  Comparison const back = of(small(1, 2.1), small(2, 2.0));
  EXPECT_FALSE(held_by(back, parse_fail_on("faster:3%")).empty());
  EXPECT_TRUE(held_by(back, parse_fail_on("slower:3%")).empty());
  Request few = small(2, 4.0);
  few.placements = 3;
  Comparison const uncertain = of(small(1, 2.0), few);
  EXPECT_TRUE(held_by(uncertain, parse_fail_on("slower:3%")).empty());
  EXPECT_EQ(find(uncertain, Compared::Quantity::ratio, "reverse")->verdict, Finding::cannot_tell);
}

TEST(Compare, OfGuestsRatiosAloneFail) {
  // Every time doubled, ratios as they were: on bare metal a regression, in a guest perhaps a neighbour.
  auto const held_in = [](std::optional<std::string> const& hypervisor) {
    std::vector<CapsuleContent> files(2);
    files[0] = {"base.folioscope", {campaign(small(1, 2.0))}};
    files[1] = {"other.folioscope", {campaign(small(2, 2.0, 2))}};
    for (CapsuleContent& f : files)
      if (hypervisor) f.campaigns[0].facts.add(std::string(fact::hypervisor), *hypervisor, "made up");
    return held_by(compare(files), parse_fail_on("slower:3%")).size();
  };
  EXPECT_GT(held_in(std::nullopt), 0U);
  EXPECT_EQ(held_in("KVM"), 0U);
}

TEST(Compare, FailOnIsReadStrictly) {
  EXPECT_EQ(parse_fail_on("slower:3%").share, 0.03);
  EXPECT_EQ(parse_fail_on("faster:0.5%").finding, Finding::faster);
  for (char const* wrong : {"", "slower", "slower:", "slower:3", "slower:-3%", "slower:3%%", "slow:3%", "slower:nan%",
                            "slower:1e3%", ":3%"})
    EXPECT_THROW(parse_fail_on(wrong), UsageError) << wrong;
}

TEST(Compare, CellsThatOneSideLacksAreCounted) {
  Request other = small(2, 2.0);
  std::erase_if(other.plan.cells, [](PlannedCell const& p) { return p.cell.order == "random"; });
  Cell extra = other.plan.cells.back().cell;
  extra.order = "far_ascending";
  other.plan.cells.push_back({extra, {}});
  Comparison const c = of(small(1, 2.0), other);
  EXPECT_EQ(c.files[1].matched, 2u);
  EXPECT_EQ(c.files[1].unmatched, 1u);
  EXPECT_FALSE(find(c, Compared::Quantity::ratio, "random"));
}

TEST(Compare, WritesTextAndJson) {
  Comparison const c = of(small(1, 2.0), small(2, 3.0));
  auto const condition = parse_fail_on("slower:3%");
  std::string const text = to_text(c, condition);
  EXPECT_THAT(text, HasSubstr("base.folioscope"));
  EXPECT_THAT(text, HasSubstr("held by"));
  Json const json = to_json(c, condition);
  EXPECT_EQ(json["compared"].items().size(), c.compared.size());
  EXPECT_GT(json["fail_on"]["held_by"].as_integer(), 0);
  EXPECT_TRUE(to_json(c)["fail_on"].is_null());
  EXPECT_THAT(to_text(compare({})), HasSubstr("No cell"));
  std::vector<CapsuleContent> const empty{{"a", {}}, {"b", {}}};
  EXPECT_THAT(to_text(compare(empty)), HasSubstr("No cell"));
}

}  // namespace
}  // namespace folioscope
