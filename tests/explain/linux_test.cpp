// SPDX-License-Identifier: Apache-2.0
// The record of a real Linux beside a real sweep of the same machine, and memory that a made-up host takes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "explain/explain.hpp"
#include "explain/linux_paths.hpp"
#include "synthetic/synthetic.hpp"

namespace folioscope {
namespace {

Campaign fixture(char const* name) {
  return Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / name).load(1);
}

TEST(LinuxFixture, GenoaGuestClearsTargetLast) {
  Campaign const linux_here = fixture("amd-genoa-guest-linux.folioscope");
  auto const found = fault_orders({&linux_here, 1});
  auto const thp =
      std::ranges::find_if(found, [](FaultOrderFinding const& f) { return f.backing.kind == BackingKind::thp; });
  ASSERT_NE(thp, found.end());
  EXPECT_EQ(thp->recognition.recognised, Recognised::target_last) << thp->recognition.why;
  EXPECT_EQ(thp->agrees, true);
  EXPECT_EQ(thp->clear_kernel, "rep_stosb");
  EXPECT_EQ(thp->best_index, 511u);
  ASSERT_TRUE(thp->gain.ci);
  EXPECT_GT(thp->gain.ci->low, 2.0);
  EXPECT_LT(thp->gain.ci->high, 2.8);
  ASSERT_TRUE(thp->replica);
  EXPECT_LT(thp->replica->median_error, 0.1);
  EXPECT_EQ(thp->curve.size(), 17u);
  ASSERT_TRUE(thp->witness);
  EXPECT_LT(thp->witness->near_ns, thp->witness->last_ns) << "page 0 first: what was cleared last lies beside it";
}

TEST(LinuxFixture, RefusedBackingsAreToldOnceEach) {
  auto const all = path_outcomes(fixture("amd-genoa-guest-linux.folioscope"));
  EXPECT_TRUE(std::ranges::any_of(all, [](PathOutcome const& p) { return p.measured; }));
  for (PathOutcome const& p : all) {
    EXPECT_EQ(std::ranges::count(all, p.name, &PathOutcome::name), 1) << p.name;
    EXPECT_NE(p.measured, !p.reason.empty()) << p.name;
    EXPECT_EQ(to_json(p)["per_folio_ns"].is_null(), !p.measured) << p.name;
  }
}

TEST(LinuxRatios, ASweepOfTheSameMachinePredicts) {
  std::vector<Campaign> campaigns;
  campaigns.push_back(fixture("amd-genoa-guest-quick.folioscope"));
  campaigns.push_back(fixture("amd-genoa-guest-linux.folioscope"));
  Explanation const e = explain(campaigns);
  auto const at = [&](std::uint64_t target) {
    auto const it = std::ranges::find(e.linux_ratios, target, &LinuxRatio::target);
    return it == e.linux_ratios.end() ? LinuxRatio{} : *it;
  };
  LinuxRatio const swept = at(128), replica = at(32);
  ASSERT_TRUE(swept.predicted && replica.predicted);
  EXPECT_TRUE(swept.predicted_by.starts_with("sweep of")) << swept.predicted_by;
  EXPECT_FALSE(replica.predicted_by.starts_with("sweep of")) << "the quick sweep has no such target";
  EXPECT_NEAR(swept.predicted->ratio, 2.16, 0.1);
  for (LinuxRatio const& r : {swept, replica}) {
    EXPECT_NEAR(r.shown.ratio, r.predicted->ratio, 0.25 * r.predicted->ratio);
    EXPECT_EQ(r.disagrees, !r.why.empty()) << "a disagreement is explained";
  }
  Json const json = to_json(e);
  ASSERT_FALSE(json["linux"].items().empty());
  for (Json const& row : json["linux"].items())
    for (char const* key : {"path", "order", "predicted_ratio", "ratio", "ci"}) EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_FALSE(json["untested"].contains("linux"));
}

TEST(LinuxRatios, AnotherMachinesSweepDoesNotPredict) {
  std::vector<Campaign> campaigns;
  campaigns.push_back(fixture("amd-genoa-guest-quick.folioscope"));
  campaigns.push_back(fixture("amd-genoa-guest-linux.folioscope"));
  campaigns[0].facts = Facts(std::vector<Fact>{{std::string(fact::instance_key), "another", "made up", ""}});
  for (LinuxRatio const& r : explain(campaigns).linux_ratios)
    EXPECT_FALSE(r.predicted_by.starts_with("sweep of")) << r.path << r.target;
}

/// A host that takes free memory back after `delay_s`.
Campaign returning(double delay_s) {
  Cell cell;
  cell.kernel = "linux_returned_memory";
  cell.backing = {BackingKind::thp, {}};
  cell.footprint = cell.call = 2_MiB;
  synthetic::Request request;
  request.plan.base_page = 4_KiB;
  request.plan.folio = 2_MiB;
  request.plan.cells = {{cell, {{0_B, 2_MiB}}}};
  request.true_ns = [](Cell const&) { return 180e3; };
  Campaign c = synthetic::campaign(request);
  c.header.kind = "linux";
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    double const age = 0.011 * std::pow(700.0, i / 200.0);
    double const ns = (age > delay_s ? 4e6 : 180e3) * (1 + 0.1 * static_cast<double>(random.below(100)) / 100);
    c.points.push_back({"fault.since_free", "known frame", age, ns, 0u, 0u});
  }
  c.points.push_back({"fault.since_free", "other frame", 0.02, 9e6, 0u, 0u});
  return c;
}

TEST(ReturnedMemory, IsToldFromWarmByTheTimeItWasFree) {
  auto const found = returned_memory(returning(2.0));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->warm.value, 180e3, 20e3);
  ASSERT_TRUE(found->returned);
  EXPECT_NEAR(found->returned->value, 4.2e6, 0.4e6);
  EXPECT_EQ(found->other_frame, 1u) << "free for an unknown time";
  ASSERT_GE(found->ages.size(), 6u);
  for (ReturnedAge const& a : found->ages) {
    if (a.to_s <= 2.0) EXPECT_EQ(a.returned, 0u) << a.from_s;
    if (a.from_s >= 2.0) EXPECT_EQ(a.returned, a.faults) << a.from_s;
  }
}

TEST(ReturnedMemory, AHostThatTakesNothingBackReturnsNothing) {
  auto const found = returned_memory(returning(1e9));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->returned);
  EXPECT_FALSE(returned_memory(fixture("amd-genoa-guest-linux.folioscope")));
}

}  // namespace
}  // namespace folioscope
