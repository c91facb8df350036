// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "terms/latency.hpp"
#include "terms/random.hpp"

namespace folioscope {
namespace {

using Curve = std::vector<LatencyPoint>;

Curve recorded(std::initializer_list<std::pair<unsigned, double>> kib_and_ns) {
  Curve curve;
  for (auto [kib, ns] : kib_and_ns) curve.push_back({Bytes(std::uint64_t{kib} << 10), Nanoseconds(ns)});
  return curve;
}

struct Cache {
  Bytes size;
  double ns;
};

/// A random walk of all lines of a set: of a cache of size c, min(1, c/set) hits, as under random replacement.
Curve synthetic(std::vector<Cache> const& caches, double memory_ns, Bytes largest) {
  Curve curve;
  for (double size = 4096; size <= static_cast<double>(largest.value) * 1.01; size *= std::sqrt(2.0)) {
    double missed = 1;
    double ns = 0;
    for (auto const& cache : caches) {
      auto const hit = std::min(1.0, std::pow(static_cast<double>(cache.size.value) / size, 2));
      ns += missed * hit * cache.ns;
      missed *= 1 - hit;
    }
    curve.push_back({Bytes(static_cast<std::uint64_t>(size)), Nanoseconds(ns + missed * memory_ns)});
  }
  return curve;
}

std::vector<std::string> names(std::vector<LatencyLevel> const& levels) {
  std::vector<std::string> out;
  for (auto const& level : levels) out.push_back(level.name);
  return out;
}

std::vector<std::string> const kFour{"L1", "L2", "L3", "memory"};

// Recorded on one virtual machine (Zen 4, a shared 32 MiB L3 of which the guest sees a few MiB, 1 to 2 other busy
// guests).
TEST(Levels, RecordedQuiet) {
  auto const curve =
      recorded({{4, 1.36},    {5, 1.35},    {8, 1.36},     {11, 1.36},    {16, 1.36},   {22, 1.36},   {32, 2.96},
                {45, 4.08},   {64, 4.08},   {90, 4.08},    {128, 4.11},   {181, 4.08},  {256, 4.09},  {362, 4.64},
                {512, 5.71},  {724, 6.68},  {1024, 9.58},  {1448, 11.6},  {2048, 13.8}, {2896, 16.3}, {4096, 18.8},
                {5792, 20.5}, {8192, 55.5}, {11584, 105},  {16384, 140},  {23168, 142}, {32768, 150}, {46336, 155},
                {65536, 157}, {92672, 156}, {131072, 167}, {185344, 162}, {262144, 174}});
  auto const levels = latency_levels(curve);
  ASSERT_EQ(names(levels), kFour);
  EXPECT_NEAR(levels[0].latency.value, 1.36, 0.02);
  EXPECT_NEAR(levels[1].latency.value, 4.08, 0.1);
  EXPECT_NEAR(levels[2].latency.value, 15, 4);
  EXPECT_NEAR(levels[3].latency.value, 155, 8);
  EXPECT_EQ(levels[0].up_to, 22_KiB);
  EXPECT_GE(levels[1].up_to, 362_KiB);
  EXPECT_LE(levels[1].up_to, 1_MiB);
  EXPECT_GE(levels[2].up_to, 2_MiB);
  EXPECT_LE(levels[2].up_to, 8_MiB);
  EXPECT_EQ(levels[3].up_to, 256_MiB);
}

TEST(Levels, RecordedSteepLastLevel) {
  auto const levels = latency_levels(recorded(
      {{4, 1.41},    {5, 1.41},    {8, 1.4},     {11, 1.4},    {16, 1.4},    {22, 1.39},  {32, 2.95},  {45, 4.17},
       {64, 4.19},   {90, 4.33},   {128, 4.19},  {181, 4.19},  {256, 4.19},  {362, 4.75}, {512, 5.38}, {724, 6.63},
       {1024, 9.89}, {1448, 11.9}, {2048, 14.9}, {2896, 18.5}, {4096, 60.3}, {5792, 115}, {8192, 133}, {11584, 139},
       {16384, 149}, {23168, 161}, {32768, 160}, {46336, 158}, {65536, 165}}));
  ASSERT_EQ(names(levels), kFour);
  EXPECT_NEAR(levels[2].latency.value, 13, 4);
}

TEST(Levels, RecordedWithOutliersAndLittleTime) {
  auto const levels = latency_levels(recorded(
      {{4, 1.5},     {5, 1.51},    {8, 1.53},    {11, 1.53},   {16, 1.62},   {22, 3.06},   {32, 4.29},   {45, 4.37},
       {64, 4.14},   {90, 4.11},   {128, 4.13},  {181, 4.13},  {256, 4.13},  {362, 9.08},  {512, 5.39},  {724, 6.73},
       {1024, 230},  {1448, 16.1}, {2048, 16.7}, {2896, 113},  {4096, 23.8}, {5792, 23.4}, {8192, 26.2}, {11584, 41.1},
       {16384, 105}, {23168, 151}, {32768, 158}, {46336, 148}, {65536, 156}, {92672, 160}, {131072, 180}}));
  ASSERT_EQ(names(levels), kFour);
  EXPECT_NEAR(levels[2].latency.value, 22, 6);
}

TEST(Levels, RecordedFarBeyondTranslation) {  // a gibibyte: page walks lift memory once more, which is no level
  auto const levels = latency_levels(
      recorded({{4, 1.41},     {5, 1.58},     {8, 1.46},     {11, 1.56},    {16, 1.62},    {22, 3.83},    {32, 4.33},
                {45, 4.32},    {64, 4.4},     {90, 4.41},    {128, 4.4},    {181, 4.61},   {256, 5.1},    {362, 5.65},
                {512, 7.43},   {724, 11.8},   {1024, 9.62},  {1448, 11.5},  {2048, 14.6},  {2896, 16.4},  {4096, 22.6},
                {5792, 98},    {8192, 133},   {11584, 152},  {16384, 157},  {23168, 165},  {32768, 169},  {46336, 166},
                {65536, 171},  {92672, 173},  {131072, 167}, {185344, 180}, {262144, 178}, {370688, 187}, {524288, 253},
                {741376, 263}, {1048576, 240}}));
  EXPECT_EQ(names(levels), kFour);
}

// A virtual Zen 5 whose hypervisor tells an L3 of 508 MiB: one line a page, each behind a nested page walk.
TEST(Levels, RecordedWithMoreLevelsThanCachesAreTold) {
  auto const curve =
      recorded({{4, 1.37},    {5, 1.38},    {8, 1.37},     {11, 1.37},    {16, 1.38},    {22, 1.38},    {32, 1.37},
                {45, 1.90},   {64, 4.06},   {90, 4.10},    {128, 4.08},   {181, 4.10},   {256, 4.10},   {362, 4.12},
                {512, 4.62},  {724, 5.31},  {1024, 8.39},  {1448, 12.2},  {2048, 14.6},  {2896, 16.3},  {4096, 21.0},
                {5792, 50.0}, {8192, 89.1}, {11584, 126},  {16384, 136},  {23168, 152},  {32768, 167},  {46336, 167},
                {65536, 194}, {92672, 210}, {131072, 258}, {185344, 289}, {262144, 326}, {370688, 332}, {524288, 366}});
  EXPECT_EQ(latency_levels(curve).size(), 5u);
  auto const levels = latency_levels(curve, {3, 508_MiB});
  ASSERT_EQ(names(levels), kFour);
  EXPECT_NEAR(levels[2].latency.value, 15, 4);
  EXPECT_NEAR(levels[3].latency.value, 155, 25);
  EXPECT_EQ(levels[3].up_to, 512_MiB);
}

// The same machine a few minutes later, several lines a page: its neighbours left it more of the L3.
TEST(Levels, RecordedWithACacheThatOthersUseToo) {
  auto const curve =
      recorded({{4, 1.37},    {5, 1.37},    {8, 1.37},     {11, 1.37},    {16, 1.37},    {22, 1.37},    {32, 1.37},
                {45, 2.3},    {64, 4.1},    {90, 4.1},     {128, 4.1},    {181, 4.1},    {256, 4.1},    {362, 4.1},
                {512, 4.6},   {724, 5.5},   {1024, 7.9},   {1448, 8.8},   {2048, 10.8},  {2896, 12.6},  {4096, 13.8},
                {5792, 15.9}, {8192, 16.1}, {11584, 22.2}, {16384, 21.9}, {23168, 42.9}, {32768, 68.2}, {46336, 107},
                {65536, 119}, {92672, 127}, {131072, 136}, {185344, 131}, {262144, 139}, {370688, 154}, {524288, 179}});
  EXPECT_EQ(latency_levels(curve).size(), 5u);
  auto const levels = latency_levels(curve, {3, 508_MiB});
  ASSERT_EQ(names(levels), kFour);
  EXPECT_NEAR(levels[1].latency.value, 4.1, 0.1);
  EXPECT_NEAR(levels[2].latency.value, 14, 4);
  EXPECT_GE(levels[2].up_to, 8_MiB);
  EXPECT_LE(levels[2].up_to, 23_MiB);
  EXPECT_NEAR(levels[3].latency.value, 130, 10);
}

struct Shape {
  char const* name;
  std::vector<Cache> caches;
  double memory;
};

class EveryShape : public testing::TestWithParam<Shape> {};

TEST_P(EveryShape, LevelsAreFoundUnderNoise) {
  auto const& shape = GetParam();
  auto const clean = synthetic(shape.caches, shape.memory, 256_MiB);
  unsigned right = 0;
  constexpr unsigned tries = 200;
  for (unsigned seed = 0; seed < tries; ++seed) {
    auto noisy = clean;
    Random random(seed);
    for (auto& point : noisy) {  // up to 8 % either way, and one point in twenty up to three times as slow
      auto const unit = static_cast<double>(random.below(1000)) / 1000;
      point.per_load.value *= 0.92 + 0.16 * unit;
      if (random.below(20) == 0) point.per_load.value *= 1 + 2 * unit;
    }
    auto const levels = latency_levels(noisy);
    bool good = levels.size() == shape.caches.size() + 1;
    for (std::size_t i = 0; good && i < shape.caches.size(); ++i) {
      good = std::abs(std::log(levels[i].latency.value / shape.caches[i].ns)) < std::log(1.5);
      good = good && levels[i].up_to.value >= shape.caches[i].size.value / 3 &&
             levels[i].up_to.value <= shape.caches[i].size.value * 3;
    }
    good = good && std::abs(std::log(levels.back().latency.value / shape.memory)) < std::log(1.2);
    right += good;
  }
  EXPECT_GE(right, tries * 95 / 100) << right << " of " << tries;
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryShape,
                         testing::Values(Shape{"server", {{32_KiB, 1.2}, {1_MiB, 4}, {32_MiB, 16}}, 110},
                                         Shape{"bigL2", {{48_KiB, 1.5}, {2_MiB, 5}, {24_MiB, 28}}, 120},
                                         Shape{"armServer", {{64_KiB, 1.6}, {1_MiB, 4.5}, {16_MiB, 32}}, 130},
                                         Shape{"armBoard", {{32_KiB, 2}, {1_MiB, 12}}, 150},
                                         Shape{"oneCache", {{32_KiB, 2}}, 90}),
                         [](auto const& shape) { return shape.param.name; });

TEST(Levels, AreMergedWhenInseparable) {
  auto const levels = latency_levels(synthetic({{32_KiB, 1.2}, {1_MiB, 4}, {8_MiB, 5}}, 100, 256_MiB));
  EXPECT_EQ(names(levels), (std::vector<std::string>{"L1", "L2", "memory"}));
}

TEST(Levels, AscendInSizeAndLatencyWhateverTheCurve) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Curve curve;
    for (std::uint64_t i = 0, n = 1 + random.below(40); i < n; ++i)
      curve.push_back({Bytes(4096 << (i / 2)), Nanoseconds(0.5 + static_cast<double>(random.below(200000)) / 1000)});
    auto const levels = latency_levels(curve);
    ASSERT_FALSE(levels.empty());
    EXPECT_EQ(levels.back().name, "memory");
    EXPECT_EQ(levels.back().up_to, curve.back().size);
    for (std::size_t i = 1; i < levels.size(); ++i) {
      EXPECT_GT(levels[i].latency, levels[i - 1].latency);
      EXPECT_GE(levels[i].up_to, levels[i - 1].up_to);
    }
  }
}

TEST(Levels, FlatCurveIsOneLevel) {
  auto const levels = latency_levels(synthetic({}, 90, 64_MiB));
  ASSERT_EQ(names(levels), std::vector<std::string>{"memory"});
  EXPECT_NEAR(levels[0].latency.value, 90, 1);
}

TEST(Levels, CurveThatEndsOnARampStillHasMemory) {
  auto const levels = latency_levels(synthetic({{32_KiB, 1.2}, {1_MiB, 4}, {32_MiB, 16}}, 110, 64_MiB));
  ASSERT_EQ(names(levels), kFour);
  EXPECT_GT(levels[3].latency.value, 16 * 1.7);
}

TEST(Levels, ACacheThatIsToldAndNotSeenIsMergedIntoTheLast) {
  auto const curve = synthetic({{32_KiB, 1.2}, {1_MiB, 4}}, 110, 64_MiB);
  EXPECT_EQ(names(latency_levels(curve, {2, {}})), (std::vector<std::string>{"L1", "L2", "memory"}));
  EXPECT_EQ(names(latency_levels(curve, {3, {}})), (std::vector<std::string>{"L1", "L2/L3", "memory"}));
  EXPECT_EQ(names(latency_levels(curve, {4, {}})), (std::vector<std::string>{"L1", "L2/L3/L4", "memory"}));
  EXPECT_EQ(names(latency_levels(curve, {1, {}})), (std::vector<std::string>{"L1", "L2", "memory"})) << "seen is seen";
  EXPECT_EQ(names(latency_levels(synthetic({}, 90, 64_MiB), {3, {}})), std::vector<std::string>{"memory"});
}

TEST(Levels, APlateauBeyondTheLargestCacheIsMemorys) {
  auto const curve = synthetic({{32_KiB, 1.2}, {1_MiB, 4}, {64_MiB, 160}}, 320, 512_MiB);
  EXPECT_EQ(names(latency_levels(curve)), kFour);
  auto const levels = latency_levels(curve, {3, 16_MiB});
  EXPECT_EQ(names(levels), (std::vector<std::string>{"L1", "L2/L3", "memory"}));
  EXPECT_NEAR(levels.back().latency.value, 160, 16);
  EXPECT_EQ(levels.back().up_to, curve.back().size);
}

TEST(Levels, NothingFromNothing) {
  EXPECT_TRUE(latency_levels({}).empty());
  Curve const broken{{4_KiB, Nanoseconds(0)}, {8_KiB, Nanoseconds(NAN)}, {16_KiB, Nanoseconds(-1)}};
  EXPECT_TRUE(latency_levels(broken).empty());
}

}  // namespace
}  // namespace folioscope
