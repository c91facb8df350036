// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <set>

#include "campaign/sweep_inside.hpp"

namespace folioscope {
namespace {

constexpr double shortest_in_ticks = 1000;

}  // namespace

void SweepSubject::Inside::refuse_cell(std::size_t cell, Refusal refusal) {
  if (refusals[cell]) return;
  cells[cell].reset();
  refusal.subject = describe(plan.cells[cell].cell);
  news.push_back({static_cast<std::uint32_t>(cell), 0, refusal});
  refusals[cell] = std::move(refusal);
}

void SweepSubject::Inside::refuse_backing(Backing const& backing, Refusal const& refusal) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i] && plan.cells[i].cell.backing == backing) refuse_cell(i, refusal);
}

void SweepSubject::Inside::prepare_cells() {
  cells.resize(plan.cells.size());
  refusals.resize(plan.cells.size());
  patch_of.resize(plan.cells.size());
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    Cell const& cell = plan.cells[i].cell;
    auto prepared = prepare(plan.cells[i], machine);
    if (!prepared) {
      refuse_cell(i, prepared.refusal());
      continue;
    }
    cells[i] = std::move(*prepared);
    auto const same = std::ranges::find_if(patches, [&](Patch const& patch) {
      return patch.backing == cell.backing && patch.footprint == cell.footprint && patch.threads == cell.threads;
    });
    patch_of[i] = static_cast<std::size_t>(same - patches.begin());
    if (same == patches.end())
      patches.push_back(
          {cell.backing, cell.footprint, cell.threads, cells[i]->extent, cells[i]->extents_a_copy, 1, {}});
  }
}

/// As many members as the widest cell wants; where a pin is refused, fewer, and wider cells are refused with that
/// reason.
void SweepSubject::Inside::hire() {
  std::size_t threads = 1;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i]) threads = std::max<std::size_t>(threads, plan.cells[i].cell.threads);
  threads = std::min(threads, machine.allowed_cpus.size());
  for (; threads > 0 && !crew; --threads) {
    auto hired = Crew::hire(std::span(machine.allowed_cpus).first(threads));
    if (hired) {
      crew.emplace(std::move(*hired));
      break;
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] && plan.cells[i].cell.threads >= threads)
        refuse_cell(
            i, {{}, fmt::format("{}: {}", hired.refusal().subject, hired.refusal().reason), hired.refusal().remedy});
  }
}

/// What comes after a pass is looked at or done by one thread, the one that cleared.
void SweepSubject::Inside::refuse_what_after_cannot() {
  for (std::size_t i = 0; after && i < cells.size(); ++i)
    if (cells[i] && plan.cells[i].cell.threads > 1)
      refuse_cell(i, {{}, "what is done after the clear is done by one thread", "plan it with one thread"});
}

std::size_t SweepSubject::Inside::folios_wanted(Backing const& backing, Bytes folio) const {
  std::size_t most = 0;
  for (Patch const& patch : patches)
    if (patch.backing == backing) most = std::max(most, folios_of(patch, folio, machine.base_page));
  return 2 * most;
}

Bytes SweepSubject::Inside::memory_limit() const {
  Bytes const bound = options.max_memory.value_or(Bytes(~std::uint64_t{0}));
  return machine.memory_available ? std::min(bound, Bytes(machine.memory_available->value / 10 * 8)) : bound;
}

void SweepSubject::Inside::make_pool(Backing const& backing) {
  auto const folio = folio_of(backing, machine);
  assert(folio);
  pools.erase(backing);  // hugetlb pages are few: give back before asking for more
  auto pool = Pool::make({backing, folios_wanted(backing, *folio)}, machine);
  if (pool)
    pools.emplace(backing, std::move(*pool));
  else
    refuse_backing(backing, pool.refusal());
}

bool SweepSubject::Inside::may_be_short(Patch const& patch) const {
  return static_cast<double>(patch.footprint.value) / fastest_bytes_per_ns < shortest_in_ticks * clock.tick.value;
}

/// ns of the fastest reference of the patch. The empty kernel does not count: its passes are short whatever is cleared.
double SweepSubject::Inside::fastest_pass(std::size_t patch, Random& random) {
  double fastest = 0;
  for (bool references : {true, false}) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i] || patch_of[i] != patch || cells[i]->kernel->contract.store == StoreKind::none) continue;
      if (is_reference(plan.cells[i].cell) != references) continue;
      for (int repeat = 0; repeat < 2; ++repeat) {
        double const wall = std::max(pass(i, random).wall.value, clock.tick.value);
        fastest = fastest > 0 ? std::min(fastest, wall) : wall;
      }
      if (!references) break;
    }
    if (fastest > 0) break;
  }
  return fastest;
}

/// All cells of a patch clear the same number of copies, or a longer footprint would be compared with a shorter one.
void SweepSubject::Inside::choose_copies() {
  Random random = Random(plan.seed).split(0x636f70696573);
  std::set<Backing> grown;
  std::uint64_t used = 0;
  for (auto const& [backing, pool] : pools) used += pool.folios() * pool.folio_bytes().value;
  for (std::size_t p = 0; p < patches.size(); ++p) {
    auto const pool = pools.find(patches[p].backing);
    if (pool == pools.end() || !may_be_short(patches[p])) continue;
    lay(patches[p], pool->second, machine.base_page, random);
    double const fastest = fastest_pass(p, random);
    if (!(fastest > 0)) continue;
    // A power of two: a margin for faster passes to come, and a resumed campaign mostly finds the same number.
    patches[p].copies = std::bit_ceil(copies_needed(Nanoseconds(fastest), clock.tick));
    std::uint64_t const folio = pool->second.folio_bytes().value;
    std::size_t const wanted = folios_wanted(patches[p].backing, Bytes(folio));
    if (wanted <= pool->second.folios()) continue;
    if (used + (wanted - pool->second.folios()) * folio <= memory_limit().value) {
      grown.insert(patches[p].backing);
      continue;
    }
    Refusal const refusal{{},
                          fmt::format("a pass is shorter than 1,000 ticks, and {} copies do not fit in {}",
                                      patches[p].copies, format_bytes(memory_limit())),
                          "raise --max-memory or choose a larger footprint"};
    patches[p].copies = 1;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] && patch_of[i] == p) refuse_cell(i, refusal);
  }
  for (Backing const& backing : grown) make_pool(backing);
}

}  // namespace folioscope
