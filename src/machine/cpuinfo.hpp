// SPDX-License-Identifier: Apache-2.0
// /proc/cpuinfo as data: who each CPU is, and the words of features that Linux enabled.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace folioscope {

struct CpuInfoEntry {
  unsigned cpu = 0;
  std::optional<std::uint64_t> midr;                ///< arm64
  std::string vendor, name;                         ///< x86-64
  std::optional<unsigned> family, model, stepping;  ///< x86-64
};

struct CpuInfo {
  std::string architecture;           ///< "x86_64", "aarch64", "" when the text does not tell
  std::vector<CpuInfoEntry> cpus;     ///< ascending by CPU
  std::vector<std::string> features;  ///< flags or Features of the first CPU
};

/// Never throws; lines that make no sense are left out.
CpuInfo parse_cpuinfo(std::string_view text);

}  // namespace folioscope
