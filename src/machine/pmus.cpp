// SPDX-License-Identifier: Apache-2.0
// PMUs that Linux lists. Listed is not countable: opening and testing events is src/counters' work.
#include <fmt/core.h>

#include "machine/cpu_list.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

bool of_a_core(std::string_view name) {
  return name == "cpu" || name == "cpu_core" || name == "cpu_atom" || name.starts_with("armv") ||
         name.starts_with("apple_");
}

Json cpus_of(SystemFiles const& files, std::string const& folder) {
  for (auto const* file : {"/cpus", "/cpumask"})
    if (auto const text = files.text(folder + file))
      if (auto const cpus = parse_cpu_list(*text)) return format_cpu_list(*cpus);
  return {};
}

}  // namespace

void survey_counters(Survey& s) {
  std::string const folder = "/sys/bus/event_source/devices";
  auto const names = s.files.names(folder);
  Json list = Json::array();
  bool core = false;
  for (auto const& name : names) {
    std::string const at = fmt::format("{}/{}", folder, name);
    auto const type = s.files.number(at + "/type");
    list.push(Json::object({{"name", name},
                            {"type", type && *type <= UINT32_MAX ? Json(*type) : Json()},
                            {"cpus", cpus_of(s.files, at)}}));
    core |= of_a_core(name);
  }
  if (names.empty())
    s.unknown("pmu.listed", folder, "missing: this Linux has no performance events, or /sys is hidden");
  else
    s.know("pmu.listed", std::move(list), folder,
           core ? "listed, which does not mean that they count"
                : "no PMU of a core is listed: a virtual machine without one, as a rule");
  // A level, not a size: -1 is "everything is allowed".
  constexpr char const* paranoid = "/proc/sys/kernel/perf_event_paranoid";
  auto const level = s.files.text(paranoid).value_or("");
  auto const number = parse_number(std::string_view(level).substr(level.starts_with('-') ? 1 : 0));
  if (number && *number < 100)
    s.know("perf.event_paranoid", static_cast<int>(*number) * (level.starts_with('-') ? -1 : 1), paranoid);
  else
    s.unknown("perf.event_paranoid", paranoid, "missing or not readable");
  if (auto const watchdog = s.know_number("perf.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog");
      watchdog && *watchdog == 1)
    s.know("perf.nmi_watchdog_takes", "one counter of each core PMU", "/proc/sys/kernel/nmi_watchdog");
}

}  // namespace folioscope
