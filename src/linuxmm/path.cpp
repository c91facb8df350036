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

std::optional<std::string> order_expected_of(std::string_view release) {
  auto const version = parse_release(release);
  if (!version) return std::nullopt;
  if (version->major >= 7) return "neighbourhood_last@2";
  if (version->major > 4 || (version->major == 4 && version->minor >= 14)) return "target_last";
  return "sequential";
}

}  // namespace folioscope
