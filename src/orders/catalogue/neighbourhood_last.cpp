// SPDX-License-Identifier: Apache-2.0
// Three ascending ranges: right of the target's neighbourhood, left of it, the neighbourhood.
#include "orders/catalogue.hpp"

#include <algorithm>

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  std::vector<std::uint64_t> order;
  order.reserve(shape.runs);
  std::uint64_t const first = shape.target - std::min(shape.parameter, shape.target);
  std::uint64_t const end = shape.target + std::min(shape.parameter, shape.runs - 1 - shape.target) + 1;
  ascend(order, end, shape.runs);
  ascend(order, 0, first);
  ascend(order, first, end);
  return order;
}

}  // namespace

constexpr Order neighbourhood_last{
    .name = "neighbourhood_last",
    .summary = "right of the target's neighbourhood, left of it, the neighbourhood last, each ascending",
    .has_target = true,
    .default_parameter = 2,
    .parameter_meaning = "runs on each side of the target that belong to its neighbourhood",
    .source = "Linux v7.0, 93552c9a3350",
    .permute = permute};

}  // namespace folioscope::orders
