// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "stats/verdict.hpp"
#include "synthetic/synthetic.hpp"

namespace folioscope {
namespace {

TEST(Refused, SamplesOfALostPlacementCountNowhere) {
  synthetic::Request request;
  request.plan = synthetic::plan_of({});
  request.true_ns = synthetic::by_order({{"reverse", 2.0}});
  request.placements = 12;
  Campaign campaign = synthetic::campaign(request);
  std::uint32_t cell = 0;
  while (campaign.plan.cells[cell].cell.order != "reverse") ++cell;
  // The third placement's backing was lost half way: what it gave is of other memory.
  std::uint32_t const lost = campaign.blocks[6].placement;
  for (Sample& s : campaign.samples)
    if (s.cell == cell && campaign.blocks[s.block].placement == lost) s.wall = s.wall * 50.0;
  auto ratio = [&] {
    Campaign const all[] = {campaign};
    for (Verdict const& v : judge(all).verdicts)
      if (v.cell == cell) return v.estimate;
    return Estimate{};
  };
  EXPECT_GT(ratio().ratio, 2.2) << "the spoiled placement must matter for this test to mean anything";
  campaign.refused.push_back({cell, lost, {"thp", "no longer huge", ""}});
  EXPECT_NEAR(ratio().ratio, 2.0, 0.05);
  EXPECT_EQ(ratio().n, 11u);
}

}  // namespace
}  // namespace folioscope
