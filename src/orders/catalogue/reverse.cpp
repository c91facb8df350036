// SPDX-License-Identifier: Apache-2.0
#include "orders/catalogue.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  std::vector<std::uint64_t> order;
  order.reserve(shape.runs);
  descend(order, 0, shape.runs);
  return order;
}

}  // namespace

constexpr Order reverse{.name = "reverse",
                        .summary = "from the last run to the first",
                        .source = "Linux v4.19 to v6.19 where the target is page 0 (fallocate)",
                        .permute = permute};

}  // namespace folioscope::orders
