// SPDX-License-Identifier: Apache-2.0
// What a shape is, and what it costs.
#include "model/cost.hpp"

#include <gtest/gtest.h>

#include "orders/order.hpp"

namespace folioscope {
namespace {

PlannedCell planned(std::string const& order, std::uint64_t run, std::uint64_t call = 4096, std::uint64_t folios = 1) {
  PlannedCell p;
  p.cell.kernel = "rep_stosb";
  p.cell.order = order;
  p.cell.call = Bytes(call);
  p.cell.footprint = 2_MiB * folios;
  VisitRequest request;
  request.order = *parse_order(order);
  request.extent = 2_MiB;
  request.base_page = 4_KiB;
  request.target_page = 128;
  if (order != "sequential") p.cell.run = request.run = Bytes(run);
  p.visits = visits(request);
  return p;
}

PassShape shape(std::string const& order, std::uint64_t run, std::uint64_t call = 4096, std::uint64_t folios = 1) {
  return shape_of(planned(order, run, call, folios), 4_KiB, 2_MiB);
}

double count(PassShape const& s, std::optional<std::uint32_t> others) {
  double n = 0;
  for (StretchKind const& k : s.stretches)
    if (k.others == others) n += k.count;
  return n;
}

TEST(Shape, SequentialIsOneStretchAFolio) {
  auto const s = shape("sequential", 0, 4096, 3);
  ASSERT_EQ(s.stretches.size(), 1u);
  EXPECT_EQ(s.stretches[0].count, 3);
  EXPECT_EQ(s.stretches[0].length, 2097152);
  EXPECT_EQ(s.calls, 3 * 512);
  EXPECT_EQ(s.fences, 0);
}

TEST(Shape, DescendingRunsAllStartAnew) {
  auto const s = shape("reverse", 16384);
  EXPECT_EQ(count(s, std::nullopt), 128);
  EXPECT_EQ(s.calls, 512);
}

TEST(Shape, StreamsByTurnsGoOnWithTheOthersBetween) {
  auto const s = shape("streams@4", 4096);
  EXPECT_EQ(count(s, std::nullopt), 4);
  EXPECT_EQ(count(s, 3), 508);
}

TEST(Shape, TargetLastHasAnAscendingStreamBesideADescendingOne) {
  auto const s = shape("target_last", 4096);  // target N/4: half descends, then two meet
  EXPECT_EQ(count(s, 1), 127);
  // The last page of the ascending half and the target follow each other.
  EXPECT_EQ(count(s, std::nullopt), 256 + 1 + 127);
}

TEST(Cost, PricesWhatItSays) {
  PhysicalValues v{};
  v[static_cast<std::size_t>(Physical::stream)] = 0.03;
  EXPECT_DOUBLE_EQ(cost(shape("reverse", 4096), v), 0.03 * 2097152);
  v[static_cast<std::size_t>(Physical::page_start)] = 200;
  v[static_cast<std::size_t>(Physical::run_up)] = 8192;
  v[static_cast<std::size_t>(Physical::streams)] = 8;
  EXPECT_DOUBLE_EQ(cost(shape("reverse", 4096), v), 0.03 * 2097152 + 512 * 200);
  EXPECT_DOUBLE_EQ(cost(shape("reverse", 16384), v), 0.03 * 2097152 + 128 * 400) << "half of each run has run up";
  EXPECT_LT(cost(shape("streams@2", 4096), v), 1.02 * cost(shape("sequential", 0), v));
  EXPECT_GT(cost(shape("streams@64", 4096), v), 0.95 * cost(shape("reverse", 4096), v));
  v[static_cast<std::size_t>(Physical::write_back)] = 0.01;
  v[static_cast<std::size_t>(Physical::llc_share)] = 4 << 20;
  EXPECT_NEAR(cost(shape("sequential", 0, 4096, 4), v), (0.03 * 8 + 0.01 * 4) * 1048576 + 4 * 400, 1e-6);
  v[static_cast<std::size_t>(Physical::call)] = 10;
  EXPECT_NEAR(cost(shape("sequential", 0, 1024), v) - cost(shape("sequential", 0, 4096), v), 10 * (2048 - 512), 1e-6);
  double const before = cost(shape("reverse", 4096, 4096, 4), v), fits = cost(shape("reverse", 4096), v);
  v[static_cast<std::size_t>(Physical::spilled_start)] = 30;
  EXPECT_NEAR(cost(shape("reverse", 4096, 4096, 4), v) - before, 4 * 512 * 30 * 0.5, 1e-6) << "half is beyond";
  EXPECT_EQ(cost(shape("reverse", 4096), v), fits);
}

TEST(Cost, HalfIsLostWithAsManyStreamsAsAreFollowed) {
  EXPECT_EQ(lost_share(0, 8), 0);
  EXPECT_DOUBLE_EQ(lost_share(8, 8), 0.5);
  EXPECT_LT(lost_share(3, 8), 0.05);
  EXPECT_GT(lost_share(31, 8), 0.95);
}

}  // namespace
}  // namespace folioscope
