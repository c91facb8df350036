// SPDX-License-Identifier: Apache-2.0
// Clear and use along Linux's own paths: who wins on a machine whose times are known.
#include "explain/path_bill.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/explain.hpp"
#include "synthetic/path_machines.hpp"

namespace folioscope {
namespace {

using synthetic::used_paths;

class PathBill : public testing::Test {
 protected:
  std::vector<Campaign> const campaigns{used_paths()};
  std::vector<PathBillLine> const lines = path_bills(campaigns, judge(campaigns));

  PathBillLine const& at(bool apart, bool downwards, std::uint64_t first) const {
    auto const it = std::ranges::find_if(
        lines, [&](PathBillLine const& l) { return l.apart == apart && l.downwards == downwards && l.first == first; });
    EXPECT_NE(it, lines.end()) << apart << downwards << first;
    return it == lines.end() ? lines.front() : *it;
  }
};

TEST_F(PathBill, HasEveryWayOnceWithItsTotalInside) {
  ASSERT_EQ(lines.size(), 10u);
  for (PathBillLine const& l : lines) {
    auto const truth = synthetic::clear_and_use(campaigns[0].plan.cells[l.cell].cell);
    ASSERT_TRUE(l.ci);
    EXPECT_NEAR(l.total.value, truth.clear + truth.use, 0.02 * l.total.value) << l.path;
    EXPECT_LT(l.ci->low, l.total.value);
    EXPECT_EQ(l.clear.has_value(), l.apart) << "mingled parts have no times of their own";
    if (!l.clear) continue;
    EXPECT_NEAR(l.clear->value, truth.clear, 0.03 * truth.clear);
    EXPECT_NEAR(l.spent->value, truth.use, 0.03 * truth.use);
  }
}

TEST_F(PathBill, TheUseDecidesWhoWins) {
  // Upwards: (60 + 70) / (150 + 30); downwards: (60 + 30) / (150 + 70).
  for (bool const apart : {false, true}) {
    EXPECT_NEAR(at(apart, false, 511).ratio.ratio, 130.0 / 180, 0.02);
    EXPECT_NEAR(at(apart, true, 511).ratio.ratio, 90.0 / 220, 0.02);
    for (bool const down : {false, true}) {
      EXPECT_EQ(at(apart, down, 511).finding, Finding::faster);
      EXPECT_TRUE(at(apart, down, 511).last);
      EXPECT_FALSE(at(apart, down, 0).reference) << "it is the reference";
    }
  }
  ASSERT_TRUE(at(true, false, 511).use_ratio);
  EXPECT_NEAR(at(true, false, 511).use_ratio->ratio, 70.0 / 30, 0.1) << "time saved in the clear comes back in part";
}

TEST_F(PathBill, WithoutAPageToTouchTheDirectionIsCompared) {
  auto const down =
      std::ranges::find_if(lines, [](PathBillLine const& l) { return l.path.starts_with("fallocate") && l.downwards; });
  ASSERT_NE(down, lines.end());
  EXPECT_FALSE(down->first);
  EXPECT_NEAR(down->ratio.ratio, 220.0 / 180, 0.03);
  EXPECT_EQ(down->finding, Finding::slower);
  EXPECT_NEAR(down->clear_ratio->ratio, 1, 0.03);
}

TEST_F(PathBill, StandsInJsonTextAndMail) {
  Explanation const e = explain(campaigns);
  Json const json = to_json(e);
  std::size_t found = 0;
  for (Json const& row : json["linux"].items()) {
    for (char const* key : {"path", "order", "predicted_ratio", "ratio", "ci"}) EXPECT_TRUE(row.contains(key)) << key;
    for (char const* key : {"use", "apart", "first", "clear_ns", "use_ns", "total_ns", "total_ci", "bill_verdict"})
      EXPECT_TRUE(row.contains(key)) << key;
    found += row["total_ns"].as_number().has_value();
  }
  EXPECT_EQ(found, lines.size());
  EXPECT_NE(to_text(e).find("Clear and use along Linux's paths"), std::string::npos);
  for (std::string const& text : {to_text(e), to_mail(e)})
    EXPECT_NE(text.find("the last page first wins"), std::string::npos) << text;
}

TEST(PathBillNoise, EqualWaysAreNoWinners) {
  Campaign c = used_paths();
  for (Sample& s : c.samples) s.wall = Nanoseconds(400e3);
  for (Point& p : c.points) p.y = p.series == "path.clear" ? 300e3 : 100e3;
  for (PathBillLine const& l : path_bills({&c, 1}, judge({&c, 1})))
    if (l.reference) {
      EXPECT_EQ(l.finding, Finding::no_difference) << l.path;
    }
}

TEST(PathBillDamage, StrangePointsAreLeftOut) {
  Campaign c = used_paths();
  for (Point& p : c.points) p.y = -1;
  c.points.push_back({"path.clear", "x", 1, 1e300, 1u, 9999u});
  EXPECT_TRUE(path_bills({&c, 1}, judge({&c, 1})).empty());
  Campaign none;
  none.header.kind = "linux";
  EXPECT_TRUE(path_bills({&none, 1}, judge({&none, 1})).empty());
}

}  // namespace
}  // namespace folioscope
