// SPDX-License-Identifier: Apache-2.0
// What the files of catalogue/ are written with. Each defines the Order that its line in catalogue.def names.
#pragma once
#include <cstdint>
#include <vector>

#include "orders/order.hpp"

namespace folioscope::orders {

#define ORDER(name) extern Order const name;
#include "orders/catalogue.def"
#undef ORDER

/// Appends [first, end) ascending, or descending.
void ascend(std::vector<std::uint64_t>& order, std::uint64_t first, std::uint64_t end);
void descend(std::vector<std::uint64_t>& order, std::uint64_t first, std::uint64_t end);
/// Appends [first, end), an even number of runs, from both ends by turns: first, end - 1, first + 1, ...
void converge(std::vector<std::uint64_t>& order, std::uint64_t first, std::uint64_t end);

/// Where Linux's target-last arithmetic cuts: the far region, and the near one with the target in its middle.
struct Halves {
  bool far_is_right = false;
  std::uint64_t far_first = 0, far_end = 0;
  std::uint64_t near_first = 0, near_end = 0;
};
Halves split_at(OrderShape const& shape);

/// `parts` parts of equal length, give or take a run, by turns, one run each; every second descends where
/// `alternating`.
std::vector<std::uint64_t> interleave(std::uint64_t runs, std::uint64_t parts, bool alternating);

}  // namespace folioscope::orders
