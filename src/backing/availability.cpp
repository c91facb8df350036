// SPDX-License-Identifier: Apache-2.0
// What a machine's settings already rule out, before anything is mapped. What they promise is verified afterwards all
// the same.
#include <fmt/core.h>
#include <linux/prctl.h>
#include <sys/prctl.h>

#include <algorithm>
#include <bit>

#include "backing/pool.hpp"

namespace folioscope {
namespace {

constexpr auto kSettings = "/sys/kernel/mm/transparent_hugepage";

/// PR_SET_THP_DISABLE for everything; since Linux 6.18 it may leave advised memory alone (bit 1), which is ours.
bool thp_disabled_for_this_process() {
  int const flags = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
  return flags > 0 && (flags & 2) == 0;
}

MthpSize const* size_setting(Machine const& machine, Bytes size) {
  auto const found =
      std::find_if(machine.mthp.begin(), machine.mthp.end(), [&](auto const& m) { return m.size == size; });
  return found == machine.mthp.end() ? nullptr : &*found;
}

bool grants_advised(std::string const& mode) { return mode == "always" || mode == "madvise"; }

/// Why advised memory gets no folios of that size by the settings.
std::optional<Refusal> refuse_by_settings(std::string const& subject, Bytes size, Machine const& machine) {
  auto const* setting = size_setting(machine, size);
  if (setting && setting->mode != "inherit") {
    if (grants_advised(setting->mode)) return std::nullopt;
    auto const file = fmt::format("{}/hugepages-{}kB/enabled", kSettings, size.value >> 10);
    return Refusal{subject, fmt::format("{} is \"{}\"", file, setting->mode),
                   fmt::format("write madvise to {} as root, or pass --allow-system-changes", file)};
  }
  if (grants_advised(machine.thp_mode)) return std::nullopt;
  return Refusal{subject, fmt::format("{}/enabled is \"{}\"", kSettings, machine.thp_mode),
                 fmt::format("write madvise to {}/enabled as root, or pass --allow-system-changes", kSettings)};
}

std::optional<Refusal> refuse_transparent(Backing const& backing, Machine const& machine) {
  auto const subject = to_string(backing);
  if (machine.thp_mode.empty()) return Refusal{subject, "this Linux has no transparent huge pages", ""};
  if (!machine.folio) return Refusal{subject, "the size of a PMD page is not known on this machine", ""};
  if (backing.kind == BackingKind::mthp) {
    auto const size = backing.size.value_or(Bytes{});
    if (!std::has_single_bit(size.value) || size <= machine.base_page || size >= *machine.folio)
      return Refusal{subject,
                     fmt::format("an mthp folio is a power of two between the base page ({}) and the PMD page ({})",
                                 format_bytes(machine.base_page), format_bytes(*machine.folio)),
                     ""};
    if (!size_setting(machine, size))
      return Refusal{subject, fmt::format("{} offers no hugepages-{}kB", kSettings, size.value >> 10), ""};
  }
  if (thp_disabled_for_this_process())
    return Refusal{subject, "transparent huge pages are disabled for this process (prctl PR_SET_THP_DISABLE)",
                   "start folioscope outside the service or container that sets it (systemd: MemoryTHP=)"};
  return refuse_by_settings(subject, backing.kind == BackingKind::mthp ? *backing.size : *machine.folio, machine);
}

std::optional<Refusal> refuse_hugetlb(Backing const& backing, Machine const& machine) {
  auto const subject = to_string(backing);
  std::string sizes;
  for (auto const& pool : machine.hugetlb) {
    if (backing.size == pool.size) return std::nullopt;
    sizes += (sizes.empty() ? "" : ", ") + compact_bytes(pool.size);
  }
  if (sizes.empty()) return Refusal{subject, "this Linux has no hugetlb pages", ""};
  return Refusal{subject, "hugetlb pages of that size do not exist here; there are " + sizes, ""};
}

}  // namespace

std::optional<Refusal> refuse(Backing const& backing, Machine const& machine) {
  switch (backing.kind) {
    case BackingKind::thp:
    case BackingKind::thp_pte:
    case BackingKind::mthp:
      return refuse_transparent(backing, machine);
    case BackingKind::hugetlb:
      return refuse_hugetlb(backing, machine);
    case BackingKind::base:
    case BackingKind::tmpfs:
      break;
  }
  if (!folio_of(backing, machine))
    return Refusal{to_string(backing), "the size of a PMD page, the folio, is not known on this machine", ""};
  return std::nullopt;
}

std::optional<Bytes> folio_of(Backing const& backing, Machine const& machine) {
  return backing.kind == BackingKind::hugetlb ? backing.size : machine.folio;
}

}  // namespace folioscope
