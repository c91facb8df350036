// SPDX-License-Identifier: Apache-2.0
#include "measure/measure.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cassert>
#include <ctime>
#include <exception>

#include "backing/state.hpp"
#include "measure/crew.hpp"
#include "measure/use.hpp"
#include "measure/walk.hpp"
#include "terms/error.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

struct CpuTime {
  double total = 0;   ///< ns, exact
  double system = 0;  ///< ns, as Linux splits it
};

CpuTime cpu_time() {
  timespec now{};
  rusage usage{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  getrusage(RUSAGE_THREAD, &usage);
  return {1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec),
          1e9 * static_cast<double>(usage.ru_stime.tv_sec) + 1e3 * static_cast<double>(usage.ru_stime.tv_usec)};
}

struct alignas(128) Member {
  std::uint64_t ready = 0;  ///< ticks when the barrier opened
  Ticks ticks;
  std::uint64_t use_ticks = 0;
  CpuTime before, after;
  std::exception_ptr trouble;
};

/// Reads the calls before the state is made, so that the timed loop does not fetch them from memory.
void touch(std::span<Call const> calls, std::span<std::uint32_t const> prefetches) {
  std::uint32_t sum = 0;
  for (Call const& call : calls) sum += call.offset;
  for (std::uint32_t line : prefetches) sum += line;
  asm volatile("" ::"r"(sum));
}

/// After the state: the kernel's few instructions into the instruction cache, wide vector units powered up. It clears
/// an own scratch of at most 2 KiB (the largest ZVA block that DCZID_EL0 can name), which disturbs no state that
/// matters.
void warm(Kernel const& kernel, std::span<Call const> calls) {
  constexpr std::size_t largest_block = 2048;
  alignas(4096) static thread_local std::byte scratch[4096];
  if (calls.empty()) return;
  std::size_t const granule =
      kernel.contract.granule.value == 0 ? largest_block : std::max<std::size_t>(kernel.contract.granule.value, 512);
  kernel.clear(scratch, std::min<std::size_t>({granule, calls.front().length, sizeof scratch}));
}

void take_part(Member& self, SpinBarrier& barrier, Pass const& pass, std::size_t index, Random random) {
  auto const& folios = pass.folios[index];
  try {
    touch(pass.calls, pass.prefetches);
    make_state(pass.cell->state, folios, pass.extent, pass.base_page, random);
    warm(*pass.kernel, pass.calls);
  } catch (...) {
    self.trouble = std::current_exception();  // the others wait at the barrier: meet them first
  }
  Walk const what{pass.kernel->clear, folios, pass.calls, pass.prefetches, pass.cell->fence == Fence::call};
  auto const members = static_cast<std::uint32_t>(pass.folios.size());
  barrier.wait(members);
  self.ready = ticks();
  if (pass.counters) {
    if (index == 0) pass.counters->start();
    barrier.wait(members);
  }
  self.before = cpu_time();
  if (pass.use) {
    Bill const bill = clear_and_use(what, *pass.use);
    self.ticks = bill.clears;
    self.use_ticks = bill.use_ticks;
  } else {
    self.ticks = walk(what);
  }
  self.after = cpu_time();
  if (pass.counters) {
    barrier.wait(members);
    if (index == 0) *pass.readings = pass.counters->stop();
  }
}

}  // namespace

Sample measure(Crew& crew, Pass const& pass, Clock const& clock, Random& random) {
  assert(pass.kernel && pass.kernel->clear && pass.cell && (!pass.counters || pass.readings) && !pass.folios.empty() &&
         pass.folios.size() <= crew.size() && (!pass.use || (pass.used && pass.folios.size() == 1)));
  Random const own(random());
  std::vector<Member> members(pass.folios.size());
  Crew::Inside& inside = crew.inside();
  std::uint64_t const begun = ticks();
  inside.run(members.size(), [&](std::size_t i) { take_part(members[i], inside.barrier, pass, i, own.split(i)); });

  Sample sample;
  std::uint64_t first = members[0].ticks.start, last = members[0].ticks.end;
  bool backwards = members[0].ready < begun;
  double total = 0, system = 0;
  for (Member const& member : members) {
    if (member.trouble) std::rethrow_exception(member.trouble);
    backwards = backwards || member.ticks.start < member.ready || member.ticks.end < member.ticks.start;
    first = std::min(first, member.ticks.start);
    last = std::max(last, member.ticks.end);
    double const spent = std::max(0.0, member.after.total - member.before.total);
    total += spent;
    system += std::clamp(member.after.system - member.before.system, 0.0, spent);
  }
  if (backwards)
    throw Error("the time-stamp counter ran backwards", "measure",
                "check the clock source; pin the virtual machine's CPUs");
  if (pass.use) *pass.used = Nanoseconds(static_cast<double>(members[0].use_ticks) * clock.ns_per_tick);
  sample.copies = pass.copies;
  sample.wall = Nanoseconds(static_cast<double>(last - first) * clock.ns_per_tick);
  sample.user = Nanoseconds(total - system);
  sample.system = Nanoseconds(system);
  sample.state = Nanoseconds(static_cast<double>(members[0].ready - begun) * clock.ns_per_tick);
  return sample;
}

}  // namespace folioscope
