// SPDX-License-Identifier: Apache-2.0
#include "orders/catalogue.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  std::vector<std::uint64_t> order;
  order.reserve(shape.runs);
  ascend(order, 0, shape.runs);
  return order;
}

}  // namespace

constexpr Order sequential{.name = "sequential",
                           .summary = "from the first run to the last",
                           .source = "Linux up to v4.13, and gigantic pages since",
                           .permute = permute};

}  // namespace folioscope::orders
