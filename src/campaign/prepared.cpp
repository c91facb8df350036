// SPDX-License-Identifier: Apache-2.0
#include "campaign/prepared.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

#include "backing/state.hpp"

namespace folioscope {
namespace {

Bytes line_of(Machine const& machine) {
  for (Cache const& cache : machine.caches)
    if (cache.line && cache.line->value > 0) return *cache.line;
  return 64_B;  // of every x86-64 and nearly every arm64 core
}

/// The bytes that visits cover when they are a partition of [0, sum); nullopt when something is missing or visited
/// twice.
std::optional<Bytes> covered(Visits visits) {
  std::ranges::sort(visits);
  std::uint64_t end = 0;
  for (Stretch const& stretch : visits) {
    if (stretch.offset.value != end || stretch.length.value == 0) return std::nullopt;
    end += stretch.length.value;
  }
  return Bytes(end);
}

Bytes slot_of(Bytes extent, Bytes base_page) {
  return Bytes((extent.value + base_page.value - 1) / base_page.value * base_page.value);
}
std::size_t slots_in(Bytes folio, Bytes extent, Bytes base_page) {
  return std::max<std::size_t>(1, folio / slot_of(extent, base_page));
}

}  // namespace

Granted<PreparedCell> prepare(PlannedCell const& planned, Machine const& machine) {
  Cell const& cell = planned.cell;
  auto const refused = [&](std::string reason, std::string remedy = {}) {
    return Refusal{describe(cell), std::move(reason), std::move(remedy)};
  };
  PreparedCell prepared;
  prepared.kernel = find_kernel(cell.kernel);
  if (!prepared.kernel) return refused("this build has no such kernel", "use the folioscope that planned it");
  if (!prepared.kernel->clear)
    return refused("a sweep clears; this kernel copies", "choose a clear kernel (list kernels)");
  if (auto refusal = refuse(prepared.kernel->contract, machine.features))
    return refused(refusal->reason, refusal->remedy);
  if (auto refusal = refuse(cell.state, machine)) return refused(refusal->reason, refusal->remedy);
  if (cell.threads == 0 || cell.threads > machine.allowed_cpus.size())
    return refused(
        fmt::format("{} threads, and this process may use {} CPU(s)", cell.threads, machine.allowed_cpus.size()),
        "allow more CPUs");
  auto const folio = folio_of(cell.backing, machine);
  if (!folio) return refused("the folio size of this backing is not known here");
  prepared.extent = std::min(*folio, cell.footprint);
  if (prepared.extent.value == 0 || cell.footprint.value % prepared.extent.value != 0)
    return refused(fmt::format("a footprint of {} is no whole number of {} folios", format_bytes(cell.footprint),
                               format_bytes(*folio)),
                   "choose a multiple");
  prepared.extents_a_copy = cell.footprint / prepared.extent;
  if (covered(planned.visits) != prepared.extent || cell.call.value == 0)
    return refused(fmt::format("its visits do not cover {} once", format_bytes(prepared.extent)), "plan it anew");
  prepared.calls = calls_of(planned.visits, cell.call);
  std::uint64_t const granule =
      std::max<std::uint64_t>(1, granule_of(prepared.kernel->contract, machine.features).value);
  for (Call const& call : prepared.calls)
    if (call.offset % granule != 0 || call.length % granule != 0)
      return refused(fmt::format("the kernel clears multiples of {} bytes", granule), "choose larger runs and calls");
  prepared.prefetches = prefetch_plan(prepared.calls, cell.prefetch, line_of(machine));
  return prepared;
}

std::size_t folios_of(Patch const& patch, Bytes folio, Bytes base_page) {
  std::size_t const slots = slots_in(folio, patch.extent, base_page);
  return (patch.threads * patch.extents_a_thread() + slots - 1) / slots;
}

std::vector<std::byte*> lay(Patch& patch, Pool const& pool, Bytes base_page, Random& random) {
  Bytes const folio = pool.folio_bytes();
  auto drawn = draw(pool, folios_of(patch, folio, base_page), random);
  std::size_t const slots = slots_in(folio, patch.extent, base_page);
  std::vector<std::byte*> extents;
  extents.reserve(drawn.size() * slots);
  for (std::byte* at : drawn)
    for (std::size_t i = 0; i < slots; ++i) extents.push_back(at + i * slot_of(patch.extent, base_page).value);
  if (slots > 1) shuffle(extents, random);  // neighbouring copies would be one long stretch to the prefetchers
  std::size_t const each = patch.extents_a_thread();
  assert(extents.size() >= patch.threads * each);
  patch.extents.assign(patch.threads, {});
  for (std::size_t t = 0; t < patch.threads; ++t)
    patch.extents[t].assign(extents.begin() + static_cast<std::ptrdiff_t>(t * each),
                            extents.begin() + static_cast<std::ptrdiff_t>((t + 1) * each));
  return drawn;
}

}  // namespace folioscope
