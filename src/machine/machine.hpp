// SPDX-License-Identifier: Apache-2.0
// What this machine is, read once. Live machines through hwloc, CPUID, HWCAP and /sys; under a sysroot through the
// files alone, asking this host nothing. Unknown stays unknown. facts() is the same with provenance, for people and the
// capsule.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "terms/facts.hpp"
#include "terms/features.hpp"
#include "terms/units.hpp"

namespace folioscope {

struct Cache {
  unsigned level = 0;
  std::string type;  ///< "data", "instruction", "unified"
  std::optional<Bytes> size;
  std::optional<Bytes> line;
  std::vector<unsigned> cpus;  ///< that share it
  std::string source;
};

struct HugetlbPool {
  Bytes size;
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

struct MthpSize {
  Bytes size;
  std::string mode;  ///< "always", "madvise", "inherit", "never"
};

/// Cores of one kind; big.LITTLE and hybrid machines have several, and no figure mixes them.
struct KindOfCore {
  std::string name;            ///< "Cortex-A55", "cpu_atom"; empty when unknown
  std::vector<unsigned> cpus;  ///< online ones, ascending
};

struct Machine {
  std::string architecture;  ///< "x86_64", "aarch64"
  std::string vendor;
  std::string model;
  std::vector<unsigned> allowed_cpus;  ///< allowed and online, ascending
  std::vector<KindOfCore> kinds;       ///< ascending by first CPU
  std::vector<Cache> caches;           ///< of the first allowed CPU, distinct, ascending by level
  Features features;
  Bytes base_page{4096};
  std::optional<Bytes> folio;  ///< PMD size; null where THP is not built and nothing else tells
  std::string thp_mode;        ///< "always", "madvise", "never", "" when not built
  std::string shmem_mode;
  std::vector<MthpSize> mthp;
  std::vector<HugetlbPool> hugetlb;
  std::optional<Bytes> memory_available;  ///< MemAvailable, or the cgroup's headroom where that is less
  std::optional<std::string> emulator;    ///< timings are no results
  std::string linux_kernel;  ///< the clear kernel that Linux's alternatives choose here: "rep_stosb", "dc_zva", ...
  std::string model_key;
  std::string instance_key;
  Facts facts;  ///< all of the above and more, with provenance
};

/// The live machine when `sysroot` is empty; it also measures the clock's tick and the core clock (under 50 ms in all).
Machine read_machine(std::filesystem::path const& sysroot = {});

}  // namespace folioscope
