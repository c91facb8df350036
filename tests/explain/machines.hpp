// SPDX-License-Identifier: Apache-2.0
// The made-up campaigns that the tests of explain share.
#pragma once
#include "synthetic/synthetic.hpp"

namespace folioscope::synthetic {

inline Grid quick_grid() {
  return {.kernels = {"rep_stosb", "movnti", "movnt_avx512"},
          .orders = {"reverse", "target_last", "neighbourhood_last@2", "far_ascending", "random"},
          .backings = {"thp", "base"},
          .folios = {1, 8, 100}};
}

/// A machine like the published one: going backwards costs three times as much, v7.0's order nothing.
inline Request losing_machine(std::uint64_t seed = 1) {
  auto const order = by_order({{"reverse", 3.1}, {"target_last", 2.2}, {"random", 2.9}, {"far_ascending", 1.05}});
  auto const flat = by_order({});
  return {.plan = plan_of(quick_grid(), "quick"),
          .true_ns = [=](Cell const& c) { return c.kernel == "rep_stosb" ? order(c) : 0.6 * flat(c); },
          .noise = {.pass = 0.01, .placement_cell = 0.005, .block_drift = 0.02},
          .seed = seed};
}

/// A machine on which order does not matter.
inline Request indifferent_machine(std::uint64_t seed = 1) {
  Request r = losing_machine(seed);
  r.true_ns = by_order({});
  return r;
}

inline Campaign published_campaign() {
  Grid const grid{.orders = {"target_last"}, .targets = {0}, .folios = {1, 100, 512}};
  Request r{
      .plan = plan_of(grid, "published-table"), .true_ns = by_order({{"target_last", 3.0}}), .noise = {.pass = 0.001}};
  Cell whole = r.plan.cells.front().cell;
  for (std::uint64_t folios : grid.folios) {
    whole.footprint = Bytes(folios << 21);
    whole.call = Bytes(2u << 20);
    r.plan.cells.push_back({whole, {{Bytes(0), Bytes(2u << 20)}}});
  }
  return campaign(r);
}

}  // namespace folioscope::synthetic
