// SPDX-License-Identifier: Apache-2.0
#include "orders/catalogue.hpp"

namespace folioscope::orders {
namespace {

std::vector<std::uint64_t> permute(OrderShape const& shape) { return interleave(shape.runs, shape.parameter, true); }

}  // namespace

constexpr Order alternate{
    .name = "alternate",
    .summary = "equal parts by turns, one run each: the first ascends, the second descends, and so on",
    .default_parameter = 2,
    .parameter_meaning = "streams",
    .least_parameter = 1,
    .source = "own",
    .probe = true,
    .permute = permute};

}  // namespace folioscope::orders
