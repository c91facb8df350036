// SPDX-License-Identifier: Apache-2.0
// A large made-up campaign, and what a piece of work costs in a process that does nothing else.
#pragma once
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>

#include "synthetic/synthetic.hpp"

namespace folioscope::own_cost {

inline Campaign large(std::size_t samples) {
  synthetic::Grid const grid{.kernels = {"rep_stosb", "rep_stosq", "movnti", "mov_avx2", "movnt_avx2", "movnt_avx512"},
                             .orders = {"reverse", "target_last", "neighbourhood_last@2", "far_ascending", "random"},
                             .runs = {4096, 65536},
                             .states = {State::cold, State::hot},
                             .backings = {"thp", "base", "thp-pte"},
                             .folios = {1, 8, 64}};
  synthetic::Request request{.plan = synthetic::plan_of(grid, "full"),
                             .true_ns = synthetic::by_order({{"reverse", 3.0}, {"target_last", 2.0}}),
                             .noise = {.pass = 0.02, .spike_share = 0.02, .placement_cell = 0.01}};
  std::size_t runs = 0;
  for (auto const& p : request.plan.cells) runs += is_reference(p.cell) ? 2 : 1;
  request.placements = static_cast<std::uint32_t>(samples / (runs * request.blocks_per_placement)) + 1;
  return synthetic::campaign(request);
}

struct Cost {
  double seconds = 0;
  double megabytes = 0;
  bool done = false;
};

/// Runs `work` in a child, so that its peak memory is its own.
inline Cost cost_of(std::function<void()> const& work) {
  auto const start = std::chrono::steady_clock::now();
  pid_t const child = fork();
  if (child == 0) {
    try {
      work();
      _exit(0);
    } catch (std::exception const& e) {
      fmt::print(stderr, "{}\n", e.what());
      _exit(1);
    }
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return {};
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {seconds, static_cast<double>(usage.ru_maxrss) / 1000, WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

}  // namespace folioscope::own_cost
