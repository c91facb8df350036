// SPDX-License-Identifier: Apache-2.0
// Properties of every order in the catalogue, over many shapes; and the exact sequences of those that Linux uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "orders/order.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

using Indices = std::vector<std::uint64_t>;
using testing::ElementsAre;

Indices ascending(std::uint64_t first, std::uint64_t end) {
  Indices indices(end - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

Indices permuted(std::string_view name, OrderShape shape) {
  Order const* order = find_order(name);
  EXPECT_NE(order, nullptr) << name;
  return order ? order->permute(shape) : Indices{};
}

std::vector<OrderShape> shapes(Order const& order) {
  std::vector<std::uint64_t> parameters{0};
  if (order.default_parameter)
    parameters = {order.least_parameter, *order.default_parameter, 2, 3, 7, 64, ~std::uint64_t{0}};
  std::vector<OrderShape> shapes;
  for (std::uint64_t runs : {1, 2, 3, 4, 5, 7, 8, 16, 64, 512, 1000})
    for (std::uint64_t target : {std::uint64_t{0}, runs / 4, runs / 2, runs / 2 + 1, runs - 1})
      for (std::uint64_t parameter : parameters)
        if (target < runs) shapes.push_back({.runs = runs, .target = target, .parameter = parameter, .seed = 7});
  return shapes;
}

class EveryOrder : public testing::TestWithParam<Order const*> {};

TEST_P(EveryOrder, VisitsEveryRunOnce) {
  for (OrderShape const& shape : shapes(*GetParam())) {
    Indices indices = GetParam()->permute(shape);
    std::sort(indices.begin(), indices.end());
    ASSERT_EQ(indices, ascending(0, shape.runs))
        << shape.runs << " runs, target " << shape.target << ", parameter " << shape.parameter;
  }
}

TEST_P(EveryOrder, KeepsItsPromises) {
  for (OrderShape shape : shapes(*GetParam())) {
    Indices const indices = GetParam()->permute(shape);
    if (GetParam()->ends_at_target) {
      ASSERT_EQ(indices.back(), shape.target) << shape.runs << " runs";
    }
    if (!GetParam()->has_target) {
      shape.target = shape.runs - 1 - shape.target;
      ASSERT_EQ(GetParam()->permute(shape), indices) << "the target changes it";
    }
    ASSERT_EQ(GetParam()->permute(shape), GetParam()->permute(shape)) << "not pure";
  }
}

TEST_P(EveryOrder, SaysWhatItIsAndWhereItComesFrom) {
  EXPECT_FALSE(GetParam()->summary.empty());
  EXPECT_FALSE(GetParam()->source.empty());
  EXPECT_EQ(GetParam()->default_parameter.has_value(), !GetParam()->parameter_meaning.empty());
  EXPECT_GE(GetParam()->default_parameter.value_or(0), GetParam()->least_parameter);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryOrder, testing::ValuesIn(order_catalogue().begin(), order_catalogue().end()),
                         [](auto const& order) { return std::string(order.param->name); });

TEST(Catalogue, NamesAreDistinct) {
  for (Order const* order : order_catalogue()) EXPECT_EQ(find_order(order->name), order);
  EXPECT_EQ(find_order("sequentia"), nullptr);
}

TEST(TargetLast, FirstTargetIsPureReverse) {
  Indices reverse = ascending(0, 512);
  std::reverse(reverse.begin(), reverse.end());
  EXPECT_EQ(permuted("target_last", {.runs = 512, .target = 0}), reverse);
}

TEST(TargetLast, LastTargetIsPureSequential) {
  EXPECT_EQ(permuted("target_last", {.runs = 512, .target = 511}), ascending(0, 512));
}

TEST(TargetLast, MiddleTargetIsTwoStreams) {
  Indices const order = permuted("target_last", {.runs = 512, .target = 256});
  for (std::uint64_t i = 0; i < 256; ++i) {
    ASSERT_EQ(order[2 * i], i);
    ASSERT_EQ(order[2 * i + 1], 511 - i);
  }
}

TEST(TargetLast, FarHalfDescendsRightOfTheTarget) {
  EXPECT_THAT(permuted("target_last", {.runs = 10, .target = 3}), ElementsAre(9, 8, 7, 6, 0, 5, 1, 4, 2, 3));
}

TEST(TargetLast, FarHalfAscendsLeftOfTheTarget) {
  EXPECT_THAT(permuted("target_last", {.runs = 10, .target = 7}), ElementsAre(0, 1, 2, 3, 4, 9, 5, 8, 6, 7));
}

/// The sequence as the Linux sources of v4.19 to v6.19 are described: far pages first, then both sides by turns.
Indices as_described(std::uint64_t N, std::uint64_t n) {
  Indices order;
  std::uint64_t base = 0, l = n;
  if (2 * n <= N) {
    for (std::uint64_t i = N; i-- > 2 * n;) order.push_back(i);
  } else {
    base = 2 * n - N;
    l = N - n;
    for (std::uint64_t i = 0; i < base; ++i) order.push_back(i);
  }
  for (std::uint64_t i = 0; i < l; ++i) {
    order.push_back(base + i);
    order.push_back(base + 2 * l - 1 - i);
  }
  return order;
}

TEST(TargetLast, FollowsLinuxForEveryTarget) {
  for (std::uint64_t N : {1, 2, 3, 16, 512})
    for (std::uint64_t n = 0; n < N; ++n)
      ASSERT_EQ(permuted("target_last", {.runs = N, .target = n}), as_described(N, n)) << n << " of " << N;
}

TEST(FarAscending, EndsAtEveryTargetButTheFirst) {
  for (std::uint64_t n = 1; n < 64; ++n) EXPECT_EQ(permuted("far_ascending", {.runs = 64, .target = n}).back(), n);
  EXPECT_EQ(permuted("far_ascending", {.runs = 64, .target = 0}), ascending(0, 64));
}

TEST(FarAscending, DiffersFromTargetLastOnlyInTheFarRegion) {
  EXPECT_THAT(permuted("far_ascending", {.runs = 10, .target = 3}), ElementsAre(6, 7, 8, 9, 0, 5, 1, 4, 2, 3));
  EXPECT_EQ(permuted("far_ascending", {.runs = 10, .target = 7}), permuted("target_last", {.runs = 10, .target = 7}));
}

TEST(NeighbourhoodLast, IsThreeAscendingRanges) {
  EXPECT_THAT(permuted("neighbourhood_last", {.runs = 10, .target = 4, .parameter = 2}),
              ElementsAre(7, 8, 9, 0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(permuted("neighbourhood_last", {.runs = 10, .target = 5, .parameter = 1}),
              ElementsAre(7, 8, 9, 0, 1, 2, 3, 4, 5, 6));
}

TEST(NeighbourhoodLast, IsClippedAtBothEnds) {
  EXPECT_THAT(permuted("neighbourhood_last", {.runs = 6, .target = 0, .parameter = 2}), ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_EQ(permuted("neighbourhood_last", {.runs = 6, .target = 5, .parameter = 2}), ascending(0, 6));
  EXPECT_EQ(permuted("neighbourhood_last", {.runs = 6, .target = 3, .parameter = ~std::uint64_t{0}}), ascending(0, 6));
}

TEST(NeighbourhoodLast, HasAtMostThreeStretchesWithTheTargetInTheLast) {
  for (std::uint64_t page = 0; page < 512; ++page) {
    Visits const v = visits(
        {.order = {"neighbourhood_last", 2}, .extent = 2_MiB, .run = 4_KiB, .target_page = page, .base_page = 4_KiB});
    ASSERT_LE(v.size(), 3u);
    ASSERT_LE(v.back().offset, 4_KiB * page);
    ASSERT_LT(4_KiB * page, v.back().offset + v.back().length);
  }
}

TEST(Random, FollowsItsSeed) {
  OrderShape const shape{.runs = 512, .seed = 1};
  Indices const one = permuted("random", shape);
  EXPECT_EQ(permuted("random", shape), one);
  EXPECT_NE(permuted("random", {.runs = 512, .seed = 2}), one);
  EXPECT_EQ(permuted("random", {.runs = 512, .parameter = 9, .seed = 1}),
            permuted("random", {.runs = 512, .parameter = 9, .seed = 2}));
  EXPECT_NE(one, ascending(0, 512));
}

TEST(Streams, TakeTurns) {
  EXPECT_THAT(permuted("streams", {.runs = 8, .parameter = 2}), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_EQ(permuted("streams", {.runs = 8, .parameter = 1}), ascending(0, 8));
  EXPECT_THAT(permuted("streams", {.runs = 5, .parameter = 2}), ElementsAre(0, 2, 1, 3, 4));
}

TEST(Alternate, EverySecondStreamDescends) {
  EXPECT_THAT(permuted("alternate", {.runs = 8, .parameter = 2}), ElementsAre(0, 7, 1, 6, 2, 5, 3, 4));
  EXPECT_EQ(permuted("alternate", {.runs = 512, .parameter = 2}),
            permuted("target_last", {.runs = 512, .target = 256}));
}

TEST(Gapped, AscendsWithGaps) {
  EXPECT_THAT(permuted("gapped", {.runs = 8, .parameter = 3}), ElementsAre(0, 3, 6, 1, 4, 7, 2, 5));
  EXPECT_EQ(permuted("gapped", {.runs = 8, .parameter = 1}), ascending(0, 8));
}

}  // namespace
}  // namespace folioscope
