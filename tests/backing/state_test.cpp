// SPDX-License-Identifier: Apache-2.0
#include "backing/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backing/pool.hpp"
#include "here.hpp"

namespace folioscope {
namespace {

using testing_here::this_machine;

/// Extents with a line of guard bytes around each.
class Extents {
 public:
  Extents(std::size_t count, Bytes length) : length_(length) {
    auto const stride = length.value + 2 * kGuard;
    memory_.resize(count * stride + kGuard, kMark);
    auto* first = memory_.data() + (kGuard - reinterpret_cast<std::uintptr_t>(memory_.data()) % kGuard);
    for (std::size_t i = 0; i < count; ++i) extents_.push_back(first + i * stride);
  }
  std::vector<std::byte*> const& all() const { return extents_; }
  bool guards_stand() const {
    std::size_t marks = 0;
    std::size_t inside = 0;
    for (auto* extent : extents_) inside += static_cast<std::size_t>(std::count(extent, extent + length_.value, kMark));
    marks = static_cast<std::size_t>(std::count(memory_.begin(), memory_.end(), kMark));
    return marks - inside == memory_.size() - extents_.size() * length_.value;
  }
  template <class Predicate>
  bool every_word(Predicate predicate) const {
    for (auto* extent : extents_)
      for (std::uint64_t i = 0; i < length_.value; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, extent + i, 8);
        if (!predicate(word)) return false;
      }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr std::byte kMark{0x77};
  Bytes length_;
  std::vector<std::byte> memory_;
  std::vector<std::byte*> extents_;
};

bool no_zero_byte(std::uint64_t word) {
  for (int i = 0; i < 8; ++i)
    if (((word >> (8 * i)) & 0xff) == 0) return false;
  return true;
}

class EveryState : public testing::TestWithParam<State> {};

TEST_P(EveryState, HoldsWhatItPromisesAndNothingElseIsWritten) {
  if (auto refusal = refuse(GetParam(), this_machine())) GTEST_SKIP() << refusal->reason;
  for (auto length : {64_B, 192_B, 4_KiB, Bytes(4096 * 3 + 64), 128_KiB})
    for (std::size_t count : {1, 2, 5}) {
      Extents const extents(count, length);
      Random random(count);
      make_state(GetParam(), extents.all(), length, 4_KiB, random);
      EXPECT_TRUE(extents.guards_stand()) << length.value;
      if (GetParam() == State::cold_zero)
        EXPECT_TRUE(extents.every_word([](std::uint64_t word) { return word == 0; })) << length.value;
      else
        EXPECT_TRUE(extents.every_word(no_zero_byte)) << length.value;
    }
}

INSTANTIATE_TEST_SUITE_P(States, EveryState, testing::Values(State::cold, State::hot, State::cold_zero),
                         [](auto const& state) {
                           return state.param == State::cold_zero ? "cold_zero" : to_string(state.param);
                         });

/// Levels with which every latency, or none, is memory's.
std::vector<LatencyLevel> levels(double cache, double memory) {
  return {{"L1", 1_MiB, Nanoseconds(cache)}, {"memory", 64_MiB, Nanoseconds(memory)}};
}

class Check : public testing::Test {
 protected:
  StateCheck check(State state, std::vector<LatencyLevel> const& seen, std::size_t count = 4, Bytes length = 16_KiB) {
    Extents const extents(count, length);
    return check_state(state, extents.all(), length, 4_KiB, seen, clock_, random_);
  }
  Clock clock_;
  Random random_{1};
};

TEST_F(Check, SharesFollowTheLevels) {
  auto const nothing_is_memory = levels(1e12, 1e13);
  auto const all_is_memory = levels(1e-9, 1e-8);
  for (auto state : {State::cold, State::cold_zero}) {
    EXPECT_EQ(check(state, nothing_is_memory).share, 0);
    EXPECT_EQ(check(state, all_is_memory).share, 1);
  }
  EXPECT_EQ(check(State::hot, nothing_is_memory).share, 1);
  EXPECT_EQ(check(State::hot, all_is_memory).share, 0);
  EXPECT_TRUE(check(State::hot, all_is_memory).promised);
  EXPECT_FALSE(check(State::hot, all_is_memory, 8, 256_KiB).promised) << "2 MiB do not fit 1 MiB of cache";
  EXPECT_TRUE(check(State::cold, all_is_memory, 8, 256_KiB).promised);
}

TEST_F(Check, CountsLines) {
  auto const seen = levels(1, 100);
  auto const one = check(State::cold, seen, 1, 4_KiB);
  EXPECT_EQ(one.samples, 16u);
  EXPECT_GT(one.median_latency.value, 0);
  EXPECT_EQ(check(State::cold, seen, 4, 16_KiB).samples, 16 * 16u);
  EXPECT_EQ(check(State::cold, seen, 40, 64_KiB).samples, 96 * 16u) << "bounded";
  EXPECT_EQ(check(State::cold, seen, 3, 128_B).samples, 3u);
  clock_.tick = Nanoseconds(40);  // coarse: whole pages, but for the line that brings the translation
  EXPECT_EQ(check(State::cold, seen, 1, 4_KiB).samples, 63u);
}

TEST_F(Check, CannotTellWithoutLevels) {
  EXPECT_EQ(check(State::cold, {}).samples, 0u);
  EXPECT_EQ(check(State::cold, {{"memory", 64_MiB, Nanoseconds(100)}}).samples, 0u);
  EXPECT_EQ(check(State::cold, levels(1, 100), 0).samples, 0u);
  EXPECT_EQ(check(State::cold, levels(1, 100), 1, 64_B).samples, 0u);
}

}  // namespace
}  // namespace folioscope
