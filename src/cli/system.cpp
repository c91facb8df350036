// SPDX-License-Identifier: Apache-2.0
#include "cli/system.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cli/ending.hpp"
#include "cli/text.hpp"

namespace folioscope::cli {
namespace {

constexpr std::uint64_t spare_pages = 4;

void settle_leftovers(bool allow, std::filesystem::path const& journal) {
  auto const left = leftovers(journal);
  if (left.empty()) return;
  for (auto const& setting : left)
    say("folioscope: an earlier run left {} changed; it was '{}'\n", printable(setting.path), printable(setting.value));
  if (!allow) {
    say("folioscope: the next sweep with --allow-system-changes puts that back first\n");
    return;
  }
  for (Refusal const& r : restore(journal))
    say("folioscope: {}: {}; {}\n", printable(r.subject), printable(r.reason), printable(r.remedy));
}

std::string mthp_file(Bytes size) {
  return fmt::format("/sys/kernel/mm/transparent_hugepage/hugepages-{}kB/enabled", size.value >> 10);
}
std::string hugetlb_file(Bytes size) {
  return fmt::format("/sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages", size.value >> 10);
}

}  // namespace

ExitStatus with_changes(bool allow, std::function<ExitStatus(Changes&)> const& work) {
  auto const journal = default_journal();
  if (journal) settle_leftovers(allow, *journal);
  if (allow && !journal)
    throw Error("no folder for the journal of old settings", "--allow-system-changes",
                "run as root, or set XDG_RUNTIME_DIR");
  GuardedEnd const end = run_guarded(allow, journal.value_or(std::filesystem::path{}), [&](Changes& changes) {
    // The child's own stderr and status: the guardian only restores.
    return ending_here([&] { return work(changes); });
  });
  for (Refusal const& r : end.not_restored)
    say("folioscope: could not restore {}: {}; the next start offers it again\n", printable(r.subject),
        printable(r.reason));
  return static_cast<ExitStatus>(end.status);
}

std::vector<Refusal> provide_backings(Plan const& plan, Machine const& machine, Changes& changes) {
  std::map<Backing, std::uint64_t> folios;  // what the pool of each backing must hold at least
  for (PlannedCell const& planned : plan.cells) {
    Cell const& c = planned.cell;
    std::uint64_t const size =
        c.backing.kind == BackingKind::hugetlb && c.backing.size ? c.backing.size->value : plan.folio.value;
    if (size == 0) continue;
    auto& most = folios[c.backing];
    most = std::max(most, 2 * ((c.footprint.value + size - 1) / size) * c.threads);
  }
  std::vector<Refusal> refusals;
  for (auto const& [backing, count] : folios) {
    if (!backing.size) continue;
    if (backing.kind == BackingKind::mthp) {
      auto const size = *backing.size;
      auto const known = std::ranges::find(machine.mthp, size, &MthpSize::size);
      if (known == machine.mthp.end() || known->mode != "never") continue;
      if (auto const set = changes.set(mthp_file(size), "madvise"); !set) refusals.push_back(set.refusal());
    }
    if (backing.kind == BackingKind::hugetlb) {
      auto const pool = std::ranges::find(machine.hugetlb, *backing.size, &HugetlbPool::size);
      if (pool == machine.hugetlb.end() || pool->free >= count + spare_pages) continue;
      auto const wanted = pool->total + (count + spare_pages - pool->free);
      if (auto const set = changes.set(hugetlb_file(*backing.size), std::to_string(wanted)); !set)
        refusals.push_back(set.refusal());
    }
  }
  return refusals;
}

}  // namespace folioscope::cli
