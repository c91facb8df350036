// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/fault_order.hpp"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <utility>

#include "backing/pool.hpp"
#include "backing/state.hpp"
#include "linuxmm/witness.hpp"
#include "probe/chain.hpp"

namespace folioscope {
namespace {

constexpr std::size_t extents_mapped = 32, extents_drawn = 12;
constexpr std::size_t remembered = 64, remembered_least = 8;
// A fault that the host must serve too takes milliseconds; one that an interrupt meets, twice as long at most.
constexpr double far_above_the_median = 6;
constexpr int tries = 3;
constexpr Bytes least_to_look_at =
    2_MiB;  // of a smaller folio the last page is as near as the first: caches hold it all
// Linux hands free pages to the host about two seconds after they became free (page_reporting.c's delay).
constexpr double wait_s = 2.5;
constexpr double budget_for_waiting_s = 20;

double median_of(std::deque<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void sleep_for(double seconds) {
  timespec rest{static_cast<time_t>(seconds),
                static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  while (nanosleep(&rest, &rest) != 0) {
  }
}

}  // namespace

std::vector<std::uint64_t> fault_indices(std::uint64_t pages, std::vector<std::uint64_t> const& asked) {
  std::vector<std::uint64_t> all{0};
  if (asked.empty()) {
    constexpr std::uint64_t parts = 16;
    for (std::uint64_t k = 1; k < parts; ++k) all.push_back(pages * k / parts);
    all.push_back(pages - 1);
  } else {
    for (std::uint64_t index : asked)
      if (index < pages) all.push_back(index);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

FaultOrder::FaultOrder(Plan const& part, Machine const& machine, Clock const& clock, Bytes room)
    : plan_(part), machine_(machine), clock_(clock), room_(room), refused_(part.cells.size(), false) {
  auto hired = Crew::hire(std::span(machine.allowed_cpus).first(std::min<std::size_t>(1, machine.allowed_cpus.size())));
  if (hired) crew_.emplace(std::move(*hired));
  for (PlannedCell const& planned : part.cells) kinds_[planned.cell.backing];
  for (auto const& [backing, kind] : kinds_) {
    if (!crew_)
      refuse_backing(backing, hired.refusal());
    else if (auto const refusal = refuse(State::cold, machine))
      refuse_backing(backing, *refusal);
    else
      make(backing);
  }
}

void FaultOrder::make(Backing const& backing) {
  std::size_t extents = extents_mapped;
  Bytes const folio = folio_of(backing, machine_).value_or(2_MiB);
  // Every kind that is no pool of Linux's own shares the room. An mthp extent fits in a folio: every other block of it.
  auto const sharing =
      std::ranges::count_if(kinds_, [](auto const& kind) { return kind.first.kind != BackingKind::hugetlb; });
  extents = std::min<std::size_t>(
      extents, room_.value / folio.value / static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, sharing)));
  if (extents < 2)
    return refuse_backing(
        backing,
        {{}, "two folios do not fit in the memory allowed", "raise --max-memory, or the memory limit of the cgroup"});
  if (backing.kind == BackingKind::hugetlb) {
    auto const pool = std::ranges::find(machine_.hugetlb, *backing.size, &HugetlbPool::size);
    // The replica and the other paths need pages of the pool, too.
    if (pool != machine_.hugetlb.end() && pool->free > 0)
      extents = std::min<std::size_t>(extents, std::max(pool->free / 4, std::min<std::uint64_t>(4, pool->free / 2)));
    if (extents < 2)
      return refuse_backing(backing,
                            {{}, "fewer than four pages of the pool are free", "enlarge the pool (nr_hugepages)"});
  }
  auto memory = FaultMemory::make(backing, extents, machine_);
  if (memory)
    kinds_[backing].memory.emplace(std::move(*memory));
  else
    refuse_backing(backing, memory.refusal());
}

void FaultOrder::refuse_backing(Backing const& backing, Refusal const& refusal) {
  for (std::size_t i = 0; i < plan_.cells.size(); ++i) {
    Cell const& cell = plan_.cells[i].cell;
    if (cell.backing != backing || refused_[i]) continue;
    refused_[i] = true;
    news_.push_back({static_cast<std::uint32_t>(i), placement_, {describe(cell), refusal.reason, refusal.remedy}});
  }
}

/// What free memory costs that nobody has touched for an unknown time: the host may have to find it first.
Json FaultOrder::first_touch(Kind& kind) {
  Json all = Json::array();
  for (std::size_t i = 0; i < kind.memory->extents(); ++i) {
    if (kind.memory->populated(i)) continue;
    Fault const fault = kind.memory->touch(i, 0, clock_);
    if (fault.error) break;
    all.push(fault.sample.wall.value / fault.sample.copies);
  }
  return all;
}

Json FaultOrder::after_a_wait(Kind& kind, Random& random) {
  Json all = Json::array();
  std::size_t const some = std::min<std::size_t>(4, kind.drawn.size());
  for (std::size_t k = 0; k < some; ++k)
    if (kind.memory->populated(kind.drawn[k])) {
      kind.memory->make_cold(kind.drawn[k], random);
      kind.memory->give_back(kind.drawn[k]);
    }
  sleep_for(wait_s);
  for (std::size_t k = 0; k < some; ++k) {
    if (kind.memory->populated(kind.drawn[k])) continue;
    Fault const fault = kind.memory->touch(kind.drawn[k], 0, clock_);
    if (fault.error) break;
    all.push(Json::object(
        {{"since_free_s", fault.since_free.value / 1e9}, {"ns", fault.sample.wall.value / fault.sample.copies}}));
  }
  return all;
}

/// After a fault at page 0: is a line beside it still in a near cache, and one of the last page?
void FaultOrder::look(Backing const& backing, std::byte* folio, Bytes length, Random& random) {
  looks_ =
      near_points("fault", to_string(backing), 0, look_after_fault(folio, length, machine_.base_page, clock_, random));
}

std::vector<Point> FaultOrder::seen() { return std::exchange(looks_, {}); }

Placement FaultOrder::place(std::uint32_t id, Random& random) {
  placement_ = id;
  Placement placement;
  placement.id = id;
  for (auto& [backing, kind] : kinds_) {
    if (!kind.memory) continue;
    kind.excluded = Json::array();
    kind.longest_since_free_ns = 0;
    kind.faults = 0;
    Json evidence = Json(Json::Object{});
    if (id == 0) evidence.set("first_touch_ns", first_touch(kind));
    std::vector<std::size_t> all(kind.memory->extents());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    shuffle(all, random);
    all.resize(std::min(extents_drawn, std::max<std::size_t>(1, all.size() / 2)));
    kind.drawn = std::move(all);
    kind.next = 0;
    placement.evidence.set(to_string(backing), std::move(evidence));
  }
  return placement;
}

Json FaultOrder::leave() {
  Json all = Json(Json::Object{});
  Random random = Random(plan_.seed).split(placement_);
  for (auto& [backing, kind] : kinds_) {
    if (!kind.memory) continue;
    Json evidence = Json::object(
        {{"excluded", kind.excluded}, {"faults", kind.faults}, {"longest_since_free_ns", kind.longest_since_free_ns}});
    if (placement_ == 0 && plan_.budget.value / 1e9 >= budget_for_waiting_s && kind.faults > 0)
      evidence.set("after_a_wait", after_a_wait(kind, random));
    all.set(to_string(backing), std::move(evidence));
  }
  return all;
}

std::vector<RefusedCell> FaultOrder::newly_refused() { return std::exchange(news_, {}); }

void FaultOrder::warm_up(Random& random) {
  for (auto& [backing, kind] : kinds_)
    if (kind.memory && !kind.drawn.empty())
      static_cast<void>(kind.memory->fault(kind.drawn.front(), 0, clock_, random));
}

bool FaultOrder::returned(Kind const& kind, Fault const& fault) const {
  return kind.last.size() >= remembered_least &&
         fault.sample.wall.value / fault.sample.copies > far_above_the_median * median_of(kind.last);
}

Granted<Sample> FaultOrder::run(std::size_t cell, Arm, Random& random) {
  Cell const& what = plan_.cells[cell].cell;
  auto const refused = [&](std::string reason, std::string remedy) {
    return Refusal{describe(what), std::move(reason), std::move(remedy)};
  };
  Kind& kind = kinds_.at(what.backing);
  if (refused_[cell] || !kind.memory) return refused("its memory was refused", "");
  std::uint64_t const index = what.target.value_or(0);
  for (int attempt = 0; attempt < tries; ++attempt) {
    std::size_t const extent = kind.drawn[kind.next++ % kind.drawn.size()];
    auto const fault = kind.memory->fault(extent, index, clock_, random);
    if (!fault) {
      refuse_backing(what.backing, fault.refusal());
      kind.memory.reset();
      return refused(fault.refusal().reason, fault.refusal().remedy);
    }
    // Before anything else touches the folio.
    looks_.clear();
    if (index == 0 && kind.memory->folios_an_extent() == 1 && kind.memory->folio() >= least_to_look_at)
      look(what.backing, kind.memory->at(extent), kind.memory->folio(), random);
    bool const huge = what.backing.kind == BackingKind::hugetlb || kind.memory->whole(extent, index);
    if (!huge)
      return refused("Linux served the fault with smaller pages",
                     "free memory, or compact it (/proc/sys/vm/compact_memory)");
    ++kind.faults;
    kind.longest_since_free_ns = std::max(kind.longest_since_free_ns, fault->since_free.value);
    double const ns = fault->sample.wall.value / fault->sample.copies;
    if (!returned(kind, *fault)) {
      kind.last.push_back(ns);
      if (kind.last.size() > remembered) kind.last.pop_front();
      return fault->sample;
    }
    kind.excluded.push(Json::object(
        {{"index", index},
         {"ns", ns},
         {"since_free_ns", fault->since_free.value},
         {"interruptions", fault->interruptions},
         {"cause", fault->interruptions ? "interrupted" : "the host took the page back, or took the CPU"}}));
  }
  return refused("three faults in a row took far longer than the median", "measure on a quieter host");
}

double FaultOrder::core_clock() { return ns_per_add(clock_); }
bool FaultOrder::clock_changed() { return current_clocksource() != clock_.source; }

}  // namespace folioscope
