// SPDX-License-Identifier: Apache-2.0
#include "orders/catalogue.hpp"

#include <algorithm>

namespace folioscope {
namespace orders {

void ascend(std::vector<std::uint64_t>& order, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t i = first; i < end; ++i) order.push_back(i);
}

void descend(std::vector<std::uint64_t>& order, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t i = end; i > first; --i) order.push_back(i - 1);
}

void converge(std::vector<std::uint64_t>& order, std::uint64_t first, std::uint64_t end) {
  for (; first < end; ++first, --end) {
    order.push_back(first);
    order.push_back(end - 1);
  }
}

Halves split_at(OrderShape const& shape) {
  std::uint64_t const n = shape.target;
  std::uint64_t const N = shape.runs;
  if (2 * n <= N) return {true, 2 * n, N, 0, 2 * n};
  return {false, 0, 2 * n - N, 2 * n - N, N};
}

std::vector<std::uint64_t> interleave(std::uint64_t runs, std::uint64_t parts, bool alternating) {
  parts = std::min(parts, runs);
  std::vector<std::uint64_t> order;
  order.reserve(runs);
  for (std::uint64_t turn = 0; order.size() < runs; ++turn) {
    for (std::uint64_t part = 0; part < parts; ++part) {
      std::uint64_t const first = runs * part / parts;
      std::uint64_t const end = runs * (part + 1) / parts;
      bool const down = alternating && part % 2 == 1;
      if (turn < end - first) order.push_back(down ? end - 1 - turn : first + turn);
    }
  }
  return order;
}

}  // namespace orders

std::span<Order const* const> order_catalogue() {
  static constexpr Order const* catalogue[] = {
#define ORDER(name) &orders::name,
#include "orders/catalogue.def"
#undef ORDER
  };
  return catalogue;
}

Order const* find_order(std::string_view name) {
  for (Order const* order : order_catalogue())
    if (order->name == name) return order;
  return nullptr;
}

}  // namespace folioscope
