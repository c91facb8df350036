// SPDX-License-Identifier: Apache-2.0
#include "machine/x86_features.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace folioscope {
namespace {

enum class Register { eax, ebx, ecx, edx };

/// XCR0 bits (Intel SDM vol. 1 13.3): 1 SSE, 2 AVX, 5 to 7 opmask and the two upper parts of ZMM.
constexpr std::uint64_t no_state = 0, avx_state = 0x6, avx512_state = 0xe6;

struct Bit {
  std::string_view feature;
  std::string_view flag;  // in /proc/cpuinfo
  std::uint32_t leaf, subleaf;
  Register reg;
  unsigned bit;
  std::uint64_t xcr0;
};
constexpr Bit bits[] = {
    {"sse2", "sse2", 1, 0, Register::edx, 26, no_state},
    {"avx", "avx", 1, 0, Register::ecx, 28, avx_state},
    {"avx2", "avx2", 7, 0, Register::ebx, 5, avx_state},
    {"avx512f", "avx512f", 7, 0, Register::ebx, 16, avx512_state},
    {"erms", "erms", 7, 0, Register::ebx, 9, no_state},
    {"fsrm", "fsrm", 7, 0, Register::edx, 4, no_state},
    {"clflush", "clflush", 1, 0, Register::edx, 19, no_state},
    {"clflushopt", "clflushopt", 7, 0, Register::ebx, 23, no_state},
    {"clwb", "clwb", 7, 0, Register::ebx, 24, no_state},
    {"movdir64b", "movdir64b", 7, 0, Register::ecx, 28, no_state},
    {"prefetchw", "3dnowprefetch", 0x80000001, 0, Register::ecx, 8, no_state},
    {"clzero", "clzero", 0x80000008, 0, Register::ebx, 0, no_state},
};

std::uint32_t pick(CpuidLeaf const& leaf, Register reg) {
  switch (reg) {
    case Register::eax:
      return leaf.eax;
    case Register::ebx:
      return leaf.ebx;
    case Register::ecx:
      return leaf.ecx;
    case Register::edx:
      return leaf.edx;
  }
  return 0;
}

void append(std::string& text, std::uint32_t reg) {
  for (unsigned shift = 0; shift < 32; shift += 8) text += static_cast<char>(reg >> shift);
}

/// Up to the first NUL, printable characters only, without outer spaces.
std::string cleaned(std::string text) {
  text.erase(std::min(text.find('\0'), text.size()));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  auto const first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

CpuidLeaf Cpuid::at(std::uint32_t leaf, std::uint32_t subleaf) const {
  auto const it = leaves.find({leaf, subleaf});
  return it == leaves.end() ? CpuidLeaf{} : it->second;
}

X86Identity decode_identity(Cpuid const& cpuid) {
  X86Identity identity;
  auto const zero = cpuid.at(0);
  append(identity.vendor, zero.ebx);
  append(identity.vendor, zero.edx);
  append(identity.vendor, zero.ecx);
  identity.vendor = cleaned(identity.vendor);
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    auto const part = cpuid.at(leaf);
    for (auto reg : {part.eax, part.ebx, part.ecx, part.edx}) append(identity.name, reg);
  }
  identity.name = cleaned(identity.name);
  auto const signature = cpuid.at(1).eax;
  auto const field = [signature](unsigned low, unsigned width) { return (signature >> low) & ((1u << width) - 1); };
  // Intel SDM vol. 2 CPUID 01H, AMD APM vol. 3 Fn0000_0001: the extended parts count only for these base families.
  identity.family = field(8, 4) == 0xf ? field(8, 4) + field(20, 8) : field(8, 4);
  bool const extended = field(8, 4) == 0xf || field(8, 4) == 0x6;
  identity.model = field(4, 4) | (extended ? field(16, 4) << 4 : 0);
  identity.stepping = field(0, 4);
  return identity;
}

Features decode_x86(Cpuid const& cpuid) {
  Features features;
  for (auto const& known : bits) {
    FeatureStatus status;
    bool const offered = (pick(cpuid.at(known.leaf, known.subleaf), known.reg) >> known.bit) & 1;
    if (!offered)
      status.reason = "CPUID does not offer it";
    else if (known.xcr0 != no_state && !cpuid.xcr0)
      status.reason = "CPUID offers it, but without OSXSAVE Linux does not save its registers";
    else if (known.xcr0 != no_state && (*cpuid.xcr0 & known.xcr0) != known.xcr0)
      status.reason = fmt::format("CPUID offers it, but XCR0 ({:#x}) does not enable it", *cpuid.xcr0);
    else
      status.usable = true;
    features.status[std::string(known.feature)] = std::move(status);
  }
  return features;
}

std::vector<CpuidCache> decode_caches(Cpuid const& cpuid) {
  // Intel SDM vol. 2 CPUID 04H; AMD APM vol. 3 Fn8000_001D, which has the same fields.
  for (std::uint32_t leaf : {0x4u, 0x8000001du}) {
    std::vector<CpuidCache> caches;
    for (std::uint32_t sub = 0; sub < 16; ++sub) {
      auto const one = cpuid.at(leaf, sub);
      auto const type = one.eax & 0x1f;
      if (type == 0 || type > 3) break;
      auto const line = std::uint64_t{(one.ebx & 0xfff) + 1};
      auto const partitions = std::uint64_t{((one.ebx >> 12) & 0x3ff) + 1};
      auto const ways = std::uint64_t{((one.ebx >> 22) & 0x3ff) + 1};
      auto const sets = std::uint64_t{one.ecx} + 1;
      static constexpr std::string_view types[] = {"", "data", "instruction", "unified"};
      caches.push_back({(one.eax >> 5) & 7, std::string(types[type]), Bytes(line * partitions * ways * sets),
                        Bytes(line), fmt::format("cpuid {:#x}", leaf)});
    }
    if (!caches.empty()) return caches;
  }
  return {};
}

std::string hypervisor_signature(Cpuid const& cpuid) {
  auto const leaf = cpuid.at(0x40000000);
  std::string text;
  for (auto reg : {leaf.ebx, leaf.ecx, leaf.edx}) append(text, reg);
  return cleaned(text);
}

bool invariant_tsc(Cpuid const& cpuid) { return (cpuid.at(0x80000007).edx >> 8) & 1; }

Features decode_x86_words(std::vector<std::string> const& flags) {
  Features features;
  auto const add = [&](std::string_view feature, std::string_view flag) {
    bool const listed = std::ranges::find(flags, flag) != flags.end();
    features.status[std::string(feature)] = {listed, listed ? "" : "/proc/cpuinfo does not list it"};
  };
  for (auto const& known : bits) add(known.feature, known.flag);
  add("rep_good", "rep_good");
  return features;
}

#if defined(__x86_64__)

std::optional<Cpuid> read_cpuid() {
  Cpuid cpuid;
  auto const ask = [&cpuid](std::uint32_t leaf, std::uint32_t subleaf = 0) {
    CpuidLeaf answer;
    __cpuid_count(leaf, subleaf, answer.eax, answer.ebx, answer.ecx, answer.edx);
    cpuid.leaves[{leaf, subleaf}] = answer;
    return answer;
  };
  // A hypervisor traps every CPUID, so only the leaves that a decoder reads are asked for.
  auto const ask_caches = [&ask](std::uint32_t leaf) {
    for (std::uint32_t sub = 0; sub < 16 && (ask(leaf, sub).eax & 0x1f) != 0; ++sub) {
    }
  };
  auto const highest = ask(0).eax;
  auto const features = ask(1);
  if (highest >= 4) ask_caches(4);
  if (highest >= 7) ask(7);
  auto const highest_extended = ask(0x80000000).eax;
  for (std::uint32_t leaf : {0x80000001u, 0x80000002u, 0x80000003u, 0x80000004u, 0x80000007u, 0x80000008u})
    if (highest_extended >= leaf && highest_extended < 0x8000ffff) ask(leaf);
  // TOPOEXT (Fn8000_0001 ECX bit 22) announces the cache leaf.
  if (highest_extended >= 0x8000001d && ((cpuid.at(0x80000001).ecx >> 22) & 1)) ask_caches(0x8000001d);
  constexpr std::uint32_t hypervisor_present = 1u << 31, osxsave = 1u << 27;
  if (features.ecx & hypervisor_present) ask(0x40000000);
  if (features.ecx & osxsave) {
    std::uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    cpuid.xcr0 = std::uint64_t{high} << 32 | low;
  }
  return cpuid;
}

#else

std::optional<Cpuid> read_cpuid() { return std::nullopt; }

#endif

}  // namespace folioscope
