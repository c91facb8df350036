// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/tasks.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>

#include "backing/mapping.hpp"
#include "linuxmm/processes.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

// The original workloads take half of memory. Thirty blocks of every cell must fit the budget: in the usual minute
// that many. Four times the budget gives twice the memory and twice the blocks.
constexpr std::uint64_t folios_a_task = 16;

std::uint64_t folios_wanted(Nanoseconds budget) {
  double const minutes = std::clamp(budget.value / 60e9, 1.0, 1e6);
  return static_cast<std::uint64_t>(static_cast<double>(folios_a_task) * std::sqrt(minutes));
}

std::uint64_t free_pages(Backing const& backing, Machine const& machine) {
  auto const pool = std::ranges::find(machine.hugetlb, backing.size.value_or(Bytes(0)), &HugetlbPool::size);
  return pool == machine.hugetlb.end() ? 0 : usable_of(*pool);
}

/// Memory that children write into and this process reads.
class SharedPhases {
 public:
  explicit SharedPhases(std::size_t count) : count_(count) {
    memory_ = mmap(nullptr, count * sizeof(PhaseTicks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  }
  ~SharedPhases() {
    if (memory_ != MAP_FAILED) munmap(memory_, count_ * sizeof(PhaseTicks));
  }
  SharedPhases(SharedPhases const&) = delete;
  SharedPhases& operator=(SharedPhases const&) = delete;
  bool made() const { return memory_ != MAP_FAILED; }
  PhaseTicks& operator[](std::size_t i) const { return static_cast<PhaseTicks*>(memory_)[i]; }
  std::vector<PhaseTicks> all() const {
    auto* const begin = static_cast<PhaseTicks*>(memory_);
    return {begin, begin + count_};
  }

 private:
  std::size_t count_;
  void* memory_;
};

}  // namespace

std::vector<std::uint32_t> tasks_of(Machine const& machine, LinuxRequest const& request) {
  if (!request.threads.empty()) return request.threads;
  auto const all = static_cast<std::uint32_t>(std::max<std::size_t>(1, machine.allowed_cpus.size()));
  return all == 1 ? std::vector{all} : std::vector{1u, all};
}

void plan_tasks(Plan& plan, TaskCells const& what, Machine const& machine, LinuxRequest const& request) {
  for (std::uint32_t const tasks : what.tasks) {
    std::uint64_t folios = folios_wanted(request.budget);
    Bytes const room = room_of(machine, request);
    if (what.backing.kind == BackingKind::hugetlb && !request.allow_system_changes)
      folios = std::min(folios, free_pages(what.backing, machine) / tasks);
    folios = std::min(folios, room.value / (what.folio.value * tasks));
    if (folios == 0) {
      plan.refusals.push_back({fmt::format("{} {}, {} tasks", what.path, to_string(what.backing), tasks),
                               "there is not one free huge page a task that may be used",
                               what.backing.kind == BackingKind::hugetlb
                                   ? "enlarge the pool (nr_hugepages)"
                                   : "raise --max-memory, or the memory limit of the cgroup"});
      continue;
    }
    Cell cell;
    cell.kernel = what.kernel;
    cell.backing = what.backing;
    cell.footprint = what.folio * folios;
    cell.call = cell.footprint;
    cell.threads = tasks;
    add_write_seq(plan, cell, what.folio, machine.base_page);
  }
}

std::vector<Point> phase_points(bool apart, std::vector<PhaseTicks> const& phases, PassPlace const& place) {
  if (!apart || phases.empty()) return {};
  auto const ns = [&](std::uint64_t first, std::uint64_t last) {
    return static_cast<double>(last - first) * place.clock.ns_per_tick;
  };
  auto const least = [&](std::uint64_t PhaseTicks::*at) { return (*std::ranges::min_element(phases, {}, at)).*at; };
  auto const most = [&](std::uint64_t PhaseTicks::*at) { return (*std::ranges::max_element(phases, {}, at)).*at; };
  auto const x = static_cast<double>(place.cell.threads);
  return {{"path.clear", place.cell.kernel, x, ns(least(&PhaseTicks::begin), most(&PhaseTicks::cleared)), {}, {}},
          {"path.use", place.cell.kernel, x, ns(least(&PhaseTicks::use), most(&PhaseTicks::end)), {}, {}}};
}

Refusal no_memory(int error) {
  return {{}, backing::errno_text(error), "free memory, or ask for less with --max-memory"};
}

Granted<Passed> process_pass(PassPlace const& place, Bytes folio,
                             std::function<std::byte*(Bytes length, Random& random)> const& map) {
  Cell const& cell = place.cell;
  WriteSeq const what = write_seq_of(cell, folio, place.machine.base_page);
  SharedPhases const phases(cell.threads);
  if (!phases.made()) return no_memory(errno);
  std::byte* own = nullptr;  // each child has its own copy
  ProcessWork work;
  work.prepare = [&](std::size_t i) {
    Random random = place.random.split(i);
    own = map(cell.footprint, random);
    return own ? 0 : errno;
  };
  work.work = [&](std::size_t i) {
    PhaseTicks& phase = phases[i];
    phase.begin = ticks();
    Worked worked;
    worked.program_ticks = clear_part(what, own);
    phase.cleared = phase.use = ticks();
    worked.program_ticks += use_part(what, own);
    phase.end = ticks();
    return worked;
  };
  auto timed = time_processes(std::span(place.machine.allowed_cpus).first(cell.threads), place.clock, work);
  if (!timed) return timed.refusal();
  if (timed->error) return no_memory(timed->error);
  return Passed{timed->sample, phase_points(what.apart, phases.all(), place)};
}

}  // namespace folioscope
