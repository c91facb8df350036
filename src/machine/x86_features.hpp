// SPDX-License-Identifier: Apache-2.0
// x86-64 identity, features and caches from CPUID and XCR0. The decoders are pure and run on any host; only read_cpuid
// asks this CPU. A vector extension is usable only when XCR0 says that Linux saves its registers (Intel SDM vol.
// 1 13.3, 14.3, 15.2).
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "terms/features.hpp"

namespace folioscope {

struct CpuidLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// What the CPU answers, by leaf and subleaf; leaves beyond the highest offered one are absent.
struct Cpuid {
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidLeaf> leaves;
  std::optional<std::uint64_t> xcr0;  ///< null without OSXSAVE
  CpuidLeaf at(std::uint32_t leaf, std::uint32_t subleaf = 0) const;
};

struct X86Identity {
  std::string vendor, name;
  unsigned family = 0, model = 0, stepping = 0;
};

struct CpuidCache {
  unsigned level = 0;
  std::string type;
  Bytes size, line;
  std::string leaf;  ///< "cpuid 0x4" or "cpuid 0x8000001d"
};

X86Identity decode_identity(Cpuid const& cpuid);
/// rep_good is Linux's own word and not among them.
Features decode_x86(Cpuid const& cpuid);
std::vector<CpuidCache> decode_caches(Cpuid const& cpuid);
/// The signature of leaf 0x40000000, as "KVMKVMKVM"; empty without a hypervisor that shows itself.
std::string hypervisor_signature(Cpuid const& cpuid);
/// CPUID 0x80000007 EDX bit 8: the TSC runs at one rate in all power states.
bool invariant_tsc(Cpuid const& cpuid);

/// The flags words of /proc/cpuinfo: Linux has already left out what it does not enable.
Features decode_x86_words(std::vector<std::string> const& flags);

/// nullopt when the program is not x86-64.
std::optional<Cpuid> read_cpuid();

}  // namespace folioscope
