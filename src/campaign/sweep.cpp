// SPDX-License-Identifier: Apache-2.0
#include "campaign/sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "backing/state.hpp"
#include "campaign/sweep_inside.hpp"

namespace folioscope {
namespace {

Json evidence_of(Pool const& pool, Pool::Evidence const& found) {
  return Json::object({{"backing", to_string(pool.backing())},
                       {"folios", pool.folios()},
                       {"share", found.share},
                       {"details", found.details},
                       {"refused", found.refusal ? Json(found.refusal->reason) : Json()}});
}

}  // namespace

Sample SweepSubject::Inside::pass(std::size_t cell, Random& random, With with) {
  PreparedCell const& ready = *cells[cell];
  Patch const& patch = patches[patch_of[cell]];
  Pass what{ready.kernel,  &plan.cells[cell].cell, ready.calls,      ready.extent,  machine.base_page,
            patch.extents, patch.copies,           ready.prefetches, with.counters, with.readings};
  what.use = with.use;
  what.used = with.used;
  return measure(*crew, what, clock, random);
}

Sample SweepSubject::Inside::pass_and_after(std::size_t cell, Random& random) {
  Patch const& patch = patches[patch_of[cell]];
  AfterRun const run{&plan.cells[cell].cell, patch.extents.front(), patch.extent,
                     [&](FolioUse const* use, Nanoseconds* used) {
                       return pass(cell, random, {nullptr, nullptr, use, used});
                     }};
  shown.clear();
  return after->run(run, random, shown);
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
    StateCheck const check = check_state(cell.state, extents, cells[i]->extent, machine.base_page, options.levels,
                                         clock, random, probe ? probe->scale().memory_from() : std::nullopt);
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
  in.probe.emplace(
      PageProbe::Request{in.options.levels, machine.base_page, {clock.ns_per_tick, clock.tick, {}}, plan.seed});
  in.after = make_after(plan, machine, *in.probe);
  in.refuse_what_after_cannot();
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

void SweepSubject::warm_up(Random& random) {
  constexpr int passes = 3;
  Inside& in = *inside_;
  std::optional<std::size_t> least;
  for (std::size_t i = 0; i < in.cells.size(); ++i)
    if (in.cells[i] && (!least || in.plan.cells[i].cell.footprint < in.plan.cells[*least].cell.footprint)) least = i;
  for (int i = 0; least && i < passes; ++i) in.pass(*least, random);
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
  placement.evidence.set("probe", check_probe(*in.probe, random));
  if (in.after) placement.evidence.set("after", in.after->evidence());
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
  if (in.refusals[cell]) return *in.refusals[cell];
  Sample const sample = in.after ? in.pass_and_after(cell, random) : in.pass(cell, random);
  Patch const& patch = in.patches[in.patch_of[cell]];
  double const bytes = static_cast<double>(patch.footprint.value) * sample.copies;
  bool const stores = in.cells[cell]->kernel->contract.store != StoreKind::none;
  if (!(sample.wall.value > 0))
    return refused("the pass took no time that the clock can see", "choose a larger footprint");
  if (stores && bytes / sample.wall.value > fastest_bytes_per_ns)
    return refused(fmt::format("a pass of {} in {} is faster than any core can store",
                               format_bytes(Bytes(static_cast<std::uint64_t>(bytes))), format_time(sample.wall)),
                   "check the clock source and the kernel");
  return sample;
}

/// A core's PMU counts its own kind of core alone.
bool SweepSubject::Inside::counted(Cell const& cell) const {
  if (!options.counted_cpus) return true;
  auto const used =
      std::span(machine.allowed_cpus).first(std::min<std::size_t>(cell.threads, machine.allowed_cpus.size()));
  return std::ranges::all_of(used, [this](unsigned cpu) {
    return std::ranges::find(*options.counted_cpus, cpu) != options.counted_cpus->end();
  });
}

std::vector<Reading> SweepSubject::count(std::size_t cell, Random& random) {
  Inside& in = *inside_;
  std::vector<Reading> all;
  if (!in.cells[cell] || !in.counted(in.plan.cells[cell].cell)) return all;
  for (CounterReader* counters : in.options.counters) {
    std::vector<Reading> readings;
    in.pass(cell, random, {counters, &readings, nullptr, nullptr});
    all.insert(all.end(), std::make_move_iterator(readings.begin()), std::make_move_iterator(readings.end()));
  }
  return all;
}

std::vector<Point> SweepSubject::seen() { return std::exchange(inside_->shown, {}); }
PageProbe const& SweepSubject::probe() const { return *inside_->probe; }
std::vector<Refusal> SweepSubject::limits() const {
  return inside_->after ? inside_->after->limits() : std::vector<Refusal>{};
}
double SweepSubject::core_clock() { return ns_per_add(inside_->clock); }
bool SweepSubject::clock_changed() { return current_clocksource() != inside_->clock.source; }

}  // namespace folioscope
