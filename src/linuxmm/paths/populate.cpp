// SPDX-License-Identifier: Apache-2.0
// Ways in which a program gets huge pages populated: by touching a page of each, by MADV_POPULATE_WRITE, by
// MAP_POPULATE, or by reading first and writing then. Every way fills the same warm memory, alone or with several
// threads that share it out.
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "backing/mapping.hpp"
#include "backing/pool.hpp"
#include "backing/state.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/fault_order.hpp"
#include "linuxmm/passes.hpp"
#include "linuxmm/warm_memory.hpp"
#include "terms/ticks.hpp"
#include "terms/words.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace folioscope::linux_path {
namespace {

enum class Way { touch, madvise, mmap, read_first };
constexpr Word<Way> kernels[] = {{Way::touch, "linux_populate_touch"},
                                 {Way::madvise, "linux_populate_madvise"},
                                 {Way::mmap, "linux_populate_mmap"},
                                 {Way::read_first, "linux_populate_read_first"}};
constexpr std::uint64_t most_folios_a_thread = 16;

std::set<std::uint32_t> threads_of(Machine const& machine, LinuxRequest const& request) {
  if (!request.threads.empty()) return {request.threads.begin(), request.threads.end()};
  return {1, static_cast<std::uint32_t>(std::max<std::size_t>(1, machine.allowed_cpus.size()))};
}

void plan_populate(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  Backing const thp{BackingKind::thp, {}};
  if (auto const refusal = refuse(thp, machine)) {
    plan.refusals.push_back(refused_path("populate", *refusal));
    return;
  }
  Bytes const folio = *machine.folio;
  std::set<std::uint64_t> indices{0, folio / machine.base_page - 1};
  if (!request.indices.empty()) indices = {request.indices.begin(), request.indices.end()};
  for (std::uint32_t threads : threads_of(machine, request)) {
    Cell cell;
    cell.backing = thp;
    Bytes const room = room_of(machine, request);
    cell.footprint = folio * std::min(most_folios_a_thread, room / (folio * threads));
    cell.call = folio;
    cell.threads = threads;
    if (cell.footprint.value == 0) {
      plan.refusals.push_back(
          {"populate", "its memory is more than may be used", "raise --max-memory, or the memory limit of the cgroup"});
      continue;
    }
    auto const add = [&](Way way, std::uint64_t index) {
      PlannedCell planned{cell, {{Bytes(0), cell.footprint}}};
      planned.cell.kernel = word_of(kernels, way);
      if (index != 0) {
        planned.cell.order = touch_first;
        planned.cell.run = machine.base_page;
        planned.cell.target = index;
      }
      plan.cells.push_back(std::move(planned));
    };
    for (std::uint64_t index : indices) add(Way::touch, index);
    for (Way way : {Way::madvise, Way::mmap, Way::read_first}) add(way, 0);
  }
}

void write_to(std::byte* at) { *reinterpret_cast<char volatile*>(at) = 1; }
void read_from(std::byte const* at) { static_cast<void>(*reinterpret_cast<char const volatile*>(at)); }

/// One thread's share, its folios one after another; errno where Linux refused.
int populate_share(Way way, std::byte* begin, std::byte* end, Bytes folio, std::uint64_t offset) {
  auto const length = static_cast<std::size_t>(end - begin);
  constexpr int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
  switch (way) {
    case Way::mmap:
      return mmap(begin, length, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED ? errno : 0;
    case Way::madvise:
      return ::madvise(begin, length, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
    case Way::touch:
      for (; begin < end; begin += folio.value) write_to(begin + offset);
      return 0;
    case Way::read_first:
      for (std::byte* at = begin; at < end; at += folio.value) read_from(at + offset);
      for (; begin < end; begin += folio.value) write_to(begin + offset);
      return 0;
  }
  return EINVAL;
}

Granted<Passed> populate_pass(std::byte* memory, PassPlace const& place) {
  Cell const& cell = place.cell;
  auto const way = value_of(kernels, cell.kernel);
  if (!way) return Refusal{{}, "this build knows no such way to populate", "use the build that planned it"};
  Bytes const length = cell.footprint * cell.threads;
  auto const failed = [](int error) {
    return Refusal{{}, backing::errno_text(error), "free memory, or ask for less with --max-memory"};
  };
  std::uint64_t const begun = ticks();
  if (int const error = make_warm(memory, length, place.machine, place.random)) return failed(error);
  std::uint64_t const ready = ticks();
  std::uint64_t const offset = cell.target.value_or(0) * place.machine.base_page.value;
  Timed timed = time_work(place.crew, cell.threads, place.clock, [&](std::size_t t) {
    std::byte* const begin = memory + t * cell.footprint.value;
    return Worked{populate_share(*way, begin, begin + cell.footprint.value, *place.machine.folio, offset)};
  });
  if (timed.error == EINVAL && *way == Way::madvise)
    return Refusal{{}, "this Linux has no MADV_POPULATE_WRITE", "use Linux 5.14 or newer"};
  if (timed.error) return failed(timed.error);
  if (auto refusal = not_huge(memory, length)) {
    if (*way != Way::mmap) return *refusal;
    return Refusal{{},
                   "MAP_POPULATE populated with base pages: advice comes too late for it",
                   "set /sys/kernel/mm/transparent_hugepage/enabled to always"};
  }
  timed.sample.state = Nanoseconds(static_cast<double>(ready - begun) * place.clock.ns_per_tick);
  return Passed{timed.sample, {}};
}

std::unique_ptr<Subject> populate_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                          LinuxRequest const&) {
  Bytes most;
  for (PlannedCell const& planned : part.cells) most = std::max(most, planned.cell.footprint * planned.cell.threads);
  auto made = backing::Mapping::make(backing::Mapping::Source::anonymous, most, *machine.folio, "populate");
  // std::function wants to be copied.
  auto const memory = std::make_shared<Granted<backing::Mapping>>(std::move(made));
  return std::make_unique<Passes>(part, machine, clock, [memory](PassPlace const& place) -> Granted<Passed> {
    if (!*memory) return memory->refusal();
    if (auto const refusal = refuse(State::cold, place.machine)) return *refusal;
    return populate_pass((*memory)->begin(), place);
  });
}

}  // namespace

constexpr LinuxPath populate{.name = "populate",
                             .summary =
                                 "huge pages populated by touching a page of each, MADV_POPULATE_WRITE, "
                                 "MAP_POPULATE, or a read first; 1 to n threads",
                             .clears = "the page fault's own order",
                             .plan = plan_populate,
                             .subject = populate_subject};

}  // namespace folioscope::linux_path
