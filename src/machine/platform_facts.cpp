// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "machine/midr.hpp"
#include "machine/platform.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

std::string const dmi_folder = "/sys/class/dmi/id/";

/// Device-tree strings end in NUL each.
std::string device_tree(SystemFiles const& files, std::string const& node) {
  for (auto const* root : {"/proc/device-tree/", "/sys/firmware/devicetree/base/"}) {
    auto bytes = files.bytes(root + node + "compatible", 4096);
    if (!bytes) continue;
    for (char& c : *bytes)
      if (c == '\0')
        c = ' ';
      else if (c < ' ' || c > '~')
        c = '?';
    return std::string(trimmed(*bytes));
  }
  return {};
}

std::string first_cpu_node(SystemFiles const& files) {
  for (auto const* root : {"/proc/device-tree/cpus", "/sys/firmware/devicetree/base/cpus"})
    for (auto const& name : files.names(root))
      if (name.starts_with("cpu@")) return "cpus/" + name + "/";
  return "cpus/cpu@0/";
}

PlatformEvidence gather(Survey const& s) {
  PlatformEvidence e;
  e.architecture = s.machine.architecture;
  e.live = s.live();
  if (s.cpuid) {
    e.signature = hypervisor_signature(*s.cpuid);
    e.hypervisor_flag = (s.cpuid->at(1).ecx >> 31) & 1;
    e.cpuid_vendor = decode_identity(*s.cpuid).vendor;
  } else if (s.machine.architecture == "x86_64" && !s.cpuinfo.features.empty()) {
    e.hypervisor_flag = std::ranges::find(s.cpuinfo.features, "hypervisor") != s.cpuinfo.features.end();
  }
  if (!s.cpuinfo.cpus.empty()) e.cpuinfo_vendor = s.cpuinfo.cpus.front().vendor;
  e.model_name = s.machine.model;
  e.firmware_vendor = s.files.text(dmi_folder + "sys_vendor").value_or("");
  e.firmware_product = s.files.text(dmi_folder + "product_name").value_or("");
  e.device_tree = device_tree(s.files, "");
  e.device_tree_cpu = device_tree(s.files, first_cpu_node(s.files));
  e.clock_sources = s.files.text("/sys/devices/system/clocksource/clocksource0/available_clocksource").value_or("");
  e.midr = s.midr;
  if (s.live()) e.counter_frequency = read_counter_frequency();
  // The first CPU's folder, not CPU 0's: that one can be offline.
  if (!s.online.empty()) {
    auto const folder = std::string(cpu_folder) + "cpu" + std::to_string(s.online.front());
    e.cpu_folder_without_midr =
        s.files.exists(folder + "/topology") && !s.files.exists(folder + "/regs/identification/midr_el1");
  }
  e.foreign_cpuinfo = s.foreign_cpuinfo;
  return e;
}

void know_firmware(Survey& s, PlatformEvidence const& e) {
  if (!e.firmware_vendor.empty() || !e.firmware_product.empty()) {
    bool const apart = !e.firmware_vendor.empty() && !e.firmware_product.empty();
    s.know("platform.product", e.firmware_vendor + (apart ? " " : "") + e.firmware_product, dmi_folder);
  } else if (!e.device_tree.empty()) {
    s.know("platform.product", e.device_tree, "device tree");
  } else {
    s.unknown("platform.product", dmi_folder, "neither DMI nor a device tree is readable");
  }
  if (s.midr && e.firmware_vendor.find("Amazon") != std::string::npos)
    if (auto const graviton = graviton_name(decode_midr(*s.midr)); !graviton.empty())
      s.know("platform.processor", graviton, "DMI and MIDR", "by its core");
}

/// "cpu user nice system idle iowait irq softirq steal ...", in ticks of 1/100 s on both architectures.
void know_steal(Survey& s) {
  auto const text = s.files.start_of("/proc/stat", 4096);
  auto const words = words_of(text ? std::string_view(*text).substr(0, text->find('\n')) : std::string_view());
  if (words.size() < 9 || words[0] != "cpu")
    return s.unknown("platform.steal_seconds", "/proc/stat", "no steal column is readable");
  double total = 0, steal = 0;
  for (std::size_t i = 1; i < 9; ++i) {
    auto const ticks = parse_number(words[i]);
    if (!ticks) return s.unknown("platform.steal_seconds", "/proc/stat", "no steal column is readable");
    total += static_cast<double>(*ticks);
    if (i == 8) steal = static_cast<double>(*ticks);
  }
  constexpr double ticks_per_second = 100;
  s.know("platform.steal_seconds", steal / ticks_per_second, "/proc/stat", "of all CPUs since boot");
  if (total > 0) s.know("platform.steal_share", steal / total, "/proc/stat", "of all CPU time since boot");
}

void know_c_library(Survey& s) {
  if (!s.live()) return;
#if defined(__GLIBC__)
  s.know("libc.version", std::string("glibc ") + ::gnu_get_libc_version(), "gnu_get_libc_version");
#else
  s.unknown("libc.version", "this program", "built with another C library than glibc");
#endif
  char const* tunables = std::getenv("GLIBC_TUNABLES");
  s.know("libc.tunables", tunables ? Json(tunables) : Json(""), "GLIBC_TUNABLES",
         tunables ? "memset chooses its stores by them" : "not set");
}

}  // namespace

void survey_platform(Survey& s) {
  auto const evidence = gather(s);
  auto const hypervisor = find_hypervisor(evidence);
  auto const emulator = find_emulator(evidence);
  s.know(std::string(fact::hypervisor), Json(hypervisor.name), hypervisor.source, hypervisor.note);
  s.know(
      std::string(fact::emulator), Json(emulator.name), emulator.source,
      emulator.name ? "timings are no results" + (emulator.note.empty() ? "" : ": " + emulator.note) : emulator.note);
  s.machine.emulator = emulator.name;
  know_firmware(s, evidence);
  know_steal(s);
  know_c_library(s);
}

}  // namespace folioscope
