// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/path.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "linuxmm/catalogue.hpp"
#include "machine/clear_kernel.hpp"

namespace folioscope {

Refusal refused_path(std::string subject, Refusal const& why) {
  return {std::move(subject), why.reason,
          why.remedy.empty() ? "run a Linux with transparent huge pages (CONFIG_TRANSPARENT_HUGEPAGE)" : why.remedy};
}

Bytes room_of(Machine const& machine, LinuxRequest const& request) {
  // fallocate-tmpfs holds two files, fault-order its folios and the replica's; the others one share each.
  constexpr std::uint64_t most_shares = 10;
  constexpr Bytes for_the_program = 32_MiB;
  std::uint64_t const available = machine.memory_available.value_or(4_GiB).value;
  std::uint64_t const room = available - std::min(available, for_the_program.value);
  return Bytes(std::min(room, request.max_memory.value_or(Bytes(room)).value) /
               std::clamp<std::uint64_t>(2 * request.paths, 2, most_shares));
}

std::span<LinuxPath const* const> linux_paths() {
  static constexpr LinuxPath const* all[] = {
#define PATH(name) &linux_path::name,
#include "linuxmm/catalogue.def"
#undef PATH
  };
  return all;
}

LinuxPath const& find_linux_path(std::string_view name) {
  std::vector<std::string> names;
  for (LinuxPath const* path : linux_paths()) {
    if (path->name == name) return *path;
    names.emplace_back(path->name);
  }
  auto const near = nearest_name(name, names);
  throw UsageError(fmt::format("no path '{}' of Linux", name), "folioscope linux",
                   near ? fmt::format("did you mean '{}'?", *near) : "see `folioscope list paths`");
}

LinuxPlan plan_linux(std::span<LinuxPath const* const> paths, Machine const& machine, LinuxRequest const& request) {
  LinuxPlan out;
  out.plan.experiment = "linux";
  out.plan.description = "the running Linux's own clearing, path by path";
  out.plan.base_page = machine.base_page;
  out.plan.folio = machine.folio.value_or(Bytes(0));
  out.plan.blocks_per_placement = 5;  // a fault is short, and the median of five leaves out what the host did to two
  out.plan.precision = 0.01;          // whether a curve is flat is told by less than what counts as a difference
  for (LinuxPath const* path : paths) {
    LinuxPlan::Part part{path, out.plan.cells.size(), out.plan};
    part.plan.cells.clear();
    part.plan.refusals.clear();
    path->plan(part.plan, machine, request);
    for (PlannedCell const& planned : part.plan.cells)
      if (planned.cell.kernel.starts_with("linux_"))
        out.plan.options["path of " + planned.cell.kernel] = std::string(path->name);
    out.plan.cells.insert(out.plan.cells.end(), part.plan.cells.begin(), part.plan.cells.end());
    out.plan.refusals.insert(out.plan.refusals.end(), part.plan.refusals.begin(), part.plan.refusals.end());
    out.parts.push_back(std::move(part));
  }
  return out;
}

namespace {

constexpr std::string_view of_replica = "fault-order";  // whose cells are named after a kernel that can be called

/// A capsule may ask for anything: what memory and threads are made of is held against this machine. The rest is
/// refused by the paths themselves.
bool sound(PlannedCell const& planned, Plan const& plan, Machine const& machine) {
  Cell const& c = planned.cell;
  bool const sized = c.backing.kind == BackingKind::hugetlb || c.backing.kind == BackingKind::mthp;
  if (sized != c.backing.size.has_value()) return false;
  Bytes const folio = c.backing.size.value_or(plan.folio);
  if (folio.value < plan.base_page.value || folio.value > (64_MiB).value || folio.value % plan.base_page.value != 0)
    return false;
  bool const whole = c.footprint.value > 0 && c.footprint.value % folio.value == 0;
  std::uint64_t const room = machine.memory_available.value_or(4_GiB).value;
  return whole && c.threads > 0 && c.threads <= std::max<std::size_t>(1, machine.allowed_cpus.size()) &&
         c.footprint.value <= room / c.threads && c.target.value_or(0) < folio / plan.base_page;
}

}  // namespace

LinuxPlan resumed_plan(Plan plan, Machine const& machine, std::string_view where) {
  auto const damaged = [&](std::string const& what) {
    return Error(what, std::string(where), "run folioscope linux without --resume; it appends");
  };
  if (plan.base_page != machine.base_page || plan.folio != machine.folio.value_or(Bytes(0)) ||
      plan.base_page.value == 0)
    throw damaged("its plan is of a Linux with other page sizes");
  LinuxPlan out;
  out.plan = std::move(plan);
  for (std::size_t i = 0; i < out.plan.cells.size(); ++i) {
    PlannedCell const& planned = out.plan.cells[i];
    if (!sound(planned, out.plan, machine))
      throw damaged(fmt::format("this machine cannot measure its cell {}", describe(planned.cell)));
    auto const named = out.plan.options.find("path of " + planned.cell.kernel);
    std::string_view const name = named == out.plan.options.end() ? of_replica : std::string_view(named->second);
    auto const path = std::ranges::find(linux_paths(), name, &LinuxPath::name);
    if (path == linux_paths().end())
      throw damaged(fmt::format("this build has no path for {}", describe(planned.cell)));
    if (out.parts.empty() || out.parts.back().path != *path) {
      out.parts.push_back({*path, i, out.plan});
      out.parts.back().plan.cells.clear();
      out.parts.back().plan.refusals.clear();
    }
    out.parts.back().plan.cells.push_back(planned);
  }
  return out;
}

std::optional<std::string> order_expected_of(std::string_view release) {
  auto const version = parse_release(release);
  if (!version) return std::nullopt;
  if (version->major >= 7) return "neighbourhood_last@2";
  if (version->major > 4 || (version->major == 4 && version->minor >= 14)) return "target_last";
  return "sequential";
}

}  // namespace folioscope
