// SPDX-License-Identifier: Apache-2.0
#include "bench/stand.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace folioscope::bench {
namespace {

constexpr int counted_passes = 5;

std::string line_of(Refusal const& refusal) {
  return refusal.remedy.empty() ? refusal.reason : fmt::format("{}; {}", refusal.reason, refusal.remedy);
}

}  // namespace

Stand::Stand(Machine const& machine, std::uint32_t threads, std::vector<std::unique_ptr<CounterReader>> counters,
             std::optional<std::uint32_t> in_place)
    : machine_(machine),
      counters_(std::move(counters)),
      in_place_(in_place),
      crew_(Crew::hire(
          std::span(machine.allowed_cpus).first(std::min<std::size_t>(threads, machine.allowed_cpus.size())))) {
  clock_ = read_clock();  // on the pinned thread
}

/// The backing's pool, made or made larger when the patch needs it. Twice the footprint, so that a new draw is a new
/// placement.
Granted<Pool*> Stand::pool_for(Patch const& patch) {
  std::size_t const folios = 2 * folios_of(patch, *folio_of(patch.backing, machine_), machine_.base_page);
  auto found = pools_.find(patch.backing);
  if (found != pools_.end() && found->second.folios() >= folios) return &found->second;
  pools_.erase(patch.backing);
  auto made = Pool::make({patch.backing, folios}, machine_);
  if (!made) return made.refusal();
  return &pools_.emplace(patch.backing, std::move(*made)).first->second;
}

void Stand::choose_copies(Patch& patch, Cell const& cell, PreparedCell const& ready) {
  if (ready.kernel->contract.store == StoreKind::none) return;
  Pass const once{ready.kernel,       &cell,         ready.calls, ready.extent,
                  machine_.base_page, patch.extents, 1,           ready.prefetches};
  measure(*crew_, once, clock_, random_);
  patch.copies = copies_needed(measure(*crew_, once, clock_, random_).wall, clock_.tick);
}

Granted<Pool*> Stand::lay_copies(Patch& patch, Cell const& cell, PreparedCell const& ready) {
  auto pool = pool_for(patch);
  if (!pool) return pool;
  lay(patch, **pool, machine_.base_page, random_);
  if (in_place_) {
    patch.copies = *in_place_;
    for (auto& extents : patch.extents) {
      auto const once = extents;
      for (std::uint32_t i = 1; i < patch.copies; ++i) extents.insert(extents.end(), once.begin(), once.end());
    }
    return pool;
  }
  choose_copies(patch, cell, ready);
  if (patch.copies == 1) return pool;
  pool = pool_for(patch);
  if (pool) lay(patch, **pool, machine_.base_page, random_);
  return pool;
}

void Stand::run(benchmark::State& state, Cell const& cell) try {
  if (!crew_) return state.SkipWithError(line_of(crew_.refusal()).c_str());
  auto const ready = prepare(planned(cell, machine_), machine_);
  if (!ready) return state.SkipWithError(line_of(ready.refusal()).c_str());
  if (cell.threads > crew_->size()) return state.SkipWithError("fewer CPUs are allowed than threads wanted");
  Patch patch{cell.backing, cell.footprint, cell.threads, ready->extent, ready->extents_a_copy, 1, {}};
  auto const pool = lay_copies(patch, cell, *ready);
  if (!pool) return state.SkipWithError(line_of(pool.refusal()).c_str());
  passes(state, patch, cell, *ready);
  if (auto const found = (*pool)->verify(); found.refusal) state.SkipWithError(line_of(*found.refusal).c_str());
} catch (Error const& error) {
  state.SkipWithError(error.what());
}

void Stand::passes(benchmark::State& state, Patch const& patch, Cell const& cell, PreparedCell const& ready) {
  Pass const pass{ready.kernel,       &cell,         ready.calls,  ready.extent,
                  machine_.base_page, patch.extents, patch.copies, ready.prefetches};
  std::vector<double> each;
  for (auto _ : state) {
    each.push_back(measure(*crew_, pass, clock_, random_).wall.value / 1e3 / patch.copies);
    state.SetIterationTime(each.back() / 1e6);
  }
  // The time of an iteration is a mean, which one interruption ruins; the median says what an undisturbed pass takes.
  auto const middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
  std::nth_element(each.begin(), middle, each.end());
  state.counters["median_us"] = *middle;
  auto const bytes = static_cast<std::int64_t>(cell.footprint.value * cell.threads);
  state.SetBytesProcessed(state.iterations() * bytes);
  state.counters["copies"] = patch.copies;
  if (!counters_.empty()) count(state, pass);
}

/// In passes of their own: starting and stopping counters is no part of a clear's time. Two groups may hold one event.
void Stand::count(benchmark::State& state, Pass pass) {
  for (auto const& counters : counters_) {
    std::map<std::string, std::pair<double, int>> sums;
    std::vector<Reading> readings;
    pass.counters = counters.get();
    pass.readings = &readings;
    for (int i = 0; i < counted_passes; ++i) {
      measure(*crew_, pass, clock_, random_);
      for (Reading const& reading : readings) {
        auto& [sum, n] = sums[fmt::format("{} ({})", reading.event, reading.scope)];
        sum += reading.value * reading.enabled.value / reading.running.value / pass.copies;
        ++n;
      }
    }
    for (auto const& [event, sum] : sums) state.counters[event] = sum.first / sum.second;
  }
}

}  // namespace folioscope::bench
