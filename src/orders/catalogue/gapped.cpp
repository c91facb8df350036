// SPDX-License-Identifier: Apache-2.0
// Ascending, but never contiguous: tells direction from contiguity.
#include "orders/catalogue.hpp"

#include <algorithm>

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  std::vector<std::uint64_t> order;
  order.reserve(shape.runs);
  std::uint64_t const step = std::min(shape.parameter, shape.runs);
  for (std::uint64_t first = 0; first < step; ++first)
    for (std::uint64_t i = first; i < shape.runs; i += step) order.push_back(i);
  return order;
}

}  // namespace

constexpr Order gapped{.name = "gapped",
                       .summary = "every n-th run ascending, then those that follow them, until all are done",
                       .default_parameter = 2,
                       .parameter_meaning = "step in runs",
                       .least_parameter = 1,
                       .source = "own",
                       .probe = true,
                       .permute = permute};

}  // namespace folioscope::orders
