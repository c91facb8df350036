// SPDX-License-Identifier: Apache-2.0
#include "campaign/sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <set>

#include "backing/state.hpp"
#include "campaign/prepared.hpp"

namespace folioscope {
namespace {

// One core clears no faster than it can retire full-line stores: a 64-byte store a cycle at 6 GHz is 0.4 TB/s. What is
// more than twice that was not a clear.
constexpr double fastest_bytes_per_ns = 1000;  // 1 TB/s a thread
constexpr double shortest_in_ticks = 1000;

Json evidence_of(Pool const& pool, Pool::Evidence const& found) {
  return Json::object({{"backing", to_string(pool.backing())},
                       {"folios", pool.folios()},
                       {"share", found.share},
                       {"details", found.details},
                       {"refused", found.refusal ? Json(found.refusal->reason) : Json()}});
}

}  // namespace

struct SweepSubject::Inside {
  Inside(Plan const& p, Machine const& m, Clock const& c, SweepOptions o)
      : plan(p), machine(m), clock(c), options(std::move(o)) {}

  Plan const& plan;
  Machine const& machine;
  Clock const clock;
  SweepOptions const options;
  std::optional<Crew> crew;
  std::vector<std::optional<PreparedCell>> cells;  ///< empty: refused
  std::vector<std::size_t> patch_of;               ///< per cell, where it has one
  std::vector<Patch> patches;
  std::map<Backing, Pool> pools;
  std::vector<RefusedCell> news;
  std::vector<std::uint64_t> last_frames;

  void refuse_cell(std::size_t cell, Refusal refusal);
  void refuse_backing(Backing const& backing, Refusal const& refusal);
  void prepare_cells();
  void hire();
  void make_pool(Backing const& backing);
  void choose_copies();
  double fastest_pass(std::size_t patch, Random& random);
  bool may_be_short(Patch const& patch) const;
  std::size_t folios_wanted(Backing const& backing, Bytes folio) const;
  Bytes memory_limit() const;
  Sample pass(std::size_t cell, Random& random);
  Json check_states(std::uint32_t placement, Random& random);
};

void SweepSubject::Inside::refuse_cell(std::size_t cell, Refusal refusal) {
  if (!cells[cell]) return;
  cells[cell].reset();
  refusal.subject = describe(plan.cells[cell].cell);
  news.push_back({static_cast<std::uint32_t>(cell), 0, std::move(refusal)});
}

void SweepSubject::Inside::refuse_backing(Backing const& backing, Refusal const& refusal) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i] && plan.cells[i].cell.backing == backing) refuse_cell(i, refusal);
}

void SweepSubject::Inside::prepare_cells() {
  cells.resize(plan.cells.size());
  patch_of.resize(plan.cells.size());
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    Cell const& cell = plan.cells[i].cell;
    auto prepared = prepare(plan.cells[i], machine);
    if (!prepared) {
      news.push_back({static_cast<std::uint32_t>(i), 0, prepared.refusal()});
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

std::size_t SweepSubject::Inside::folios_wanted(Backing const& backing, Bytes folio) const {
  std::size_t most = 0;
  for (Patch const& patch : patches)
    if (patch.backing == backing) most = std::max(most, folios_of(patch, folio, machine.base_page));
  return 2 * most;
}

Bytes SweepSubject::Inside::memory_limit() const {
  if (options.max_memory) return *options.max_memory;
  return machine.memory_available ? Bytes(machine.memory_available->value / 10 * 8) : Bytes(~std::uint64_t{0});
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

Sample SweepSubject::Inside::pass(std::size_t cell, Random& random) {
  PreparedCell const& ready = *cells[cell];
  Patch const& patch = patches[patch_of[cell]];
  Pass const what{ready.kernel,      &plan.cells[cell].cell, ready.calls,  ready.extent,
                  machine.base_page, patch.extents,          patch.copies, ready.prefetches};
  return measure(*crew, what, clock, random);
}

/// A sample of (state, backing, footprint): all in the first placement, a quarter of them in each later one.
Json SweepSubject::Inside::check_states(std::uint32_t placement, Random& random) {
  if (options.levels.empty()) return Json();
  Json checks = Json::array();
  std::set<std::tuple<State, Backing, Bytes>> seen;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Cell const& cell = plan.cells[i].cell;
    if (!cells[i] || !seen.insert({cell.state, cell.backing, cell.footprint}).second) continue;
    if (placement != 0 && (placement + seen.size()) % 4 != 0) continue;
    auto const& extents = patches[patch_of[i]].extents.front();
    make_state(cell.state, extents, cells[i]->extent, machine.base_page, random);
    StateCheck const check =
        check_state(cell.state, extents, cells[i]->extent, machine.base_page, options.levels, clock, random);
    checks.push(Json::object({{"state", to_string(cell.state)},
                              {"backing", to_string(cell.backing)},
                              {"footprint_bytes", cell.footprint.value},
                              {"share", check.share},
                              {"samples", check.samples},
                              {"median_latency_ns", check.median_latency.value}}));
  }
  return checks;
}

SweepSubject::SweepSubject(Plan const& plan, Machine const& machine, Clock const& clock, SweepOptions options)
    : inside_(std::make_unique<Inside>(plan, machine, clock, std::move(options))) {
  Inside& in = *inside_;
  in.prepare_cells();
  in.hire();
  std::set<Backing> backings;
  for (std::size_t i = 0; i < in.cells.size(); ++i)
    if (in.cells[i]) backings.insert(plan.cells[i].cell.backing);
  for (Backing const& backing : backings) in.make_pool(backing);
  in.choose_copies();
}

SweepSubject::~SweepSubject() = default;

std::size_t SweepSubject::measurable() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(inside_->cells, [](auto const& cell) { return cell.has_value(); }));
}

Placement SweepSubject::place(std::uint32_t id, Random& random) {
  Inside& in = *inside_;
  Placement placement;
  placement.id = id;
  std::vector<std::uint64_t> frames;
  bool all_known = true;
  for (Patch& patch : in.patches) {
    auto const pool = in.pools.find(patch.backing);
    if (pool == in.pools.end()) continue;
    auto const drawn = lay(patch, pool->second, in.machine.base_page, random);
    auto const own = pool->second.frames(drawn);
    all_known = all_known && own.size() == drawn.size();
    frames.insert(frames.end(), own.begin(), own.end());
  }
  std::ranges::sort(frames);
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  if (all_known && !frames.empty() && !in.last_frames.empty()) {
    std::vector<std::uint64_t> common;
    std::ranges::set_intersection(frames, in.last_frames, std::back_inserter(common));
    placement.common_frames = static_cast<double>(common.size()) / static_cast<double>(frames.size());
  }
  in.last_frames = all_known ? std::move(frames) : std::vector<std::uint64_t>{};
  placement.evidence.set("state_checks", in.check_states(id, random));
  if (in.options.levels.empty()) placement.evidence.set("state_checks_reason", "no latency curve was measured");
  return placement;
}

Json SweepSubject::leave() {
  Json pools = Json::array();
  for (auto const& [backing, pool] : inside_->pools) {
    auto const found = pool.verify();
    pools.push(evidence_of(pool, found));
    if (found.refusal) inside_->refuse_backing(backing, *found.refusal);
  }
  return Json::object({{"backings", pools}});
}

std::vector<RefusedCell> SweepSubject::newly_refused() { return std::exchange(inside_->news, {}); }

Granted<Sample> SweepSubject::run(std::size_t cell, Arm, Random& random) {
  Inside& in = *inside_;
  auto const refused = [&](std::string reason, std::string remedy) {
    return Refusal{describe(in.plan.cells[cell].cell), std::move(reason), std::move(remedy)};
  };
  if (!in.cells[cell]) return refused("refused before", "see the refusal of this cell");
  Sample const sample = in.pass(cell, random);
  Patch const& patch = in.patches[in.patch_of[cell]];
  double const bytes = static_cast<double>(patch.footprint.value) * patch.copies;
  bool const stores = in.cells[cell]->kernel->contract.store != StoreKind::none;
  if (!(sample.wall.value > 0))
    return refused("the pass took no time that the clock can see", "choose a larger footprint");
  if (stores && bytes / sample.wall.value > fastest_bytes_per_ns)
    return refused(fmt::format("a pass of {} in {} is faster than any core can store",
                               format_bytes(Bytes(static_cast<std::uint64_t>(bytes))), format_time(sample.wall)),
                   "check the clock source and the kernel");
  return sample;
}

double SweepSubject::core_clock() { return ns_per_add(inside_->clock); }
bool SweepSubject::clock_changed() { return current_clocksource() != inside_->clock.source; }

}  // namespace folioscope
