// SPDX-License-Identifier: Apache-2.0
// arm64's clear and copy instructions from what Linux shows to programs: HWCAP, HWCAP2 and DCZID_EL0, or the Features
// line of /proc/cpuinfo. The decoders are pure and run on any host; only the last function reads this CPU.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "terms/features.hpp"

namespace folioscope {

/// DCZID_EL0 (Arm ARM D23.8.2): BS in bits 3:0 is log2 of the block in 4-byte words, at most 9 (2 KiB); DZP in bit 4
/// forbids it.
struct DcZva {
  std::optional<Bytes> block;  ///< null when forbidden or reserved
  std::string reason;          ///< why not; empty when usable
};
DcZva decode_dczid(std::uint64_t dczid);

struct Arm64Registers {
  std::uint64_t hwcap = 0;
  std::uint64_t hwcap2 = 0;
  std::optional<std::uint64_t> dczid;  ///< null when it could not be read, as from files
};
Features decode_arm64(Arm64Registers const& registers);
/// The Features words of /proc/cpuinfo; they do not tell the ZVA block.
Features decode_arm64_words(std::vector<std::string> const& words);

/// This CPU's; nullopt when the program is not arm64.
std::optional<Arm64Registers> read_arm64_registers();
/// CNTFRQ_EL0, which some emulators leave at 0: then nullopt.
std::optional<std::uint64_t> read_counter_frequency();
/// MIDR_EL1 of the current CPU where Linux emulates the read (HWCAP_CPUID).
std::optional<std::uint64_t> read_midr();
/// Bytes of an SVE vector of this process.
std::optional<Bytes> read_sve_vector();

}  // namespace folioscope
