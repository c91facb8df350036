// SPDX-License-Identifier: Apache-2.0
// The work of read_machine in parts. Each part reads one subject into the machine and adds its facts with their
// provenance; they run in the order in which they stand here, later ones may use what earlier ones found. Internal to
// this folder.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/arm64_features.hpp"
#include "machine/cpuinfo.hpp"
#include "machine/files.hpp"
#include "machine/machine.hpp"
#include "machine/x86_features.hpp"

namespace folioscope {

struct Survey {
  SystemFiles files;
  Machine machine;
  CpuInfo cpuinfo;                          ///< of the same architecture as the machine, or empty
  bool foreign_cpuinfo = false;             ///< live, and /proc/cpuinfo speaks of another architecture
  std::optional<Cpuid> cpuid;               ///< live x86-64 only
  std::optional<Arm64Registers> registers;  ///< live arm64 only
  std::vector<unsigned> present, online;
  std::optional<unsigned> family, model_number, stepping;  ///< x86-64
  std::optional<std::uint64_t> midr;                       ///< arm64: of the first allowed CPU

  bool live() const { return files.live(); }
  void know(std::string key, Json value, std::string source, std::string note = {}) {
    machine.facts.add(std::move(key), std::move(value), std::move(source), std::move(note));
  }
  /// A fact that is not known: null, with the reason.
  void unknown(std::string key, std::string source, std::string note) {
    machine.facts.add(std::move(key), Json(), std::move(source), std::move(note));
  }
  /// A text file's content as a fact, or null with "missing"; the content comes back too.
  std::optional<std::string> know_text(std::string key, std::string const& path);
  std::optional<std::uint64_t> know_number(std::string key, std::string const& path);
};

inline constexpr char const* cpu_folder = "/sys/devices/system/cpu/";

void survey_cpus(Survey& survey);      ///< architecture, CPU sets, identity, kinds of cores, SMT
void survey_features(Survey& survey);  ///< instructions usable and why not
void survey_caches(Survey& survey);    ///< of the first allowed CPU, from every source
void survey_pages(Survey& survey);     ///< base, PMD, contpte, THP, mTHP, hugetlb
void survey_linux(Survey& survey);     ///< release, preemption, init_on_alloc, page reporting, the clear kernel
void survey_memory(Survey& survey);    ///< MemAvailable, cgroup limits, NUMA nodes
void survey_platform(Survey& survey);  ///< hypervisor, emulator, firmware, steal, C library
void survey_counters(Survey& survey);  ///< PMUs that are listed, and who may open them
void survey_clock(Survey& survey);     ///< clock source; live: tick, calibration, core clock
void survey_identity(Survey& survey);  ///< keys, host name, boot

struct HwlocView {
  unsigned packages = 0, cores = 0, threads = 0;  ///< 0: not known
  std::vector<Cache> caches;                      ///< of one CPU
};
/// The live machine as hwloc sees it; nullopt when hwloc fails or its environment points it at another machine.
std::optional<HwlocView> read_hwloc(unsigned cpu);

/// Distinct core kinds, each with its CPUs.
struct CoreKind {
  std::string name;
  std::vector<unsigned> cpus;
  std::optional<std::uint64_t> midr;
  std::string pmu;
};
std::vector<CoreKind> read_kinds(Survey const& survey);

}  // namespace folioscope
