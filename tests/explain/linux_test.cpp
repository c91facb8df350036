// SPDX-License-Identifier: Apache-2.0
// The record of a real Linux beside a real sweep of the same machine, and memory that a made-up host takes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

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

TEST(LinuxFixture, ClearsApartAgreeWithUserSpaceAndTheUseExplainsTheRest) {
  std::vector<Campaign> const campaigns{fixture("amd-genoa-guest-linux.folioscope")};
  Explanation const e = explain(campaigns);
  std::size_t apart = 0, together = 0;
  for (LinuxRatio const& r : e.linux_ratios) {
    if (!r.path.starts_with("anon-w-seq") || !r.predicted) continue;
    bool const is_apart = r.path.find("apart") != std::string::npos;
    (is_apart ? apart : together) += 1;
    if (is_apart) {
      EXPECT_FALSE(r.disagrees) << r.path << " " << r.shown.ratio;
    } else if (r.disagrees) {
      EXPECT_NE(r.why.find("the use"), std::string::npos) << r.why;
      ASSERT_TRUE(r.with_fixed_cost);
      EXPECT_NEAR(*r.with_fixed_cost, r.shown.ratio, 0.15 * r.shown.ratio);
    }
  }
  EXPECT_EQ(apart, 3u);
  EXPECT_EQ(together, 3u);
  for (PathBillLine const& line : e.path_bills)
    if (line.first && line.last && line.reference) {
      EXPECT_LT(line.ratio.ratio, 0.8) << line.path << ": the clear saves more than the use takes back";
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

/// The second machine, where order makes no difference to rep stosb: every path that clears has its prediction, tasks
/// on every CPU, hugetlb and tmpfs too. Two blocks of each placement are kept.
TEST(LinuxRatios, EveryPathOfTheTurinGuestIsPredicted) {
  Capsule const capsule =
      Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures/amd-turin-guest-linux.folioscope");
  std::vector<Campaign> const campaigns{capsule.load(1), capsule.load(2)};
  Explanation const e = explain(campaigns);
  std::set<std::string> paths;
  for (LinuxRatio const& r : e.linux_ratios) {
    EXPECT_TRUE(r.predicted) << r.path << " t" << r.target;
    paths.insert(r.path);
    if (r.path.starts_with("anon-w-seq") && r.path.find("apart") != std::string::npos)
      EXPECT_NEAR(r.shown.ratio, 1, 0.08) << r.path;
    if (r.path.starts_with("fallocate-tmpfs")) EXPECT_EQ(r.order, "sequential") << "told by the lines near afterwards";
  }
  for (char const* path : {"fault-order thp", "populate-touch, 2 tasks", "anon-w-seq-hugetlb hugetlb-2M, 2 tasks",
                           "fallocate-tmpfs-never", "fallocate-hugetlb hugetlb-2M"})
    EXPECT_TRUE(paths.contains(path)) << path;
  for (FaultOrderFinding const& f : e.fault_orders) {
    ASSERT_TRUE(f.probe) << "checked as it ran";
    EXPECT_GE(f.probe->least_right, 0.95);
    EXPECT_EQ(f.probe->levels.size(), 4u);
    if (f.backing.kind != BackingKind::thp) continue;
    EXPECT_FALSE(f.best_index) << "no page is faster than page 0";
    EXPECT_EQ(f.recognition.candidates.front(), "target_last") << f.recognition.why;
    EXPECT_EQ(f.near_levels[1].level, "L2");
    EXPECT_GT(f.near_levels[1].share, 0.95);
    EXPECT_LT(f.last_levels[1].share, 0.1);
  }
}

/// Recorded where the time says nothing: what lies near after a fault does. Three blocks of each placement are kept.
TEST(LinuxFixture, TurinGuestClearsTargetLastThoughItsTimesAreFlat) {
  Campaign const linux_here = fixture("amd-turin-guest-fault-order.folioscope");
  auto const found = fault_orders({&linux_here, 1});
  ASSERT_EQ(found.size(), 1u);
  FaultOrderFinding const& f = found.front();
  EXPECT_EQ(f.recognition.recognised, Recognised::target_last) << f.recognition.why;
  EXPECT_NE(f.recognition.why.find("lines near after a fault"), std::string::npos);
  EXPECT_EQ(f.agrees, true);
  EXPECT_FALSE(f.best_index);
  for (FaultPoint const& p : f.curve) EXPECT_NEAR(p.against_first.ratio, 1, 0.05) << p.index;
}

/// A tmpfs that clears upwards in `us` a folio, as the lines near after it show, beside faults that take 60.
Campaign tmpfs_beside_faults(double us, double near_ns, double last_ns) {
  Cell fault;
  fault.kernel = "linux_fault";
  fault.backing = {BackingKind::thp, {}};
  fault.footprint = fault.call = 2_MiB;
  Cell upwards = fault, tmpfs = fault;
  upwards.order = "touch_first";
  upwards.target = 511;
  upwards.run = 4_KiB;
  tmpfs.kernel = "linux_fallocate_tmpfs_always";
  tmpfs.backing = {BackingKind::tmpfs, {}};
  synthetic::Request request;
  request.plan.base_page = 4_KiB;
  request.plan.folio = 2_MiB;
  for (Cell const& c : {fault, upwards, tmpfs}) request.plan.cells.push_back({c, {{0_B, 2_MiB}}});
  request.true_ns = [us](Cell const& c) {
    return 1e3 * (c.backing.kind == BackingKind::tmpfs ? us : c.target ? 60 : 150);
  };
  Campaign c = synthetic::campaign(request);
  c.header.kind = "linux";
  for (Block const& b : c.blocks)
    for (auto const& [series, ns] : {std::pair("clear.near", near_ns), std::pair("clear.last", last_ns),
                                     std::pair("clear.cached", 2.0), std::pair("clear.cold", 100.0)})
      c.points.push_back({series, "tmpfs", 0, ns, 2u, b.id});
  return c;
}

TEST(LinuxRatios, ATmpfsIsHeldAgainstAFaultClearedUpwards) {
  auto const of = [](Campaign const& c) {
    auto const all = linux_ratios({&c, 1}, fault_orders({&c, 1}));
    auto const it = std::ranges::find_if(all, [](LinuxRatio const& r) { return r.path.starts_with("fallocate"); });
    EXPECT_NE(it, all.end());
    return it == all.end() ? LinuxRatio{} : *it;
  };
  LinuxRatio const alike = of(tmpfs_beside_faults(60, 100, 3));
  EXPECT_EQ(alike.order, "sequential");
  ASSERT_TRUE(alike.predicted);
  EXPECT_EQ(alike.predicted->ratio, 1);
  EXPECT_NEAR(alike.shown.ratio, 1, 0.02);
  LinuxRatio const cheaper = of(tmpfs_beside_faults(40, 100, 3));
  EXPECT_TRUE(cheaper.disagrees);
  EXPECT_FALSE(cheaper.why.empty());
  LinuxRatio const other = of(tmpfs_beside_faults(60, 3, 100));
  EXPECT_NE(other.order, "sequential");
  EXPECT_FALSE(other.predicted) << "nobody swept it";
  LinuxRatio const untold = of(tmpfs_beside_faults(60, 20, 20));
  ASSERT_TRUE(untold.predicted) << "by release, as faults are";
  EXPECT_EQ(untold.predicted->ratio, 1);
  EXPECT_NE(untold.predicted_by, alike.predicted_by);
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
    c.points.push_back({"fault.since_free", "same frame", age, ns, 0u, 0u});
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
  auto const real = returned_memory(fixture("amd-genoa-guest-linux.folioscope"));
  ASSERT_TRUE(real);
  EXPECT_EQ(real->reporting_order, 9u);
  EXPECT_GE(real->ages.size(), 4u) << "at once, and after seconds";
}

}  // namespace
}  // namespace folioscope
