// SPDX-License-Identifier: Apache-2.0
// anon-w-seq-mt: threads of one process, each writing through anonymous huge pages of its own.
#include <algorithm>
#include <memory>

#include "backing/mapping.hpp"
#include "backing/pool.hpp"
#include "backing/state.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/tasks.hpp"
#include "linuxmm/warm_memory.hpp"
#include "linuxmm/write_seq.hpp"
#include "measure/crew.hpp"
#include "terms/ticks.hpp"

namespace folioscope::linux_path {
namespace {

constexpr char const* mt_kernel = "linux_anon_w_seq_mt";

void plan_mt(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  Backing const thp{BackingKind::thp, {}};
  if (auto const refusal = refuse(thp, machine)) {
    plan.refusals.push_back(refused_path("anon-w-seq-mt", *refusal));
    return;
  }
  plan_tasks(plan, {"anon-w-seq-mt", mt_kernel, thp, *machine.folio, tasks_of(machine, request)}, machine, request);
}

Granted<Passed> mt_pass(std::byte* memory, PassPlace const& place) {
  Cell const& cell = place.cell;
  Bytes const length = cell.footprint * cell.threads;
  std::uint64_t const begun = ticks();
  if (int const error = make_warm(memory, length, place.machine, place.random)) return no_memory(error);
  std::uint64_t const ready = ticks();
  WriteSeq const what = write_seq_of(cell, *place.machine.folio, place.machine.base_page);
  std::vector<PhaseTicks> phases(cell.threads);
  Timed timed = time_work(place.crew, cell.threads, place.clock, [&](std::size_t t) {
    std::byte* const own = memory + t * cell.footprint.value;
    phases[t].begin = ticks();
    Worked worked;
    worked.program_ticks = clear_part(what, own);
    phases[t].cleared = ticks();
    if (what.apart) place.crew.inside().barrier.wait(cell.threads);
    phases[t].use = ticks();
    worked.program_ticks += phases[t].use - phases[t].cleared;  // waiting for the others
    worked.program_ticks += use_part(what, own);
    phases[t].end = ticks();
    return worked;
  });
  if (auto refusal = not_huge(memory, length)) return *refusal;
  timed.sample.state = Nanoseconds(static_cast<double>(ready - begun) * place.clock.ns_per_tick);
  return Passed{timed.sample, phase_points(what.apart, phases, place)};
}

std::unique_ptr<Subject> mt_subject(Plan const& part, Machine const& machine, Clock const& clock, LinuxRequest const&) {
  Bytes most;
  for (PlannedCell const& planned : part.cells) most = std::max(most, planned.cell.footprint * planned.cell.threads);
  auto made = backing::Mapping::make(backing::Mapping::Source::anonymous, most, *machine.folio, "anon-w-seq-mt");
  auto const memory = std::make_shared<Granted<backing::Mapping>>(std::move(made));  // std::function wants to be copied
  return std::make_unique<Passes>(part, machine, clock, [memory](PassPlace const& place) -> Granted<Passed> {
    if (!*memory) return memory->refusal();
    if (auto const refusal = refuse(State::cold, place.machine)) return *refusal;
    return mt_pass((*memory)->begin(), place);
  });
}

}  // namespace

constexpr LinuxPath anon_w_seq_mt{
    .name = "anon-w-seq-mt",
    .summary = "threads that write through THPs of their own: clear and use, together and apart",
    .clears = "the page fault's own order",
    .plan = plan_mt,
    .subject = mt_subject};

}  // namespace folioscope::linux_path
