// SPDX-License-Identifier: Apache-2.0
// Farthest first, the target last, as process_huge_page does. Target 0 is a pure reverse, the last target purely
// sequential, the middle one two streams, one up and one down.
#include "orders/catalogue.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  std::vector<std::uint64_t> order;
  order.reserve(shape.runs);
  Halves const halves = split_at(shape);
  if (halves.far_is_right)
    descend(order, halves.far_first, halves.far_end);
  else
    ascend(order, halves.far_first, halves.far_end);
  converge(order, halves.near_first, halves.near_end);
  return order;
}

}  // namespace

constexpr Order target_last{
    .name = "target_last",
    .summary = "the half far from the target away to near, then both sides by turns up to the target",
    .has_target = true,
    .ends_at_target = true,
    .source = "Linux v4.19 to v6.19, c6ddfb6c5890",
    .permute = permute};

}  // namespace folioscope::orders
