// SPDX-License-Identifier: Apache-2.0
#include "measure/use.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace folioscope {
namespace {

constexpr Bytes used_extent = 64_KiB;
constexpr std::uint64_t line_words = 8;

/// How often each line of a folio was used.
std::vector<std::uint64_t> touched(Use const& use, Bytes length = used_extent) {
  std::vector<std::uint64_t> memory(length.value / 8 + 2 * line_words, 0);
  auto* const folio = reinterpret_cast<std::byte*>(memory.data() + line_words);
  use_folio(ready(use, length, 4_KiB, 5), folio);
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; i < memory.size(); ++i)
    if (i % line_words == 0)
      lines.push_back(memory[i]);
    else
      EXPECT_EQ(memory[i], 0u) << "only the first 8 bytes of a line are used";
  EXPECT_EQ(lines.front(), 0u) << "before the folio";
  EXPECT_EQ(lines.back(), 0u) << "behind the folio";
  return {lines.begin() + 1, lines.end() - 1};
}

std::uint64_t total_of(std::vector<std::uint64_t> const& v) {
  return std::accumulate(v.begin(), v.end(), std::uint64_t{0});
}

class EveryPattern : public testing::TestWithParam<Pattern> {};

TEST_P(EveryPattern, UsesEachLineOfItsShareOnce) {
  for (double const fraction : {0.001, 0.01, 0.1, 0.5, 1.0}) {
    Use use{GetParam(), fraction, Access::modify, false, {}};
    if (has_target(use.pattern)) use.target = 11;
    auto const lines = touched(use);
    for (auto const n : lines) ASSERT_LE(n, 1u);
    auto const expected =
        use.pattern == Pattern::target ? 64 : std::max<std::uint64_t>(1, std::llround(1024 * fraction));
    EXPECT_EQ(total_of(lines), expected) << fraction;
  }
}

TEST_P(EveryPattern, ReadsWithoutWriting) {
  Use use{GetParam(), 1, Access::read, false, {}};
  if (has_target(use.pattern)) use.target = 0;
  EXPECT_EQ(total_of(touched(use)), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPattern,
                         testing::Values(Pattern::target, Pattern::ascending, Pattern::from_target, Pattern::descending,
                                         Pattern::random),
                         [](auto const& p) { return to_string(p.param); });

TEST(UseFolio, BeginsWhereItsPatternBegins) {
  auto const up = touched({Pattern::ascending, 0.25, Access::modify, false, {}});
  auto const down = touched({Pattern::descending, 0.25, Access::modify, false, {}});
  auto const round = touched({Pattern::from_target, 0.5, Access::modify, false, 12});
  for (std::uint64_t i = 0; i < 1024; ++i) {
    EXPECT_EQ(up[i], i < 256);
    EXPECT_EQ(down[i], i >= 768);
    EXPECT_EQ(round[i], i >= 768 || i < 256) << "round the end of the folio";
  }
}

TEST(UseFolio, RandomIsScatteredAndCoversExtentsThatAreNoPowerOfTwo) {
  auto const some = touched({Pattern::random, 0.25, Access::modify, false, {}});
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    std::uint64_t const n = std::accumulate(some.begin() + 256 * static_cast<int>(quarter),
                                            some.begin() + 256 * static_cast<int>(quarter + 1), std::uint64_t{0});
    EXPECT_GT(n, 32u);
    EXPECT_LT(n, 96u);
  }
  auto const all = touched({Pattern::random, 1, Access::modify, false, {}}, 12_KiB);
  for (auto const n : all) EXPECT_EQ(n, 1u);
}

TEST(UseFolio, TargetBeyondTheExtentIsTheLastPage) {
  auto const lines = touched({Pattern::target, 1, Access::modify, false, 99});
  for (std::uint64_t i = 0; i < 1024; ++i) EXPECT_EQ(lines[i], i >= 960);
}

TEST(ClearAndUse, GoesFolioByFolio) {
  std::vector<std::uint64_t> memory(2 * used_extent.value / 8 + 512, 7);
  auto* const first =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 4095) / 4096 * 4096);
  std::vector<std::byte*> const folios{first, first + 32768};
  std::vector<Call> const calls{{0, 16384}, {16384, 16384}};
  Walk what;
  what.clear = [](void* to, std::size_t n) { std::memset(to, 0, n); };
  what.folios = folios;
  what.calls = calls;
  Bill const bill = clear_and_use(what, ready({Pattern::ascending, 1, Access::modify, false, {}}, 32_KiB, 4_KiB, 1));
  EXPECT_GT(bill.clears.end, bill.clears.start);
  EXPECT_GT(bill.use_ticks, 0u);
  for (auto const* folio : folios)
    for (std::size_t i = 0; i < 32768; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, folio + i, 8);
      ASSERT_EQ(word, i % 64 == 0 ? 1u : 0u) << "cleared first, then used";
    }
}

}  // namespace
}  // namespace folioscope
