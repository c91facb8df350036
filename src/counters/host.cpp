// SPDX-License-Identifier: Apache-2.0
#include "counters/host.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace folioscope {
namespace {

constexpr unsigned cap_sys_admin = 21, cap_perfmon = 38;

std::optional<std::uint64_t> field(std::string const& status, std::string const& key, int base) {
  std::istringstream lines(status);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key + ":")) continue;
    try {
      return std::stoull(line.substr(key.size() + 1), nullptr, base);
    } catch (std::exception const&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

bool CounterHost::is_core(ListedPmu const& pmu) const {
  return pmu.name == "cpu" || pmu.name == "cpu_core" || pmu.name == "cpu_atom" || pmu.name.starts_with("armv") ||
         pmu.name.starts_with("apple_");
}

ListedPmu const* CounterHost::core_pmu() const {
  for (ListedPmu const& pmu : pmus)
    if (is_core(pmu) && (pmu.cpus.empty() || std::ranges::find(pmu.cpus, cpu) != pmu.cpus.end())) return &pmu;
  return nullptr;
}

bool CounterHost::several_core_pmus() const {
  return std::ranges::count_if(pmus, [this](ListedPmu const& pmu) { return is_core(pmu); }) > 1;
}

void read_privileges(CounterHost& host, std::string const& status) {
  auto const capabilities = field(status, "CapEff", 16).value_or(0);
  host.perfmon = (capabilities >> cap_perfmon & 1) != 0 || (capabilities >> cap_sys_admin & 1) != 0;
  auto const mode = field(status, "Seccomp", 10);
  host.seccomp = mode && *mode <= 2 ? std::optional(static_cast<unsigned>(*mode)) : std::nullopt;
}

void read_privileges(CounterHost& host) {
  std::ifstream file("/proc/self/status");
  std::stringstream text;
  text << file.rdbuf();
  read_privileges(host, text.str());
}

}  // namespace folioscope
