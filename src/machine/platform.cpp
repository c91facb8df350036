// SPDX-License-Identifier: Apache-2.0
#include "machine/platform.hpp"

#include <string_view>

#include "machine/midr.hpp"

namespace folioscope {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// QEMU's generic timer ticks at 62.5 MHz unless told otherwise; no silicon is known to.
constexpr std::uint64_t emulated_frequency = 62'500'000;

PlatformFinding emulator_on_x86(PlatformEvidence const& e) {
  if (contains(e.signature, "TCG")) return {"QEMU TCG", "cpuid 0x40000000", ""};
  if (contains(e.cpuid_vendor + e.cpuinfo_vendor, "VirtualApple")) return {"Rosetta", "CPU vendor", ""};
  if (contains(e.model_name, "QEMU TCG")) return {"QEMU TCG", "CPU name", ""};
  if (!e.cpuid_vendor.empty() && !e.cpuinfo_vendor.empty() && e.cpuid_vendor != e.cpuinfo_vendor)
    return {"user-mode emulation", "cpuid and /proc/cpuinfo",
            "they name different CPUs: the program sees another one than Linux"};
  if (e.signature.empty() && contains(e.firmware_vendor, "QEMU")) {
    if (contains(e.clock_sources, "kvm-clock"))
      return {std::nullopt, "DMI and clock sources", "QEMU with KVM: the CPU is real"};
    if (!e.clock_sources.empty())
      return {"QEMU TCG", "DMI and clock sources", "QEMU's firmware and no clock of a hypervisor"};
    return {std::nullopt, "DMI", "QEMU's firmware: emulated or with KVM, the files do not tell which"};
  }
  return {std::nullopt, "cpuid, DMI", "none seen"};
}

PlatformFinding emulator_on_arm64(PlatformEvidence const& e) {
  if (e.foreign_cpuinfo)
    return {"user-mode emulation", "/proc/cpuinfo", "an arm64 program on a Linux of another architecture"};
  // Every arm64 Linux since 4.7 shows this register; under user-mode emulation /sys is the host's.
  if (e.live && e.cpu_folder_without_midr)
    return {"user-mode emulation", "/sys/devices/system/cpu", "an arm64 program whose /sys has no midr_el1"};
  if (e.midr && decode_midr(*e.midr).implementer == 0)
    return {"QEMU TCG", "MIDR_EL1", "the implementer is reserved for software"};
  bool const qemu = contains(e.device_tree, "linux,dummy-virt") || contains(e.firmware_vendor, "QEMU");
  if (!qemu) return {std::nullopt, "MIDR_EL1, device tree, DMI", "none seen"};
  if (e.counter_frequency == emulated_frequency) return {"QEMU TCG", "CNTFRQ_EL0", "62.5 MHz, the emulator's timer"};
  // With KVM the nodes say "arm,armv8" or "arm,arm-v8"; the emulator names the core that it pretends.
  if (contains(e.device_tree_cpu, "arm,armv8") || contains(e.device_tree_cpu, "arm,arm-v8"))
    return {std::nullopt, "device tree", "a virtual machine on a real CPU: its CPU nodes are generic"};
  if (!e.device_tree_cpu.empty())
    return {"QEMU TCG", "device tree", "a virtual board whose CPU nodes name a core: " + e.device_tree_cpu};
  if (contains(e.device_tree, "linux,dummy-virt"))
    return {"QEMU", "device tree", "linux,dummy-virt, and nothing shows a real CPU below it: taken as emulated"};
  return {std::nullopt, "DMI", "QEMU's firmware: emulated or with KVM, nothing tells which"};
}

struct Signature {
  std::string_view signature, name;
};
constexpr Signature signatures[] = {
    {"KVMKVMKVM", "KVM"},           {"Microsoft Hv", "Hyper-V"},  {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},        {"TCGTCGTCGTCG", "QEMU TCG"}, {"bhyve bhyve", "bhyve"},
    {"ACRNACRNACRN", "ACRN"},       {"prl hyperv", "Parallels"},  {"lrpepyh vr", "Parallels"},
    {"VBoxVBoxVBox", "VirtualBox"}, {"QNXQVMBSQG", "QNX"},        {"Linux KVM Hv", "KVM (Hyper-V enlightened)"},
};
constexpr Signature firmwares[] = {
    {"QEMU", "QEMU"},
    {"VMware", "VMware"},
    {"innotek", "VirtualBox"},
    {"Xen", "Xen"},
    {"Amazon EC2", "Amazon EC2"},
    {"Google", "Google Compute Engine"},
    {"Microsoft", "Hyper-V"},
    {"OpenStack", "OpenStack"},
    {"Parallels", "Parallels"},
    {"Alibaba", "Alibaba Cloud"},
    {"Tencent", "Tencent Cloud"},
    {"Huawei Cloud", "Huawei Cloud"},
};

/// Amazon and Microsoft sell bare machines under the same vendor.
bool may_be_bare(PlatformEvidence const& e) {
  return contains(e.firmware_product, ".metal") || contains(e.firmware_product, "Surface") ||
         (contains(e.firmware_vendor, "Google") && !contains(e.firmware_product, "Compute"));
}

}  // namespace

PlatformFinding find_emulator(PlatformEvidence const& evidence) {
  if (evidence.architecture == "x86_64") return emulator_on_x86(evidence);
  if (evidence.architecture == "aarch64") return emulator_on_arm64(evidence);
  return {std::nullopt, "files", "unknown: the architecture is not known"};
}

PlatformFinding find_hypervisor(PlatformEvidence const& e) {
  if (!e.signature.empty()) {
    for (auto const& known : signatures)
      if (e.signature == known.signature) return {std::string(known.name), "cpuid 0x40000000", ""};
    return {e.signature, "cpuid 0x40000000", "a signature that folioscope has no name for"};
  }
  if (e.hypervisor_flag == false)
    return {std::nullopt, "cpuid 1 or /proc/cpuinfo", "none: the hypervisor bit is clear"};
  if (!may_be_bare(e))
    for (auto const& known : firmwares)
      if (contains(e.firmware_vendor, known.signature)) return {std::string(known.name), "DMI", ""};
  if (contains(e.device_tree, "linux,dummy-virt")) return {"a virtual board", "device tree", "linux,dummy-virt"};
  if (e.hypervisor_flag == true) return {"present", "/proc/cpuinfo", "the hypervisor bit is set, its name is not told"};
  return {std::nullopt, "cpuid, DMI, device tree", "none seen"};
}

}  // namespace folioscope
