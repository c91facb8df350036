// SPDX-License-Identifier: Apache-2.0
#include "campaign/after.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "campaign/sweep.hpp"

namespace folioscope {
namespace {

using Options = std::map<std::string, std::string>;

TEST(AfterOptions, NothingIsDoneUnlessAsked) {
  EXPECT_EQ(after_of({}).what, AfterOptions::What::nothing);
  EXPECT_EQ(after_of({{"same_cells", "a = b\n"}}).what, AfterOptions::What::nothing);
}

TEST(AfterOptions, AreACross) {
  auto const after = after_of({{"after", "use"},
                               {"uses", R"(["target","ascending"])"},
                               {"fractions", "[0.25,1]"},
                               {"accesses", R"(["modify","read"])"},
                               {"company", R"(["alone","corunner"])"}});
  EXPECT_EQ(after.what, AfterOptions::What::use);
  EXPECT_EQ(after.uses.size(), (1 + 2) * 2 * 2u) << "a target has no fractions";
  EXPECT_EQ(after_of({{"after", "use"}, {"uses", "random"}, {"fractions", "0.5"}}).uses,
            (std::vector<Use>{{Pattern::random, 0.5, Access::modify, false, {}}}));
  auto const probe = after_of({{"after", "probe"}, {"pages", "7"}});
  EXPECT_EQ(probe.pages, 7u);
}

TEST(AfterOptions, WhatMeansNothingIsNamed) {
  for (Options const& options : std::vector<Options>{{{"after", "look"}},
                                                     {{"after", "probe"}, {"pages", "0"}},
                                                     {{"after", "probe"}, {"pages", "many"}},
                                                     {{"after", "use"}, {"uses", "upwards"}},
                                                     {{"after", "use"}, {"uses", "[]"}},
                                                     {{"after", "use"}, {"uses", "[1,"}},
                                                     {{"after", "use"}, {"fractions", "[0]"}},
                                                     {{"after", "use"}, {"fractions", "[1.5]"}},
                                                     {{"after", "use"}, {"fractions", "[\"nan\"]"}},
                                                     {{"after", "use"}, {"accesses", "write"}},
                                                     {{"after", "use"}, {"company", "crowd"}}}) {
    try {
      after_of(options);
      ADD_FAILURE() << "taken: " << options.rbegin()->second;
    } catch (Error const& error) {
      EXPECT_NE(std::string(error.what()).find("[options]"), std::string::npos) << error.what();
    }
  }
}

TEST(Company, IsAnotherCoreOnTheSameCache) {
  Machine m;
  m.allowed_cpus = {0, 1, 2, 3, 8};
  EXPECT_EQ(company_for(0, m), 1u) << "nothing is known";
  m.facts.add("cpu.smt_siblings", Json::array({"0,1", "2-3"}), "made up");
  m.caches.push_back({3, "unified", 32_MiB, 64_B, {0, 1, 8}, "made up"});
  EXPECT_EQ(company_for(0, m), 8u) << "no sibling, same L3";
  m.allowed_cpus = {0, 1, 2};
  EXPECT_EQ(company_for(0, m), 2u) << "another core before the same cache";
  m.allowed_cpus = {0};
  EXPECT_FALSE(company_for(0, m));
}

/// One folio of base pages and a sequential cell with another one; passes that take no real time.
class AfterPass : public testing::Test {
 protected:
  AfterPass() : memory_(pages * 4096 + 4096) {
    auto const at = (reinterpret_cast<std::uintptr_t>(memory_.data()) + 4095) / 4096 * 4096;
    extent_ = reinterpret_cast<std::byte*>(at);
    plan_.base_page = 4_KiB;
    plan_.cells.resize(2);
    plan_.cells[1].cell.order = "target_last";
    plan_.cells[1].cell.target = 5;
  }

  std::vector<Point> run(Options options, std::size_t cell) {
    plan_.options = std::move(options);
    std::vector<LatencyLevel> const levels{{"L1", 16_KiB, Nanoseconds(1.4)}, {"memory", 4_MiB, Nanoseconds(100)}};
    PageProbe const probe({levels, 4_KiB, {0.5, Nanoseconds(1), {}}, 1, 24});
    Machine machine;
    machine.allowed_cpus = {0};
    auto const after = make_after(plan_, machine, probe);
    EXPECT_TRUE(after);
    limits_ = after->limits();
    Random random(1);
    std::vector<Point> seen;
    passes_ = 0;
    AfterRun const what{&plan_.cells[cell].cell, std::span(&extent_, 1), Bytes(pages * 4096),
                        [&](FolioUse const* use, Nanoseconds* used) {
                          ++passes_;
                          EXPECT_EQ(use != nullptr, used != nullptr);
                          if (used) *used = Nanoseconds(300);
                          Sample s;
                          s.wall = Nanoseconds(100);
                          return s;
                        }};
    Sample const sum = after->run(what, random, seen);
    EXPECT_EQ(sum.copies, passes_);
    EXPECT_EQ(sum.wall.value, 100.0 * passes_) << "clears alone";
    return seen;
  }

  static constexpr std::uint64_t pages = 64;
  std::vector<std::byte> memory_;
  std::byte* extent_ = nullptr;
  Plan plan_;
  unsigned passes_ = 0;
  std::vector<Refusal> limits_;
};

TEST_F(AfterPass, ProbesFewPagesAPassAndAllStrata) {
  auto const seen = run({{"after", "probe"}, {"pages", "16"}}, 1);
  std::set<double> strata, watched;
  for (Point const& p : seen) {
    EXPECT_GE(p.y, 0);
    if (p.series == "probe.page")
      strata.insert(std::floor(p.x / 4));
    else
      watched.insert(p.x - 5);
  }
  if (limits_.empty()) {
    EXPECT_EQ(strata.size(), 16u);
    EXPECT_EQ(watched, (std::set<double>{-4, -2, -1, 0, 1, 2, 4, 16}));
    EXPECT_EQ(passes_, (16 + 8 + 2) / 3u) << "three pages a pass with 4 KiB of them";
  }
}

TEST_F(AfterPass, ReferencesAreWatchedAroundTheOthersTargets) {
  auto const seen = run({{"after", "probe"}, {"pages", "1"}}, 0);
  if (limits_.empty())
    EXPECT_TRUE(std::ranges::any_of(seen, [](Point const& p) { return p.series == "probe.target" && p.x == 5; }));
}

TEST_F(AfterPass, BillsEachUseApart) {
  auto const seen = run({{"after", "use"}, {"uses", R"(["target","random"])"}, {"fractions", "[0.5,1]"}}, 1);
  EXPECT_EQ(passes_, 3u);
  ASSERT_EQ(seen.size(), 6u);
  for (Point const& p : seen) {
    EXPECT_EQ(p.y, p.series == "bill.clear" ? 100 : 300);
    auto const use = use_of(p.label, p.x);
    ASSERT_TRUE(use) << p.label;
    if (use->pattern == Pattern::target) {
      EXPECT_EQ(use->target, 5u);
      EXPECT_EQ(p.x, 1.0 / 64);
    }
  }
}

TEST_F(AfterPass, WithoutASecondCpuThereIsNoCompanyAndItIsSaid) {
  auto const seen = run({{"after", "use"}, {"uses", "random"}, {"company", R"(["alone","corunner"])"}}, 0);
  ASSERT_EQ(limits_.size(), 1u);
  EXPECT_EQ(limits_[0].subject, "co-runner");
  for (Point const& p : seen) EXPECT_EQ(p.label, "random modify alone");
}

TEST(ProbePoints, SayScaleAndConfusion) {
  std::vector<LatencyLevel> const levels{{"L1", 16_KiB, Nanoseconds(1.4)}, {"memory", 4_MiB, Nanoseconds(100)}};
  PageProbe probe({levels, 4_KiB, {0.5, Nanoseconds(1), {}}, 1, 24});
  std::map<std::string, double> made;
  for (Point const& p : points_of(probe))
    if (p.series == "probe.confusion") made[p.label.substr(0, p.label.find(" seen as "))] += p.y;
  EXPECT_EQ(made.size(), 2u);
  for (auto const& [name, share] : made) EXPECT_NEAR(share, 1, 1e-9) << name;
  Random random(1);
  Json const check = check_probe(probe, random);
  EXPECT_EQ(check["made_on_purpose"].items().size(), 2u);
  for (Json const& row : check["made_on_purpose"].items()) {
    std::int64_t seen = 0;
    for (auto const& [level, n] : row["seen"].members()) seen += *n.as_integer();
    EXPECT_EQ(seen, check["samples"].as_integer()) << "every page was seen somewhere";
  }
  EXPECT_GE(*check["tries"].as_integer(), 1);
}

}  // namespace
}  // namespace folioscope
