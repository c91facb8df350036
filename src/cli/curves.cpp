// SPDX-License-Identifier: Apache-2.0
#include "cli/curves.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "campaign/after.hpp"
#include "kernels/kernel.hpp"
#include "measure/measure.hpp"
#include "probe/corunner.hpp"

namespace folioscope::cli {
namespace {

constexpr double latency_curve_share = 0.03;  ///< of the budget, at most 2 s
constexpr double loaded_curve_share = 0.01;   ///< at most 1 s

/// Buffers beside the pools, one at a time.
Bytes for_probes(Machine const& machine) { return Bytes(machine.memory_available.value_or(4_GiB).value / 8); }

std::vector<LatencyPoint> latency_curve(Machine const& machine, Clock const& clock, Nanoseconds budget,
                                        std::uint64_t seed) {
  Bytes largest_cache = 32_MiB;
  for (Cache const& cache : machine.caches)
    if (cache.size) largest_cache = std::max(largest_cache, *cache.size);
  LatencyRequest request;
  request.largest = std::min({largest_cache * 4, 512_MiB, for_probes(machine)});
  request.ns_per_tick = clock.ns_per_tick;
  request.budget = Nanoseconds(std::min(2e9, budget.value * latency_curve_share));
  request.seed = seed;
  return idle_latency_curve(request);
}

/// Data caches on the way to memory, as files and instructions have them.
ToldCaches caches_told(Machine const& machine) {
  ToldCaches told;
  for (Cache const& c : machine.caches)
    if (c.type != "instruction" && c.size) told = {std::max(told.levels, c.level), std::max(told.largest, *c.size)};
  return told;
}

void fill_in(Machine& machine, std::vector<LatencyLevel> const& levels) {
  for (unsigned level = 1; level + 1 <= levels.size(); ++level) {
    auto const known = std::ranges::find_if(
        machine.caches, [&](Cache const& c) { return c.level == level && c.type != "instruction" && c.size; });
    if (known != machine.caches.end()) continue;
    std::erase_if(machine.caches, [&](Cache const& c) { return c.level == level && c.type != "instruction"; });
    Cache seen;
    seen.level = level;
    seen.type = level == 1 ? "data" : "unified";
    seen.size = levels[level - 1].up_to;
    seen.source = "measured";
    machine.caches.push_back(seen);
    machine.facts.add(fmt::format("cache.{}.size_bytes", level == 1 ? "L1d" : fmt::format("L{}", level)),
                      seen.size->value, "measured", "the plateau of the idle latency curve; no file tells");
  }
}

}  // namespace

void bound_memory(Machine& machine, std::optional<Bytes> most) {
  if (most) machine.memory_available = std::min(machine.memory_available.value_or(*most), *most);
}

bool caches_known(Machine const& machine) {
  return std::ranges::any_of(machine.caches, [](Cache const& c) { return c.type != "instruction"; }) &&
         std::ranges::all_of(machine.caches, [](Cache const& c) { return c.size.has_value(); });
}

std::vector<LatencyPoint> fill_unknown_caches(Machine& machine, Clock const& clock, std::optional<Bytes> max_memory,
                                              Nanoseconds budget, std::uint64_t seed) {
  Machine bounded = machine;
  bound_memory(bounded, max_memory);
  auto curve = latency_curve(bounded, clock, budget, seed);
  fill_in(machine, latency_levels(curve));
  return curve;
}

LevelsSeen levels_seen(Machine const& machine, Clock const& clock, Plan const& plan, std::vector<LatencyPoint> curve) {
  auto const told = caches_told(machine);
  auto const as_told = [&](std::vector<LatencyPoint> const& seen) {
    return told.levels == 0 || latency_levels(seen).size() == told.levels + 1;
  };
  if (curve.empty()) curve = latency_curve(machine, clock, plan.budget, plan.seed);
  // A host that is busy for a moment hides a cache, or makes one up: a second look, which counts where it agrees.
  if (!as_told(curve))
    if (auto again = latency_curve(machine, clock, plan.budget, plan.seed + 1); as_told(again))
      curve = std::move(again);
  auto levels = latency_levels(curve, told);
  return {std::move(curve), std::move(levels)};
}

std::vector<LatencyPoint> loaded_curve(Machine const& machine, Clock const& clock,
                                       std::vector<LatencyLevel> const& levels, Plan const& plan) {
  constexpr Bytes piece = 64_KiB;
  Bytes const cleared = std::min(64_MiB, for_probes(machine));
  auto const busy = machine.allowed_cpus.empty() ? 0u : machine.allowed_cpus.front();
  auto const cpu = company_for(busy, machine);
  Kernel const* kernel = find_kernel(machine.linux_kernel);
  if (!cpu || levels.size() < 2 || !kernel || !kernel->clear || refuse(kernel->contract, machine.features)) return {};
  auto corunner = Corunner::hire(*cpu, clearing(kernel->clear, cleared, piece));
  auto const pinned = Crew::hire(std::span(&busy, 1));
  if (!corunner || !pinned) return {};
  LatencyRequest request;
  request.largest = std::min(levels[levels.size() - 2].up_to * 8, levels.back().up_to);
  request.ns_per_tick = clock.ns_per_tick;
  request.budget = Nanoseconds(std::min(1e9, plan.budget.value * loaded_curve_share));
  request.seed = plan.seed;
  return loaded_latency_curve(request, *corunner);
}

std::vector<Point> points_of_curve(std::string const& series, std::string const& label,
                                   std::vector<LatencyPoint> const& curve) {
  std::vector<Point> points;
  for (auto const& p : curve)
    points.push_back({series, label, static_cast<double>(p.size.value), p.per_load.value, {}, {}});
  return points;
}

}  // namespace folioscope::cli
