// SPDX-License-Identifier: Apache-2.0
// Decoders of registers, on every host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "machine/arm64_features.hpp"
#include "machine/clear_kernel.hpp"
#include "machine/cpu_list.hpp"
#include "machine/cpuinfo.hpp"
#include "machine/identity.hpp"
#include "machine/midr.hpp"
#include "machine/x86_features.hpp"

namespace folioscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Dczid, EveryValue) {
  for (std::uint64_t value = 0; value < 32; ++value) {
    SCOPED_TRACE(value);
    auto const zva = decode_dczid(value);
    auto const exponent = value & 0xf;
    bool const forbidden = (value & 0x10) != 0;
    bool const usable = !forbidden && exponent >= 2 && exponent <= 9;
    EXPECT_EQ(zva.block.has_value(), usable);
    EXPECT_EQ(zva.reason.empty(), usable);
    if (usable) {
      EXPECT_EQ(zva.block->value, std::uint64_t{4} << exponent);
    }
    if (forbidden) {
      EXPECT_THAT(zva.reason, HasSubstr("DZP"));
    }
    if (!forbidden && exponent > 9) {
      EXPECT_THAT(zva.reason, HasSubstr("reserved"));
    }
  }
}

TEST(Dczid, BitsThatMeanNothingChangeNothing) {
  for (std::uint64_t value = 0; value < 32; ++value)
    for (unsigned bit = 5; bit < 64; ++bit)
      EXPECT_EQ(decode_dczid(value | (std::uint64_t{1} << bit)).block, decode_dczid(value).block);
}

TEST(Dczid, SizesMetInTheField) {
  EXPECT_EQ(decode_dczid(4).block, 64_B);
  EXPECT_EQ(decode_dczid(6).block, 256_B);
  EXPECT_EQ(decode_dczid(7).block, 512_B);
  EXPECT_EQ(decode_dczid(9).block, 2_KiB);
}

constexpr std::uint64_t bit(unsigned n) { return std::uint64_t{1} << n; }

TEST(Hwcap, EachBitIsItsOwnFeature) {
  struct Case {
    char const* feature;
    Arm64Registers registers;
  };
  for (auto const& [feature, registers] :
       {Case{"asimd", {bit(1), 0, 4}}, Case{"sve", {bit(22), 0, 4}}, Case{"sve2", {0, bit(1), 4}},
        Case{"mte", {0, bit(18), 4}}, Case{"sme", {0, bit(23), 4}}, Case{"mops", {0, bit(43), 4}}}) {
    SCOPED_TRACE(feature);
    auto const features = decode_arm64(registers);
    for (auto const& [name, status] : features.status) {
      EXPECT_EQ(status.usable, name == feature || name == "zva") << name;
      EXPECT_EQ(status.reason.empty(), status.usable) << name;
    }
    EXPECT_EQ(features.zva_block, 64_B);
  }
}

TEST(Hwcap, SmeIsNotTakenForSve) {
  auto const features = decode_arm64({0, bit(23), 4});
  EXPECT_FALSE(features.status.at("sve").usable);
  EXPECT_THAT(features.status.at("sve").reason, HasSubstr("streaming"));
  EXPECT_TRUE(features.status.at("sme").usable);
  EXPECT_TRUE(decode_arm64({bit(22), bit(23), 4}).status.at("sve").usable);
}

TEST(Hwcap, ForbiddenZvaIsRefusedByName) {
  auto const features = decode_arm64({0, 0, 0x14});
  KernelContract contract;
  contract.name = "dc_zva";
  contract.features = {"zva"};
  auto const refusal = refuse(contract, features);
  ASSERT_TRUE(refusal);
  EXPECT_THAT(refusal->reason, HasSubstr("the core or the hypervisor forbids"));
}

TEST(Hwcap, FilesDoNotTellTheBlock) {
  auto const features = decode_arm64_words({"fp", "asimd", "sve", "mops"});
  EXPECT_TRUE(features.status.at("sve").usable);
  EXPECT_TRUE(features.status.at("mops").usable);
  EXPECT_FALSE(features.status.at("zva").usable);
  EXPECT_FALSE(features.zva_block);
}

struct NamedCore {
  std::uint64_t midr;
  char const *vendor, *text;
};
class MidrNames : public testing::TestWithParam<NamedCore> {};
TEST_P(MidrNames, AreKnown) {
  auto const midr = decode_midr(GetParam().midr);
  EXPECT_EQ(implementer_name(midr.implementer), GetParam().vendor);
  EXPECT_EQ(describe(midr), GetParam().text);
  EXPECT_EQ(encode_midr(midr), GetParam().midr);
}
INSTANTIATE_TEST_SUITE_P(
    Field, MidrNames,
    testing::Values(NamedCore{0x413fd0c1, "Arm", "Neoverse-N1 r3p1"}, NamedCore{0x411fd401, "Arm", "Neoverse-V1 r1p1"},
                    NamedCore{0x410fd4f0, "Arm", "Neoverse-V2 r0p0"}, NamedCore{0x410fd493, "Arm", "Neoverse-N2 r0p3"},
                    NamedCore{0x410fd083, "Arm", "Cortex-A72 r0p3"}, NamedCore{0x411fd070, "Arm", "Cortex-A57 r1p0"},
                    NamedCore{0x481fd010, "HiSilicon", "Kunpeng-920 (TaiShan v110) r1p0"},
                    NamedCore{0x480fd020, "HiSilicon", "Kunpeng (TaiShan v120, HIP09) r0p0"},
                    NamedCore{0xc00fac30, "Ampere", "Ampere-1 r0p0"}, NamedCore{0x461f0010, "Fujitsu", "A64FX r1p0"},
                    NamedCore{0x611f0221, "Apple", "Icestorm (M1) r1p1"},
                    NamedCore{0x612f0320, "Apple", "Blizzard (M2) r2p0"},
                    NamedCore{0x6d0fd490, "Microsoft", "Azure Cobalt 100 (Neoverse-N2) r0p0"},
                    NamedCore{0x410fdff2, "Arm", "Arm part 0xdff r0p2"},
                    NamedCore{0x990f1230, "implementer 0x99", "implementer 0x99 part 0x123 r0p0"}));

TEST(Midr, HighBitsAreIgnored) { EXPECT_EQ(decode_midr(0xffffffff413fd0c1), decode_midr(0x413fd0c1)); }

TEST(Midr, NoTwoPartsOfOneDesignerShareAName) {
  for (unsigned implementer = 0; implementer < 256; ++implementer) {
    std::set<std::string> names;
    for (unsigned part = 0; part < 4096; ++part)
      if (auto name = core_name(implementer, part); !name.empty()) {
        EXPECT_TRUE(names.insert(name).second) << name;
      }
  }
}

TEST(Midr, GravitonByItsCore) {
  EXPECT_EQ(graviton_name(decode_midr(0x413fd0c1)), "AWS Graviton2");
  EXPECT_EQ(graviton_name(decode_midr(0x411fd401)), "AWS Graviton3");
  EXPECT_EQ(graviton_name(decode_midr(0x410fd4f1)), "AWS Graviton4");
  EXPECT_EQ(graviton_name(decode_midr(0x481fd010)), "");
}

/// A CPU with everything that folioscope looks for.
Cpuid full_cpu() {
  Cpuid cpuid;
  cpuid.leaves[{0, 0}] = {0x1f, 0x756e6547, 0x6c65746e, 0x49656e69};  // GenuineIntel
  cpuid.leaves[{1, 0}] = {0x000806f8, 0, 1u << 28 | 1u << 27, 1u << 26 | 1u << 19};
  cpuid.leaves[{7, 0}] = {0, 1u << 5 | 1u << 9 | 1u << 16 | 1u << 23 | 1u << 24, 1u << 28, 1u << 4};
  cpuid.leaves[{0x80000001, 0}] = {0, 0, 1u << 8, 0};
  cpuid.leaves[{0x80000008, 0}] = {0, 1, 0, 0};
  cpuid.xcr0 = 0xe7;
  return cpuid;
}

TEST(CpuidFeatures, AllUsableWhereLinuxEnablesThem) {
  for (auto const& [name, status] : decode_x86(full_cpu()).status)
    EXPECT_TRUE(status.usable) << name << ": " << status.reason;
}

TEST(CpuidFeatures, OfferedIsNotUsable) {
  auto cpuid = full_cpu();
  for (std::uint64_t xcr0 = 0; xcr0 < 256; ++xcr0) {
    cpuid.xcr0 = xcr0;
    auto const features = decode_x86(cpuid);
    EXPECT_EQ(features.status.at("avx512f").usable, (xcr0 & 0xe6) == 0xe6) << xcr0;
    EXPECT_EQ(features.status.at("avx2").usable, (xcr0 & 0x6) == 0x6) << xcr0;
    EXPECT_TRUE(features.status.at("sse2").usable);
  }
  cpuid.xcr0 = 0x7;
  EXPECT_THAT(decode_x86(cpuid).status.at("avx512f").reason, HasSubstr("XCR0 (0x7)"));
  cpuid.xcr0.reset();
  EXPECT_FALSE(decode_x86(cpuid).status.at("avx2").usable);
  EXPECT_THAT(decode_x86(cpuid).status.at("avx2").reason, HasSubstr("OSXSAVE"));
}

TEST(CpuidFeatures, AnEmptyCpuOffersNothing) {
  for (auto const& [name, status] : decode_x86({}).status) {
    EXPECT_FALSE(status.usable) << name;
    EXPECT_EQ(status.reason, "CPUID does not offer it");
  }
}

TEST(CpuidIdentity, FamilyModelStepping) {
  auto cpuid = full_cpu();
  auto const intel = decode_identity(cpuid);
  EXPECT_EQ(intel.vendor, "GenuineIntel");
  EXPECT_EQ(std::tuple(intel.family, intel.model, intel.stepping), std::tuple(6u, 143u, 8u));
  cpuid.leaves[{1, 0}].eax = 0x00a10f11;  // Zen 4: base family 15, extended 10
  auto const amd = decode_identity(cpuid);
  EXPECT_EQ(std::tuple(amd.family, amd.model, amd.stepping), std::tuple(25u, 17u, 1u));
}

TEST(CpuidCaches, SizesFromFields) {
  Cpuid cpuid;
  // 32 KiB, 8 ways, 64 sets of 64 B; and a 1.25 MiB L2 of 20 ways and 1,024 sets.
  cpuid.leaves[{4, 0}] = {1u | 1u << 5, 63u | 7u << 22, 63, 0};
  cpuid.leaves[{4, 1}] = {3u | 2u << 5, 63u | 19u << 22, 1023, 0};
  auto const caches = decode_caches(cpuid);
  ASSERT_THAT(caches, SizeIs(2));
  EXPECT_EQ(caches[0].size, 32_KiB);
  EXPECT_EQ(caches[0].type, "data");
  EXPECT_EQ(caches[1].size, 1280_KiB);
  EXPECT_EQ(caches[1].level, 2u);
  EXPECT_EQ(caches[1].line, 64_B);
  EXPECT_EQ(caches[1].leaf, "cpuid 0x4");
  EXPECT_TRUE(decode_caches({}).empty());
}

TEST(ClearKernel, X86) {
  auto const chosen = [](std::vector<std::string> const& flags) {
    return choose_clear_kernel("x86_64", decode_x86_words(flags), LinuxVersion{6, 1}).name;
  };
  EXPECT_EQ(chosen({"sse2", "erms", "rep_good"}), "rep_stosb");
  EXPECT_EQ(chosen({"sse2", "rep_good"}), "rep_stosq");
  EXPECT_EQ(chosen({"sse2"}), "mov_r64");
  EXPECT_EQ(choose_clear_kernel("x86_64", {}, LinuxVersion{6, 1}).name, "");
}

TEST(ClearKernel, Arm64) {
  auto const chosen = [](Arm64Registers const& registers, std::optional<LinuxVersion> release) {
    return choose_clear_kernel("aarch64", decode_arm64(registers), release).name;
  };
  EXPECT_EQ(chosen({0, 0, 4}, LinuxVersion{6, 18}), "dc_zva");
  EXPECT_EQ(chosen({0, 0, 0x10}, LinuxVersion{6, 18}), "stnp_x");
  EXPECT_EQ(chosen({0, bit(43), 4}, LinuxVersion{6, 13}), "setn_mops");
  EXPECT_EQ(chosen({0, bit(43), 4}, LinuxVersion{7, 0}), "setn_mops");
  EXPECT_EQ(chosen({0, bit(43), 4}, LinuxVersion{6, 12}), "dc_zva");
  EXPECT_EQ(chosen({0, bit(43), 4}, std::nullopt), "");
  EXPECT_EQ(chosen({0, 0, std::nullopt}, LinuxVersion{6, 18}), "");
}

TEST(ClearKernel, Releases) {
  EXPECT_EQ(parse_release("6.18.44-fc-v657"), (LinuxVersion{6, 18}));
  EXPECT_EQ(parse_release("7.0-rc1"), (LinuxVersion{7, 0}));
  EXPECT_EQ(parse_release("6.12"), (LinuxVersion{6, 12}));
  for (auto const* bad : {"", "6", "6.", ".6", "x.1", "99999999999999999999.1"})
    EXPECT_FALSE(parse_release(bad)) << bad;
}

TEST(CpuList, ParsesWhatLinuxWrites) {
  EXPECT_THAT(*parse_cpu_list("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(*parse_cpu_list(""), ElementsAre());
  EXPECT_THAT(*parse_cpu_list("5,3,3-4"), ElementsAre(3, 4, 5));
  EXPECT_THAT(*parse_cpu_list("0-8191"), SizeIs(8192));
}

TEST(CpuList, RefusesTheRest) {
  for (auto const* bad :
       {"x", "3-1", "1,", ",1", "1-", "-1", "0-4294967295", "18446744073709551616", "0-65536", "1 2", "0x-1"})
    EXPECT_FALSE(parse_cpu_list(bad)) << bad;
}

TEST(CpuList, RoundTrip) {
  for (auto const* text : {"", "0", "0-3", "1,3,5", "0-1,1023-1280"})
    EXPECT_EQ(format_cpu_list(*parse_cpu_list(text)), text);
}

TEST(Cpuinfo, RepeatsAndNonsenseAreLeftOut) {
  auto const info = parse_cpuinfo(
      "garbage\nflags : lost\nprocessor : 1\nvendor_id : A\nmodel : -3\nprocessor : 1\nvendor_id : B\nprocessor : "
      "99999999\n"
      "vendor_id : C\nprocessor : 0\nvendor_id : D\nflags : sse2 erms");
  ASSERT_THAT(info.cpus, SizeIs(2));
  EXPECT_EQ(info.cpus[0].vendor, "D");
  EXPECT_EQ(info.cpus[1].vendor, "A");
  EXPECT_FALSE(info.cpus[1].model);
  EXPECT_THAT(info.features, ElementsAre("sse2", "erms"));
  EXPECT_EQ(info.architecture, "x86_64");
}

TEST(Keys, FnvTestVectors) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(key_of("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace folioscope
