// SPDX-License-Identifier: Apache-2.0
#include "plan/memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "plan/experiment.hpp"

namespace folioscope {
namespace {

/// Of MemAvailable, which is an estimate by Linux; the rest is left to the system and to this program.
constexpr std::uint64_t usable_percent = 80;
constexpr Bytes where_unknown = 1_GiB;
// What the record, the readings and the verdicts take; much of a small cgroup, nothing of a machine.
constexpr Bytes for_the_program = 16_MiB;

std::string subject_of(Demand const& d) {
  return fmt::format("footprint {} on {}, {} thread{}", compact_bytes(d.footprint), to_string(d.backing), d.threads,
                     d.threads == 1 ? "" : "s");
}

Demand demand_of(Cell const& cell) { return {cell.backing, cell.footprint, cell.threads}; }

/// Pools of different backings live side by side; cells of one backing share the largest.
std::map<Backing, std::uint64_t> pools(std::vector<Demand> const& demands, auto const& folio_of_backing) {
  std::map<Backing, std::uint64_t> pools;
  for (Demand const& d : demands) {
    std::uint64_t& bytes = pools[d.backing];
    bytes = std::max(bytes, pool_bytes(d, folio_of_backing(d.backing)).value);
  }
  return pools;
}

}  // namespace

Bytes pool_bytes(Demand const& demand, Bytes folio) {
  std::uint64_t const folios = (demand.footprint.value + folio.value - 1) / folio.value;
  return folio * (2 * folios * demand.threads);
}

MemoryBound::MemoryBound(Machine const& machine, std::optional<Bytes> max_memory, bool allow_system_changes)
    : machine_(machine), max_memory_(max_memory), allow_system_changes_(allow_system_changes) {}

std::uint64_t MemoryBound::free_pages(Backing const& backing) const {
  for (HugetlbPool const& pool : machine_.hugetlb)
    if (backing.kind == BackingKind::hugetlb && pool.size == *backing.size) return pool.free;
  return 0;
}

Bytes MemoryBound::available() const {
  if (!machine_.memory_available) return where_unknown;
  std::uint64_t const bytes = machine_.memory_available->value;
  return Bytes((bytes - std::min(bytes, for_the_program.value)) / 100 * usable_percent);
}

MemoryBound::Sums MemoryBound::sums(std::vector<Demand> const& demands) const {
  Sums sums;
  for (auto const& [backing, bytes] : pools(demands, [&](Backing const& b) { return folio_for(b, machine_); })) {
    sums.all += bytes;
    bool const held = backing.kind == BackingKind::hugetlb && bytes / backing.size->value <= free_pages(backing);
    if (!held) sums.from_available += bytes;
  }
  return sums;
}

std::optional<std::string> MemoryBound::too_much(Sums const& sums) const {
  if (max_memory_ && sums.all > max_memory_->value)
    return fmt::format("{} of pools, more than --max-memory {}", format_bytes(Bytes(sums.all)),
                       format_bytes(*max_memory_));
  if (sums.from_available <= available().value) return std::nullopt;
  if (!machine_.memory_available)
    return fmt::format("{} of pools, more than the {} used where MemAvailable is not known",
                       format_bytes(Bytes(sums.all)), format_bytes(where_unknown));
  return fmt::format("{} of pools, more than {} % of the {} MiB available", format_bytes(Bytes(sums.all)),
                     usable_percent, machine_.memory_available->value >> 20);
}

std::optional<Refusal> MemoryBound::refuse(Demand const& demand) const {
  std::string const subject = subject_of(demand);
  if (auto const much = too_much(sums({demand})))
    return Refusal{subject, "needs " + *much, "choose a smaller footprint"};
  if (demand.backing.kind != BackingKind::hugetlb || allow_system_changes_) return std::nullopt;
  std::uint64_t const pages = pool_bytes(demand, *demand.backing.size) / *demand.backing.size;
  std::uint64_t const free = free_pages(demand.backing);
  if (pages <= free) return std::nullopt;
  return Refusal{
      subject, fmt::format("needs {} free hugetlb pages and there are {}", pages, free),
      fmt::format(
          "reserve them in /sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages, or give --allow-system-changes",
          demand.backing.size->value >> 10)};
}

std::vector<std::pair<Demand, Refusal>> MemoryBound::give_up(std::vector<Demand> demands) const {
  std::vector<std::pair<Demand, Refusal>> given_up;
  auto const bytes = [&](Demand const& d) { return pool_bytes(d, folio_for(d.backing, machine_)); };
  std::sort(demands.begin(), demands.end(),
            [&](auto const& a, auto const& b) { return std::pair(bytes(a), a) < std::pair(bytes(b), b); });
  while (!demands.empty()) {
    auto const much = too_much(sums(demands));
    if (!much) break;
    given_up.emplace_back(demands.back(), Refusal{subject_of(demands.back()), "with the others needs " + *much,
                                                  "choose fewer backings or smaller footprints"});
    demands.pop_back();
  }
  return given_up;
}

Bytes memory_needed(Plan const& plan) {
  std::vector<Demand> demands;
  for (PlannedCell const& planned : plan.cells) demands.push_back(demand_of(planned.cell));
  Bytes sum;
  for (auto const& [backing, bytes] :
       pools(demands, [&](Backing const& b) { return b.kind == BackingKind::hugetlb ? *b.size : plan.folio; }))
    sum = sum + Bytes(bytes);
  return sum;
}

}  // namespace folioscope
