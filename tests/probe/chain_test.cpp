// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "probe/chain.hpp"

namespace folioscope {
namespace {

TEST(Chain, NeedsNoPointersInTheLines) {
  // Were a loaded value to leak into an address, all ones would fault.
  std::vector<std::byte> memory(4096, std::byte{0xff});
  std::vector<std::uint32_t> const offsets{0, 64, 4088, 128, 4032};
  EXPECT_GT(chase_ticks(memory.data(), offsets, 100), 0u);
  for (auto byte : memory) ASSERT_EQ(byte, std::byte{0xff});
}

TEST(Chain, ReadsWhatItIsTold) {
  // Each offset really is read: a chain over a page that may not be read dies.
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* p = static_cast<std::byte*>(mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(p, MAP_FAILED);
  ASSERT_EQ(mprotect(p + page, page, PROT_NONE), 0);
  std::vector<std::uint32_t> offsets{0, static_cast<std::uint32_t>(page - 8)};
  EXPECT_GT(chase_ticks(p, offsets), 0u);
  offsets.push_back(static_cast<std::uint32_t>(page));
  EXPECT_DEATH(chase_ticks(p, offsets), "");
  munmap(p, 2 * page);
}

TEST(Chain, OfNothingIsTheClocksOwnCost) {
  std::byte const byte{};
  EXPECT_LT(chase_ticks(&byte, {}), 1'000'000'000u);
}

TEST(Curve, CoversTheSizesAskedFor) {
  LatencyRequest request;
  request.largest = 1_MiB;
  request.budget = Nanoseconds(2e7);
  auto const curve = idle_latency_curve(request);
  ASSERT_FALSE(curve.empty());
  EXPECT_EQ(curve.front().size, 4_KiB);
  EXPECT_EQ(curve.back().size, 1_MiB);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_GT(curve[i].per_load.value, 0);
    EXPECT_EQ(curve[i].size.value % 64, 0u);
    if (i == 0) continue;
    auto const step = static_cast<double>(curve[i].size.value) / static_cast<double>(curve[i - 1].size.value);
    EXPECT_GT(step, 1.3);
    EXPECT_LT(step, 1.5);
  }
}

TEST(Curve, OfLessThanAPageIsEmpty) {
  LatencyRequest request;
  request.largest = 1_KiB;
  EXPECT_TRUE(idle_latency_curve(request).empty());
}

}  // namespace
}  // namespace folioscope
