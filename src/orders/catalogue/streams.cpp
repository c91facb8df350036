// SPDX-License-Identifier: Apache-2.0
#include "orders/catalogue.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) { return interleave(shape.runs, shape.parameter, false); }

}  // namespace

constexpr Order streams{.name = "streams",
                        .summary = "equal parts ascending by turns, one run each",
                        .default_parameter = 4,
                        .parameter_meaning = "streams",
                        .least_parameter = 1,
                        .source = "own",
                        .probe = true,
                        .permute = permute};

}  // namespace folioscope::orders
