// SPDX-License-Identifier: Apache-2.0
// fallocate on hugetlb memory: allocates and clears in one call, and tells the clear of no page, which Linux takes for
// page 0.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>

#include "backing/mapping.hpp"
#include "backing/pool.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/fallocated.hpp"
#include "linuxmm/tmpfs_mount.hpp"

namespace folioscope::linux_path {
namespace {

constexpr std::uint64_t most_hugetlb_folios = 16;
constexpr char const* hugetlb_kernel = "linux_fallocate_hugetlb";

void plan_hugetlb(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  if (machine.hugetlb.empty())
    plan.refusals.push_back({"fallocate-hugetlb", "this Linux has no hugetlb pages", "boot one with CONFIG_HUGETLBFS"});
  for (HugetlbPool const& pool : machine.hugetlb) {
    if (pool.size > 64_MiB) continue;  // a gigantic page is always cleared upwards, and takes a tenth of a second
    Backing const backing{BackingKind::hugetlb, pool.size};
    auto const refused = [&](std::string reason, std::string remedy) {
      plan.refusals.push_back({"fallocate-hugetlb " + to_string(backing), std::move(reason), std::move(remedy)});
    };
    auto const refusal = refuse(backing, machine);
    if (refusal && !request.allow_system_changes) {
      plan.refusals.push_back(refused_path("fallocate-hugetlb " + to_string(backing), *refusal));
      continue;
    }
    std::uint64_t folios =
        request.allow_system_changes ? most_hugetlb_folios : std::min(most_hugetlb_folios, usable_of(pool));
    if (request.max_memory) folios = std::min(folios, request.max_memory->value / pool.size.value);
    if (folios == 0) {
      refused("no page of the pool is free, or may be used", "enlarge the pool (nr_hugepages) or --max-memory");
      continue;
    }
    Cell cell;
    cell.kernel = hugetlb_kernel;
    cell.backing = backing;
    cell.footprint = pool.size * folios;
    cell.call = cell.footprint;
    add_fallocate(plan, cell);
  }
}

Granted<Passed> hugetlb_pass(PassPlace const& place) {
  Bytes const folio = *place.cell.backing.size;
  auto const size_bits = static_cast<unsigned>(std::countr_zero(folio.value))
                         << MAP_HUGE_SHIFT;  // memfd_create's is the same
  File const file(memfd_create("folioscope", MFD_CLOEXEC | MFD_HUGETLB | size_bits));
  if (file.get() < 0)
    return Refusal{
        {}, "memfd_create: " + backing::errno_text(errno), "use Linux 4.14 or newer with hugetlb pages of that size"};
  auto passed = fallocate_pass({file.get(), place.cell.footprint, folio, false}, place);
  if (passed) return passed;
  return Refusal{{}, passed.refusal().reason, "leave more pages of the pool free (nr_hugepages)"};
}

std::unique_ptr<Subject> hugetlb_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                         LinuxRequest const&) {
  return std::make_unique<Passes>(part, machine, clock, hugetlb_pass);
}

}  // namespace

constexpr LinuxPath fallocate_hugetlb{
    .name = "fallocate-hugetlb",
    .summary = "fallocate on hugetlb memory, which allocates and clears, and the use after it",
    .clears = "as a fault at page 0",
    .plan = plan_hugetlb,
    .subject = hugetlb_subject};

}  // namespace folioscope::linux_path
