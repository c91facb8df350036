// SPDX-License-Identifier: Apache-2.0
// As target_last, but the far region always ascends. A first target leaves nothing to converge on: then this is
// sequential, and the target is not last.
#include "orders/catalogue.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  std::vector<std::uint64_t> order;
  order.reserve(shape.runs);
  Halves const halves = split_at(shape);
  ascend(order, halves.far_first, halves.far_end);
  converge(order, halves.near_first, halves.near_end);
  return order;
}

}  // namespace

constexpr Order far_ascending{
    .name = "far_ascending",
    .summary = "as target_last with the far region ascending; the target last unless it is the first",
    .has_target = true,
    .source = "suggested on linux-mm in October 2024, not merged",
    .permute = permute};

}  // namespace folioscope::orders
