// SPDX-License-Identifier: Apache-2.0
#include "machine/arm64_features.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace folioscope {
namespace {

// Linux's uapi asm/hwcap.h; written out so that the decoders exist on every host.
struct Bit {
  std::string_view feature;
  std::string_view word;  // in /proc/cpuinfo
  bool second;            // HWCAP2
  unsigned bit;
};
constexpr Bit bits[] = {
    {"asimd", "asimd", false, 1}, {"sve", "sve", false, 22}, {"sve2", "sve2", true, 1},
    {"mte", "mte", true, 18},     {"sme", "sme", true, 23},  {"mops", "mops", true, 43},
};
constexpr unsigned hwcap_cpuid = 11;

bool has(std::uint64_t value, unsigned bit) { return (value >> bit) & 1; }

/// SME alone has vectors only in streaming mode; a program that takes it for SVE dies of SIGILL.
void keep_sme_apart(Features& features) {
  auto& sve = features.status["sve"];
  if (!sve.usable && features.status["sme"].usable)
    sve.reason = "the CPU has SME without SVE, whose vectors work in streaming mode only";
}

}  // namespace

DcZva decode_dczid(std::uint64_t dczid) {
  if (has(dczid, 4)) return {std::nullopt, "DCZID_EL0.DZP is set: the core or the hypervisor forbids DC ZVA"};
  auto const log2_words = static_cast<unsigned>(dczid & 0xf);
  if (log2_words > 9) return {std::nullopt, fmt::format("DCZID_EL0.BS is {}, a reserved value", log2_words)};
  // The architecture allows 4 bytes; the smallest block that a kernel's contract knows is 16 bytes.
  if (log2_words < 2) return {std::nullopt, fmt::format("DC ZVA blocks of {} bytes are too small", 4u << log2_words)};
  return {Bytes(std::uint64_t{4} << log2_words), ""};
}

Features decode_arm64(Arm64Registers const& registers) {
  Features features;
  for (auto const& known : bits) {
    bool const offered = has(known.second ? registers.hwcap2 : registers.hwcap, known.bit);
    auto const name = known.second ? "HWCAP2" : "HWCAP";
    features.status[std::string(known.feature)] = {
        offered,
        offered ? "" : fmt::format("bit {} of {} is clear: the CPU or Linux does not offer it", known.bit, name)};
  }
  keep_sme_apart(features);
  DcZva const zva = registers.dczid ? decode_dczid(*registers.dczid) : DcZva{std::nullopt, "DCZID_EL0 was not read"};
  features.zva_block = zva.block;
  features.status["zva"] = {zva.block.has_value(), zva.reason};
  return features;
}

Features decode_arm64_words(std::vector<std::string> const& words) {
  Features features;
  for (auto const& known : bits) {
    bool const offered = std::ranges::find(words, known.word) != words.end();
    features.status[std::string(known.feature)] = {offered, offered ? "" : "/proc/cpuinfo does not list it"};
  }
  keep_sme_apart(features);
  features.status["zva"] = {false, "no file tells DCZID_EL0: only the machine itself knows"};
  return features;
}

#if defined(__aarch64__)

std::optional<Arm64Registers> read_arm64_registers() {
  std::uint64_t dczid;
  asm("mrs %0, dczid_el0" : "=r"(dczid));
  return Arm64Registers{::getauxval(AT_HWCAP), ::getauxval(AT_HWCAP2), dczid};
}

std::optional<std::uint64_t> read_counter_frequency() {
  std::uint64_t frequency;
  asm("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency == 0 ? std::nullopt : std::optional(frequency);
}

std::optional<std::uint64_t> read_midr() {
  if (!has(::getauxval(AT_HWCAP), hwcap_cpuid)) return std::nullopt;
  std::uint64_t midr;
  asm volatile("mrs %0, midr_el1" : "=r"(midr));
  return midr;
}

std::optional<Bytes> read_sve_vector() {
  constexpr int get_vector_length = 51;  // PR_SVE_GET_VL; absent from older headers
  int const answer = ::prctl(get_vector_length, 0, 0, 0, 0);
  return answer < 0 ? std::nullopt : std::optional(Bytes(static_cast<std::uint64_t>(answer & 0xffff)));
}

#else

std::optional<Arm64Registers> read_arm64_registers() { return std::nullopt; }
std::optional<std::uint64_t> read_counter_frequency() { return std::nullopt; }
std::optional<std::uint64_t> read_midr() { return std::nullopt; }
std::optional<Bytes> read_sve_vector() { return std::nullopt; }
static_assert(hwcap_cpuid < 64);

#endif

}  // namespace folioscope
