// SPDX-License-Identifier: Apache-2.0
#include "probe/corunner.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstring>

namespace folioscope {
namespace {

unsigned some_cpu() { return static_cast<unsigned>(std::max(0, sched_getcpu())); }

TEST(Corunner, WorksOnlyWhenTold) {
  std::atomic<int> steps{0};
  auto hired = Corunner::hire(some_cpu(), [&] { ++steps; });
  ASSERT_TRUE(hired) << hired.refusal().reason;
  EXPECT_EQ(steps, 0);
  for (int round = 0; round < 3; ++round) {
    hired->go();
    EXPECT_GT(steps, 0) << "a first step is done when go() returns";
    hired->rest();
    int const then = steps;
    sched_yield();
    EXPECT_EQ(steps, then) << "no step after rest()";
    steps = 0;
  }
  EXPECT_GE(hired->steps(), 3u);
}

TEST(Corunner, EndsWhileItWorks) {
  auto hired = Corunner::hire(some_cpu(), [] {});
  ASSERT_TRUE(hired);
  hired->go();
}

TEST(Corunner, IsRefusedWhereItCannotBePinned) {
  auto const hired = Corunner::hire(1u << 20, [] {});
  ASSERT_FALSE(hired);
  EXPECT_NE(hired.refusal().reason.find("pinned"), std::string::npos);
}

TEST(Work, StaysInItsOwnMemoryHoweverOftenItIsDone) {
  auto press = pressing_on(100_KiB);  // no multiple of what a step does
  for (int i = 0; i < 5; ++i) press();
  static std::size_t cleared = 0;
  auto clear = clearing([](void* to, std::size_t n) { std::memset(to, 0, n), cleared += n; }, 100_KiB, 64_KiB);
  for (int i = 0; i < 5; ++i) clear();
  EXPECT_EQ(cleared, 5 * 65536u);
}

TEST(Loaded, CurveHasTheSameSizesAsTheIdleOne) {
  auto hired = Corunner::hire(some_cpu(), pressing_on(1_MiB));
  ASSERT_TRUE(hired);
  LatencyRequest request;
  request.largest = 64_KiB;
  request.budget = Nanoseconds(1e6);
  auto const loaded = loaded_latency_curve(request, *hired);
  auto const idle = idle_latency_curve(request);
  ASSERT_EQ(loaded.size(), idle.size());
  for (std::size_t i = 0; i < idle.size(); ++i) EXPECT_EQ(loaded[i].size, idle[i].size);
}

}  // namespace
}  // namespace folioscope
