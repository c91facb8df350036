// SPDX-License-Identifier: Apache-2.0
// What decides whether an event can be counted here: the CPU, the PMUs that Linux lists, and what this process may do.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace folioscope {

struct ListedPmu {
  std::string name;            ///< as under /sys/bus/event_source/devices
  std::uint32_t type = 0;      ///< for perf_event_open
  std::vector<unsigned> cpus;  ///< its `cpus` (of a core PMU) or `cpumask` (where to open an uncore one); empty: all
};

struct CounterHost {
  std::string architecture;  ///< "x86_64", "aarch64"
  std::string cpu_name;      ///< for people
  std::string vendor;
  std::optional<unsigned> family, model;  ///< x86-64
  std::optional<std::uint64_t> midr;      ///< arm64: of the CPU that counts
  unsigned cpu = 0;                       ///< that counts: the first of those measured on
  bool pmus_known = false;                ///< false: /sys tells nothing
  std::vector<ListedPmu> pmus;
  std::optional<int> paranoid;  ///< perf_event_paranoid
  std::optional<bool> nmi_watchdog;
  std::optional<std::string> hypervisor, emulator;
  bool perfmon = false;             ///< CAP_PERFMON or CAP_SYS_ADMIN
  std::optional<unsigned> seccomp;  ///< mode: 2 is a filter

  bool is_core(ListedPmu const& pmu) const;
  /// The PMU of the core that counts; nullptr where none is listed.
  ListedPmu const* core_pmu() const;
  /// Several kinds of core with a PMU each: an event is opened on its own.
  bool several_core_pmus() const;
};

/// Capabilities and seccomp mode of this process, from /proc/self/status.
void read_privileges(CounterHost& host);
/// The same from that file's text.
void read_privileges(CounterHost& host, std::string const& status);

}  // namespace folioscope
