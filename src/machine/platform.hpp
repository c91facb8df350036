// SPDX-License-Identifier: Apache-2.0
// Is this silicon, a virtual machine on silicon, or an emulator whose timings mean nothing? Pure, from collected
// evidence.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace folioscope {

struct PlatformEvidence {
  std::string architecture;
  bool live = false;
  std::string signature;                          ///< CPUID 0x40000000
  std::optional<bool> hypervisor_flag;            ///< CPUID 1 ECX bit 31, or the word in /proc/cpuinfo
  std::string cpuid_vendor, cpuinfo_vendor;       ///< x86-64
  std::string model_name;                         ///< of /proc/cpuinfo or CPUID
  std::string firmware_vendor, firmware_product;  ///< DMI
  std::string device_tree;                        ///< compatible words of the root, separated by spaces
  std::string device_tree_cpu;                    ///< compatible words of the first CPU node
  std::string clock_sources;                      ///< available_clocksource
  std::optional<std::uint64_t> midr;
  std::optional<std::uint64_t> counter_frequency;  ///< CNTFRQ_EL0
  bool cpu_folder_without_midr = false;            ///< /sys lists the CPU and has no midr_el1 for it
  bool foreign_cpuinfo = false;                    ///< /proc/cpuinfo speaks of another architecture
};

struct PlatformFinding {
  std::optional<std::string> name;
  std::string source, note;
};

/// Null name: none seen. The note says what the absence stands on.
PlatformFinding find_emulator(PlatformEvidence const& evidence);
PlatformFinding find_hypervisor(PlatformEvidence const& evidence);

}  // namespace folioscope
