// SPDX-License-Identifier: Apache-2.0
// Core kinds of big.LITTLE and hybrid machines: CPUs with the same identity, core PMU, capacity and first-level cache.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "machine/cpu_list.hpp"
#include "machine/midr.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

/// PMUs of cores that cover some CPUs only: cpu_core and cpu_atom, or one for each Arm core.
std::map<unsigned, std::string> core_pmus(SystemFiles const& files) {
  std::map<unsigned, std::string> of_cpu;
  std::string const folder = "/sys/bus/event_source/devices/";
  for (auto const& name : files.names(folder)) {
    if (!name.starts_with("armv") && name != "cpu_core" && name != "cpu_atom" && !name.starts_with("apple_")) continue;
    auto const text = files.text(folder + name + "/cpus");
    auto const cpus = text ? parse_cpu_list(*text) : std::nullopt;
    if (cpus)
      for (unsigned const cpu : *cpus) of_cpu.emplace(cpu, name);
  }
  return of_cpu;
}

std::string file_of(SystemFiles const& files, unsigned cpu, std::string_view name) {
  return files.text(fmt::format("{}cpu{}/{}", cpu_folder, cpu, name)).value_or("");
}

/// "0K" tells as little as no file.
std::string l1d_of(SystemFiles const& files, unsigned cpu) {
  auto const text = file_of(files, cpu, "cache/index0/size");
  return parse_bytes(text).value_or(0_B).value == 0 ? "" : text;
}

std::optional<std::uint64_t> midr_of(Survey const& s, unsigned cpu) {
  if (s.machine.architecture != "aarch64") return std::nullopt;
  if (auto const number = s.files.number(fmt::format("{}cpu{}/regs/identification/midr_el1", cpu_folder, cpu)))
    return number;
  auto const entry = std::ranges::lower_bound(s.cpuinfo.cpus, cpu, {}, &CpuInfoEntry::cpu);
  return entry != s.cpuinfo.cpus.end() && entry->cpu == cpu ? entry->midr : std::nullopt;
}

std::string name_of(Survey const& s, std::optional<std::uint64_t> midr, std::string const& pmu) {
  if (midr) {
    auto const decoded = decode_midr(*midr);
    auto const name = core_name(decoded.implementer, decoded.part);
    return name.empty() ? describe(decoded) : name;
  }
  if (!pmu.empty()) return pmu;
  return s.cpuinfo.cpus.empty() ? "" : s.cpuinfo.cpus.front().name;
}

/// MIDR, PMU, capacity, size of the first-level cache.
using KindKey = std::tuple<std::optional<std::uint64_t>, std::string, std::string, std::string>;
using Groups = std::map<KindKey, std::vector<unsigned>>;

bool may_be(KindKey const& vague, KindKey const& exact) {
  auto const [midr, pmu, capacity, l1d] = vague;
  return (!midr || midr == std::get<0>(exact)) && pmu == std::get<1>(exact) &&
         (capacity.empty() || capacity == std::get<2>(exact)) && (l1d.empty() || l1d == std::get<3>(exact));
}

/// A CPU that does not tell something is of the kind that it otherwise looks like: unknown is not different. Beside
/// PMUs that name their CPUs, to be named by none is.
void join_unknown(Groups& groups) {
  for (auto it = groups.begin(); it != groups.end();) {
    auto const like = std::ranges::find_if(
        groups, [&](auto const& other) { return other.first != it->first && may_be(it->first, other.first); });
    if (like == groups.end()) {
      ++it;
      continue;
    }
    like->second.insert(like->second.end(), it->second.begin(), it->second.end());
    std::ranges::sort(like->second);
    it = groups.erase(it);
  }
}

}  // namespace

std::vector<CoreKind> read_kinds(Survey const& s) {
  auto const pmus = core_pmus(s.files);
  Groups groups;
  // Only arm64 names capacities; on x86-64 the favourite cores of one kind differ there.
  bool const arm64 = s.machine.architecture == "aarch64";
  for (unsigned const cpu : s.online) {
    auto const pmu = pmus.find(cpu);
    groups[{midr_of(s, cpu), pmu == pmus.end() ? "" : pmu->second, arm64 ? file_of(s.files, cpu, "cpu_capacity") : "",
            l1d_of(s.files, cpu)}]
        .push_back(cpu);
  }
  join_unknown(groups);
  std::vector<CoreKind> kinds;
  for (auto const& [key, cpus] : groups)
    kinds.push_back({name_of(s, std::get<0>(key), std::get<1>(key)), cpus, std::get<0>(key), std::get<1>(key)});
  std::ranges::sort(kinds, {}, [](CoreKind const& kind) { return kind.cpus.front(); });
  return kinds;
}

}  // namespace folioscope
