// SPDX-License-Identifier: Apache-2.0
// anon-w-seq-hugetlb: processes that write through hugetlb pages.
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <memory>

#include "backing/state.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/tasks.hpp"
#include "linuxmm/warm_memory.hpp"

namespace folioscope::linux_path {
namespace {

void plan_anon_hugetlb(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  if (machine.hugetlb.empty())
    plan.refusals.push_back(
        {"anon-w-seq-hugetlb", "this Linux has no hugetlb pages", "boot one with CONFIG_HUGETLBFS"});
  for (HugetlbPool const& pool : machine.hugetlb) {
    if (pool.size > 64_MiB) continue;
    Backing const backing{BackingKind::hugetlb, pool.size};
    plan_tasks(plan, {"anon-w-seq-hugetlb", "linux_anon_w_seq_hugetlb", backing, pool.size, tasks_of(machine, request)},
               machine, request);
  }
}

Granted<Passed> anon_hugetlb_pass(PassPlace const& place) {
  if (auto const refusal = refuse(State::cold, place.machine)) return *refusal;
  Bytes const page = *place.cell.backing.size;
  auto const size_bits = static_cast<unsigned>(std::countr_zero(page.value)) << MAP_HUGE_SHIFT;
  auto passed = process_pass(place, page, [&](Bytes length, Random& random) -> std::byte* {
    // Reserved here or refused here: a touch never finds the pool empty.
    int const flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | static_cast<int>(size_bits);
    void* const memory = mmap(nullptr, length.value, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    errno = make_warm_hugetlb(static_cast<std::byte*>(memory), length, page, place.machine, random);
    return errno == 0 ? static_cast<std::byte*>(memory) : nullptr;
  });
  if (passed) return passed;
  return Refusal{{}, passed.refusal().reason, "leave more pages of the pool free (nr_hugepages)"};
}

std::unique_ptr<Subject> anon_hugetlb_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                              LinuxRequest const&) {
  return std::make_unique<Passes>(part, machine, clock, anon_hugetlb_pass);
}

}  // namespace

constexpr LinuxPath anon_w_seq_hugetlb{
    .name = "anon-w-seq-hugetlb",
    .summary = "processes that write through hugetlb pages: clear and use, together and apart",
    .clears = "the page fault's own order",
    .plan = plan_anon_hugetlb,
    .subject = anon_hugetlb_subject};

}  // namespace folioscope::linux_path
