// SPDX-License-Identifier: Apache-2.0
#include "orders/catalogue.hpp"

#include "terms/random.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) {
  Random generator(shape.parameter != 0 ? shape.parameter : shape.seed);
  return permutation(shape.runs, generator);
}

}  // namespace

constexpr Order random{.name = "random",
                       .summary = "every run once, in random order",
                       .default_parameter = 0,
                       .parameter_meaning = "seed; 0 takes the plan's",
                       .source = "own",
                       .permute = permute};

}  // namespace folioscope::orders
