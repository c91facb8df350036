// SPDX-License-Identifier: Apache-2.0
// anon-w-seq: processes that write through anonymous huge pages.
#include <sys/mman.h>

#include <cerrno>
#include <memory>

#include "backing/mapping.hpp"
#include "backing/pool.hpp"
#include "backing/state.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/tasks.hpp"
#include "linuxmm/warm_memory.hpp"

namespace folioscope::linux_path {
namespace {

void plan_anon(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  Backing const thp{BackingKind::thp, {}};
  if (auto const refusal = refuse(thp, machine)) {
    plan.refusals.push_back(refused_path("anon-w-seq", *refusal));
    return;
  }
  plan_tasks(plan, {"anon-w-seq", "linux_anon_w_seq", thp, *machine.folio, tasks_of(machine, request)}, machine,
             request);
}

Granted<Passed> anon_pass(std::byte* memory, PassPlace const& place) {
  // Inherited and private: each child's writes are its own. It is mapped anew there, so nothing is copied.
  return process_pass(place, *place.machine.folio, [&](Bytes length, Random& random) -> std::byte* {
    errno = make_warm(memory, length, place.machine, random);
    return errno == 0 ? memory : nullptr;
  });
}

std::unique_ptr<Subject> anon_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                      LinuxRequest const&) {
  Bytes most;
  for (PlannedCell const& planned : part.cells) most = std::max(most, planned.cell.footprint);
  auto made = backing::Mapping::make(backing::Mapping::Source::anonymous, most, *machine.folio, "anon-w-seq");
  auto const memory = std::make_shared<Granted<backing::Mapping>>(std::move(made));  // std::function wants to be copied
  return std::make_unique<Passes>(part, machine, clock, [memory](PassPlace const& place) -> Granted<Passed> {
    if (!*memory) return memory->refusal();
    if (auto const refusal = refuse(State::cold, place.machine)) return *refusal;
    return anon_pass((*memory)->begin(), place);
  });
}

}  // namespace

constexpr LinuxPath anon_w_seq{.name = "anon-w-seq",
                               .summary = "processes that write through THPs: clear and use, together and apart",
                               .clears = "the page fault's own order",
                               .plan = plan_anon,
                               .subject = anon_subject};

}  // namespace folioscope::linux_path
