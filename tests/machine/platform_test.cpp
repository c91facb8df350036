// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "machine/platform.hpp"

namespace folioscope {
namespace {

PlatformEvidence x86(std::string signature) {
  PlatformEvidence e;
  e.architecture = "x86_64";
  e.live = true;
  e.signature = std::move(signature);
  e.hypervisor_flag = !e.signature.empty();
  e.cpuid_vendor = e.cpuinfo_vendor = "AuthenticAMD";
  return e;
}

PlatformEvidence arm64(std::uint64_t midr) {
  PlatformEvidence e;
  e.architecture = "aarch64";
  e.live = true;
  e.midr = midr;
  e.counter_frequency = 25'000'000;
  return e;
}

TEST(Platform, TranslatorOnX86IsAnEmulator) {
  EXPECT_EQ(find_emulator(x86("TCGTCGTCGTCG")).name, "QEMU TCG");
  EXPECT_EQ(find_hypervisor(x86("TCGTCGTCGTCG")).name, "QEMU TCG");
}

TEST(Platform, VirtualMachinesOnRealCpusAreNoEmulators) {
  for (auto const* signature : {"KVMKVMKVM", "Microsoft Hv", "VMwareVMware", "XenVMMXenVMM"}) {
    auto evidence = x86(signature);
    evidence.firmware_vendor = "QEMU";
    EXPECT_FALSE(find_emulator(evidence).name) << signature;
    EXPECT_TRUE(find_hypervisor(evidence).name) << signature;
  }
  EXPECT_EQ(find_hypervisor(x86("KVMKVMKVM")).name, "KVM");
  EXPECT_EQ(find_hypervisor(x86("Strange")).name, "Strange");
}

TEST(Platform, BareMetal) {
  EXPECT_FALSE(find_emulator(x86("")).name);
  EXPECT_FALSE(find_hypervisor(x86("")).name);
  auto metal = arm64(0x413fd0c1);
  metal.firmware_vendor = "Amazon EC2";
  metal.firmware_product = "m6g.metal";
  EXPECT_FALSE(find_hypervisor(metal).name);
  metal.firmware_product = "m6g.large";
  EXPECT_EQ(find_hypervisor(metal).name, "Amazon EC2");
}

TEST(Platform, FirmwareOfQemuWithoutCpuid) {
  auto evidence = x86("");
  evidence.hypervisor_flag = true;
  evidence.firmware_vendor = "QEMU";
  evidence.clock_sources = "kvm-clock tsc acpi_pm";
  EXPECT_FALSE(find_emulator(evidence).name);
  evidence.clock_sources = "tsc hpet acpi_pm";
  EXPECT_EQ(find_emulator(evidence).name, "QEMU TCG");
  evidence.clock_sources.clear();
  EXPECT_FALSE(find_emulator(evidence).name);
  EXPECT_FALSE(find_emulator(evidence).note.empty());
  EXPECT_EQ(find_hypervisor(evidence).name, "QEMU");
}

TEST(Platform, TwoCpusInOneProgram) {
  auto evidence = x86("");
  evidence.cpuid_vendor = "GenuineIntel";
  EXPECT_EQ(find_emulator(evidence).name, "user-mode emulation");
  evidence = x86("");
  evidence.cpuid_vendor = evidence.cpuinfo_vendor = "VirtualApple";
  EXPECT_EQ(find_emulator(evidence).name, "Rosetta");
}

TEST(Platform, UserModeEmulationOfArm64) {
  auto evidence = arm64(0x414fd0c1);
  evidence.cpu_folder_without_midr = true;
  EXPECT_EQ(find_emulator(evidence).name, "user-mode emulation");
  evidence.live = false;  // a tree that somebody made by hand may well have no registers
  EXPECT_FALSE(find_emulator(evidence).name);
  evidence = arm64(0x414fd0c1);
  evidence.foreign_cpuinfo = true;
  EXPECT_EQ(find_emulator(evidence).name, "user-mode emulation");
}

TEST(Platform, SystemEmulationOfArm64) {
  EXPECT_EQ(find_emulator(arm64(0x000f0510)).name, "QEMU TCG");
  auto evidence = arm64(0x410fd083);
  evidence.device_tree = "linux,dummy-virt";
  evidence.device_tree_cpu = "arm,cortex-a72";
  EXPECT_EQ(find_emulator(evidence).name, "QEMU TCG");
  evidence.device_tree_cpu = "arm,armv8";
  EXPECT_FALSE(find_emulator(evidence).name);
  EXPECT_EQ(find_hypervisor(evidence).name, "a virtual board");
  evidence.counter_frequency = 62'500'000;
  EXPECT_EQ(find_emulator(evidence).name, "QEMU TCG");
  evidence.counter_frequency.reset();
  evidence.device_tree_cpu.clear();
  EXPECT_EQ(find_emulator(evidence).name, "QEMU");
}

TEST(Platform, ArmServersAreReal) {
  for (std::uint64_t midr : {0x413fd0c1u, 0x481fd010u, 0xc00fac30u, 0x461f0010u}) {
    EXPECT_FALSE(find_emulator(arm64(midr)).name);
    EXPECT_FALSE(find_hypervisor(arm64(midr)).name);
  }
}

TEST(Platform, UnknownArchitectureClaimsNothing) { EXPECT_FALSE(find_emulator({}).name); }

}  // namespace
}  // namespace folioscope
