// SPDX-License-Identifier: Apache-2.0
// MIDR_EL1 (Arm ARM D23.2.122): who designed an arm64 core and which one it is. Pure, for any host.
#pragma once
#include <cstdint>
#include <string>

namespace folioscope {

struct Midr {
  unsigned implementer = 0;
  unsigned variant = 0;
  unsigned architecture = 0;
  unsigned part = 0;
  unsigned revision = 0;
  friend bool operator==(Midr const&, Midr const&) = default;
};

Midr decode_midr(std::uint64_t value);
std::uint64_t encode_midr(Midr const& midr);
/// "Arm", "HiSilicon", ...; "implementer 0x99" when unknown.
std::string implementer_name(unsigned implementer);
/// "Neoverse-N1", "Kunpeng-920 (TaiShan v110)"; empty when unknown.
std::string core_name(unsigned implementer, unsigned part);
/// "Neoverse-N1 r3p1"; an unknown part reads "Arm part 0xdff r0p0".
std::string describe(Midr const& midr);
/// The Graviton generation that is built of this core, "AWS Graviton3"; empty for other cores. Only true on Amazon's
/// machines.
std::string graviton_name(Midr const& midr);

}  // namespace folioscope
