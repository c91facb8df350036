// SPDX-License-Identifier: Apache-2.0
#include "machine/midr.hpp"

#include <fmt/core.h>

#include <string_view>

namespace folioscope {
namespace {

struct Implementer {
  unsigned code;
  std::string_view name;
};
// Arm ARM, MIDR_EL1.Implementer; those that the manual does not list are from Linux's asm/cputype.h and the vendors'
// manuals.
constexpr Implementer implementers[] = {
    {0x00, "reserved for software use"},
    {0x41, "Arm"},
    {0x42, "Broadcom"},
    {0x43, "Cavium"},
    {0x44, "DEC"},
    {0x46, "Fujitsu"},
    {0x48, "HiSilicon"},
    {0x49, "Infineon"},
    {0x4d, "Motorola"},
    {0x4e, "NVIDIA"},
    {0x50, "APM"},
    {0x51, "Qualcomm"},
    {0x53, "Samsung"},
    {0x56, "Marvell"},
    {0x61, "Apple"},
    {0x66, "Faraday"},
    {0x69, "Intel"},
    {0x6d, "Microsoft"},
    {0x70, "Phytium"},
    {0xc0, "Ampere"},
};

struct Core {
  unsigned implementer;
  unsigned part;
  std::string_view name;
};
constexpr Core cores[] = {
    {0x00, 0x051, "QEMU max"},
    {0x41, 0xd01, "Cortex-A32"},
    {0x41, 0xd02, "Cortex-A34"},
    {0x41, 0xd03, "Cortex-A53"},
    {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd06, "Cortex-A65"},
    {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},
    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd0e, "Cortex-A76AE"},
    {0x41, 0xd13, "Cortex-R52"},
    {0x41, 0xd15, "Cortex-R82"},
    {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd43, "Cortex-A65AE"},
    {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse-N2"},
    {0x41, 0xd4a, "Neoverse-E1"},
    {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4c, "Cortex-X1C"},
    {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4e, "Cortex-X3"},
    {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd80, "Cortex-A520"},
    {0x41, 0xd81, "Cortex-A720"},
    {0x41, 0xd82, "Cortex-X4"},
    {0x41, 0xd83, "Neoverse-V3AE"},
    {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd85, "Cortex-X925"},
    {0x41, 0xd87, "Cortex-A725"},
    {0x41, 0xd88, "Cortex-A520AE"},
    {0x41, 0xd89, "Cortex-A720AE"},
    {0x41, 0xd8e, "Neoverse-N3"},
    {0x41, 0xd8f, "Cortex-A320"},
    {0x42, 0x516, "ThunderX2 (Vulcan)"},
    {0x43, 0x0a0, "ThunderX"},
    {0x43, 0x0a1, "ThunderX CN88XX"},
    {0x43, 0x0af, "ThunderX2 CN99XX"},
    {0x43, 0x0b8, "ThunderX3"},
    {0x46, 0x001, "A64FX"},
    {0x46, 0x003, "MONAKA"},
    {0x48, 0xd01, "Kunpeng-920 (TaiShan v110)"},
    {0x48, 0xd02, "Kunpeng (TaiShan v120, HIP09)"},
    {0x48, 0xd06, "Kunpeng (HIP12)"},
    {0x48, 0xd40, "Cortex-A76 (HiSilicon)"},
    {0x48, 0xd41, "Cortex-A77 (HiSilicon)"},
    {0x4e, 0x000, "Denver"},
    {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},
    {0x4e, 0x010, "Olympus"},
    {0x50, 0x000, "X-Gene (eMAG)"},
    {0x51, 0x001, "Oryon"},
    {0x51, 0xc00, "Falkor"},
    {0x51, 0xc01, "Saphira"},
    {0x51, 0x802, "Kryo 385 Gold"},
    {0x51, 0x803, "Kryo 385 Silver"},
    {0x51, 0x804, "Kryo 485 Gold"},
    {0x51, 0x805, "Kryo 485 Silver"},
    {0x61, 0x022, "Icestorm (M1)"},
    {0x61, 0x023, "Firestorm (M1)"},
    {0x61, 0x024, "Icestorm (M1 Pro)"},
    {0x61, 0x025, "Firestorm (M1 Pro)"},
    {0x61, 0x028, "Icestorm (M1 Max)"},
    {0x61, 0x029, "Firestorm (M1 Max)"},
    {0x61, 0x032, "Blizzard (M2)"},
    {0x61, 0x033, "Avalanche (M2)"},
    {0x61, 0x034, "Blizzard (M2 Pro)"},
    {0x61, 0x035, "Avalanche (M2 Pro)"},
    {0x61, 0x038, "Blizzard (M2 Max)"},
    {0x61, 0x039, "Avalanche (M2 Max)"},
    {0x6d, 0xd49, "Azure Cobalt 100 (Neoverse-N2)"},
    {0x70, 0x303, "FTC310"},
    {0x70, 0x660, "FTC660"},
    {0x70, 0x661, "FTC661"},
    {0x70, 0x662, "FTC662"},
    {0x70, 0x663, "FTC663"},
    {0x70, 0x664, "FTC664"},
    {0x70, 0x862, "FTC862"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
    {0xc0, 0xac5, "Ampere-1B"},
};

}  // namespace

Midr decode_midr(std::uint64_t value) {
  auto const field = [value](unsigned low, unsigned bits) {
    return static_cast<unsigned>((value >> low) & ((1u << bits) - 1));
  };
  return {field(24, 8), field(20, 4), field(16, 4), field(4, 12), field(0, 4)};
}

std::uint64_t encode_midr(Midr const& midr) {
  return std::uint64_t{midr.implementer & 0xff} << 24 | (midr.variant & 0xf) << 20 | (midr.architecture & 0xf) << 16 |
         (midr.part & 0xfff) << 4 | (midr.revision & 0xf);
}

std::string implementer_name(unsigned implementer) {
  for (auto const& known : implementers)
    if (known.code == implementer) return std::string(known.name);
  return fmt::format("implementer {:#04x}", implementer);
}

std::string core_name(unsigned implementer, unsigned part) {
  for (auto const& known : cores)
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  return {};
}

std::string describe(Midr const& midr) {
  auto name = core_name(midr.implementer, midr.part);
  if (name.empty()) name = fmt::format("{} part {:#05x}", implementer_name(midr.implementer), midr.part);
  return fmt::format("{} r{}p{}", name, midr.variant, midr.revision);
}

std::string graviton_name(Midr const& midr) {
  if (midr.implementer != 0x41) return {};
  switch (midr.part) {
    case 0xd08:
      return "AWS Graviton";
    case 0xd0c:
      return "AWS Graviton2";
    case 0xd40:
      return "AWS Graviton3";
    case 0xd4f:
      return "AWS Graviton4";
    default:
      return {};
  }
}

}  // namespace folioscope
