// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "measure/measure.hpp"
#include "orders/order.hpp"

namespace folioscope {
namespace {

Visits some_visits(std::string const& order, Bytes extent, Bytes run, std::uint64_t seed) {
  VisitRequest request;
  request.order = *parse_order(order);
  request.extent = extent;
  if (order != "sequential") request.run = run;
  request.target_page = extent / 4096_B / 3;
  request.base_page = 4096_B;
  request.seed = seed;
  return visits(request);
}

TEST(CallsOf, CoverEveryByteOnceInTheOrderOfTheVisits) {
  for (Order const* order : order_catalogue())
    for (Bytes run : {64_B, 4_KiB, 64_KiB})
      for (Bytes call : {64_B, 192_B, 4_KiB, 2_MiB}) {
        Visits const all = some_visits(std::string(order->name), 256_KiB, run, 7);
        auto const calls = calls_of(all, call);
        std::size_t next = 0;
        for (Stretch const& stretch : all) {
          std::uint64_t at = stretch.offset.value;
          for (; at < stretch.offset.value + stretch.length.value; ++next) {
            ASSERT_LT(next, calls.size()) << order->name;
            ASSERT_EQ(calls[next].offset, at) << order->name;
            ASSERT_GT(calls[next].length, 0u);
            ASSERT_LE(calls[next].length, call.value);
            at += calls[next].length;
          }
          ASSERT_EQ(at, stretch.offset.value + stretch.length.value) << "a call crosses its stretch";
        }
        EXPECT_EQ(next, calls.size());
      }
}

TEST(CallsOf, HandsAWholeStretchOverAtOnce) {
  auto const calls = calls_of({{0_B, 1_MiB}, {2_MiB, 4_KiB}}, 2_MiB);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].length, 1u << 20);
  EXPECT_EQ(calls[1].offset, 2u << 20);
}

/// What the timed loop does with a plan: the lines prefetched before each call.
std::vector<std::vector<std::uint32_t>> by_call(std::span<Call const> calls, std::vector<std::uint32_t> const& plan) {
  std::vector<std::vector<std::uint32_t>> lines(calls.size());
  std::size_t at = 0;
  for (auto& of_call : lines) {
    std::uint32_t const count = plan.at(at++);
    for (std::uint32_t i = 0; i < count; ++i) of_call.push_back(plan.at(at++));
  }
  EXPECT_EQ(at, plan.size());
  return lines;
}

TEST(PrefetchPlan, NamesTheNextLinesOfTheOrderOnceAndInOrder) {
  for (char const* order : {"sequential", "reverse", "random", "target_last"})
    for (Bytes call : {64_B, 4_KiB, 64_KiB})
      for (Bytes ahead : {64_B, 512_B, 4_KiB, 1_MiB}) {
        auto const calls = calls_of(some_visits(order, 128_KiB, 4_KiB, 3), call);
        auto const lines = by_call(calls, prefetch_plan(calls, ahead, 64_B));
        std::vector<std::uint32_t> walked;  // every line in the order of visits
        for (Call const& c : calls)
          for (std::uint32_t at = c.offset; at < c.offset + c.length; at += 64) walked.push_back(at);
        std::size_t cleared = 0, named = calls.front().length / 64;
        for (std::size_t i = 0; i < calls.size(); ++i) {
          cleared += calls[i].length / 64;
          named = std::max(named, cleared);
          for (std::uint32_t line : lines[i]) {
            ASSERT_LT(named, walked.size());
            EXPECT_EQ(line, walked[named++]) << order << " call " << i;
          }
          EXPECT_EQ(named, std::min(walked.size(), cleared + ahead.value / 64)) << order << " call " << i;
        }
      }
}

TEST(PrefetchPlan, CallsShorterThanALineNameItOnce) {
  auto const calls = calls_of({{0_B, 1024_B}}, 64_B);
  std::multiset<std::uint32_t> named;
  for (auto const& of_call : by_call(calls, prefetch_plan(calls, 512_B, 256_B)))
    named.insert(of_call.begin(), of_call.end());
  EXPECT_EQ(named, (std::multiset<std::uint32_t>{256, 512, 768}));
}

TEST(PrefetchPlan, IsEmptyWithoutPrefetch) {
  EXPECT_TRUE(prefetch_plan(std::vector<Call>{{0, 4096}}, 0_B, 64_B).empty());
}

TEST(CopiesNeeded, ReachAThousandTicks) {
  EXPECT_EQ(copies_needed(Nanoseconds(100), Nanoseconds(40)), 400u);
  EXPECT_EQ(copies_needed(Nanoseconds(40'000), Nanoseconds(40)), 1u);
  EXPECT_EQ(copies_needed(Nanoseconds(39'999), Nanoseconds(40)), 2u);
  EXPECT_EQ(copies_needed(Nanoseconds(1e9), Nanoseconds(10)), 1u);
  EXPECT_EQ(copies_needed(Nanoseconds(0), Nanoseconds(40)), 1000u) << "shorter than a tick counts as a tick";
}

}  // namespace
}  // namespace folioscope
