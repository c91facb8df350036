// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/passes.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "measure/crew.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr unsigned failures_that_end = 3;

double thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace

Passes::Passes(Plan const& part, Machine const& machine, Clock const& clock, Pass pass, std::function<Json()> leave)
    : plan_(part),
      machine_(machine),
      clock_(clock),
      pass_(std::move(pass)),
      leave_(std::move(leave)),
      failures_(part.cells.size(), 0),
      refused_(part.cells.size()) {
  std::size_t threads = 1;
  for (PlannedCell const& planned : part.cells) threads = std::max<std::size_t>(threads, planned.cell.threads);
  threads = std::min(threads, machine.allowed_cpus.size());
  auto hired = Crew::hire(std::span(machine.allowed_cpus).first(threads));
  if (hired) crew_.emplace(std::move(*hired));
  for (std::size_t i = 0; i < part.cells.size(); ++i) {
    if (!crew_)
      refuse(i, hired.refusal());
    else if (part.cells[i].cell.threads > threads)
      refuse(i, {{}, "more threads than CPUs that may be used", "allow more CPUs"});
  }
}

void Passes::refuse(std::size_t cell, Refusal refusal) {
  if (refused_[cell]) return;
  refusal.subject = describe(plan_.cells[cell].cell);
  news_.push_back({static_cast<std::uint32_t>(cell), 0, refusal});
  refused_[cell] = std::move(refusal);
}

Placement Passes::place(std::uint32_t id, Random&) {
  Placement placement;
  placement.id = id;
  placement.evidence = Json(Json::Object{});
  return placement;
}

Json Passes::leave() { return leave_ ? leave_() : Json(Json::Object{}); }
std::vector<RefusedCell> Passes::newly_refused() { return std::exchange(news_, {}); }
std::vector<Point> Passes::seen() { return std::exchange(seen_, {}); }

Granted<Sample> Passes::run(std::size_t cell, Arm, Random& random) {
  seen_.clear();
  if (refused_[cell]) return *refused_[cell];
  Cell const& what = plan_.cells[cell].cell;
  auto passed = pass_({what, machine_, clock_, *crew_, random});
  if (!passed) {
    Refusal refusal = passed.refusal();
    refusal.subject = describe(what);
    if (++failures_[cell] >= failures_that_end) refuse(cell, refusal);
    return refusal;
  }
  failures_[cell] = 0;
  seen_ = std::move(passed->seen);
  return passed->sample;
}

double Passes::core_clock() { return ns_per_add(clock_); }
bool Passes::clock_changed() { return current_clocksource() != clock_.source; }

TaskTimes time_task(std::function<Worked(std::size_t)> const& work, std::size_t task) {
  TaskTimes times;
  double const before = thread_cpu_ns();
  times.start = ticks();
  times.worked = work(task);
  times.end = ticks();
  times.cpu_ns = thread_cpu_ns() - before;
  return times;
}

Timed sum_of(std::span<TaskTimes const> tasks, Clock const& clock) {
  Timed timed;
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  double user = 0, system = 0;
  for (TaskTimes const& t : tasks) {
    if (t.worked.error) timed.error = t.worked.error;
    first = std::min(first, t.start);
    last = std::max(last, t.end);
    double const own = std::min(t.cpu_ns, static_cast<double>(t.worked.program_ticks) * clock.ns_per_tick);
    user += own;
    system += t.cpu_ns - own;
  }
  if (timed.error) return timed;
  timed.sample.wall = Nanoseconds(static_cast<double>(last - first) * clock.ns_per_tick);
  timed.sample.user = Nanoseconds(user);
  timed.sample.system = Nanoseconds(system);
  return timed;
}

Timed time_work(Crew& crew, std::uint32_t threads, Clock const& clock, std::function<Worked(std::size_t)> const& work) {
  std::vector<TaskTimes> tasks(threads);
  Crew::Inside& inside = crew.inside();
  inside.run(threads, [&](std::size_t t) {
    inside.barrier.wait(threads);
    tasks[t] = time_task(work, t);
  });
  return sum_of(tasks, clock);
}

}  // namespace folioscope
