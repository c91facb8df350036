// SPDX-License-Identifier: Apache-2.0
// What the simulation says of orders whose answer is known by hand.
#include "model/caches.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "orders/order.hpp"

namespace folioscope {
namespace {

constexpr double lines = 32768;  // of a folio

Visits order(std::string const& name, Bytes run = 4_KiB, std::uint64_t target = 128) {
  VisitRequest request;
  request.order = *parse_order(name);
  request.extent = 2_MiB;
  request.base_page = 4_KiB;
  request.target_page = target;
  if (name != "sequential") request.run = run;
  return visits(request);
}

double demand(Visits const& visits, bool down = false, CacheModel const& model = {}) {
  return simulated_demand({&visits, 4_KiB, down}, model) * lines;
}

TEST(Demand, IsTheTrainingOfEachStream) {
  EXPECT_EQ(demand(order("sequential")), 2);
  EXPECT_EQ(demand(order("reverse")), 512 * 2) << "each page is a stream of its own";
  EXPECT_EQ(demand(order("reverse", 16_KiB)), 128 * 2);
  EXPECT_EQ(demand(order("reverse", 64_B)), 2) << "lines that descend are one stream";
  CacheModel slow;
  slow.training = 7;
  EXPECT_EQ(demand(order("reverse"), false, slow), 512 * 7);
}

TEST(Demand, DescendingInsideCallsStartsAnewAtEachCall) {
  EXPECT_EQ(demand(order("sequential"), true), 512 * 2);
  EXPECT_EQ(demand(order("reverse"), true), 2) << "all lines descend";
}

TEST(Demand, StreamsByTurnsAreFollowedUpToTheNumberOfTrackers) {
  EXPECT_EQ(demand(order("streams@16")), 16 * 2);
  EXPECT_EQ(demand(order("streams@32")), 512 * 2) << "the quietest was forgotten";
}

TEST(Demand, TargetLastHasAFarRegionOfSinglePages) {
  // 255 pages descend beyond twice the target; below, pages alternate: those that ascend go on, those that descend do
  // not.
  double const far = demand(order("target_last"));
  EXPECT_GT(far, 0.7 * 512 * 2);
  EXPECT_LT(far, 512 * 2);
}

TEST(Residency, SharesOfAPageAreOne) {
  CacheModel const model{64_B, {{"L1", 32_KiB}, {"L2", 1_MiB}}};
  auto const v = order("random");
  for (auto const& page : simulated_residency({&v, 4_KiB, false}, 4_KiB, 3, model))
    EXPECT_NEAR(std::accumulate(page.begin(), page.end(), 0.0), 1, 1e-9);
}

TEST(Residency, WhatWasWrittenLastIsNearest) {
  CacheModel const model{64_B, {{"L1", 32_KiB}, {"L2", 1_MiB}}};
  auto const v = order("sequential");
  auto const one = simulated_residency({&v, 4_KiB, false}, 4_KiB, 1, model);
  ASSERT_EQ(one.size(), 512u);
  EXPECT_EQ(one[511][0], 1) << "eight pages in L1";
  EXPECT_EQ(one[504][0], 1);
  EXPECT_EQ(one[503][1], 1);
  EXPECT_EQ(one[256][1], 1) << "a MiB in all, the L1's included";
  EXPECT_EQ(one[255][2], 1);
  auto const last = order("target_last");
  EXPECT_EQ(simulated_residency({&last, 4_KiB, false}, 4_KiB, 1, model)[128][0], 1);
  auto const four = simulated_residency({&v, 4_KiB, false}, 4_KiB, 4, model);
  EXPECT_EQ(four[511][0], 0.25) << "of one folio in four";
}

}  // namespace
}  // namespace folioscope
