// SPDX-License-Identifier: Apache-2.0
#include "machine/prefetchers.hpp"

#include <fmt/core.h>

#include <charconv>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace folioscope {
namespace {

constexpr char const* intel_source =
    "Intel, Disclosure of Hardware Prefetcher Control on Some Intel Processors (MISC_FEATURE_CONTROL); SDM vol. 4";
constexpr char const* amd_source = "AMD64 APM vol. 2, Prefetch Control (PrefetchCtlMsr, CPUID Fn8000_0021_EAX[13])";

constexpr PrefetcherSwitch all_switches[] = {
    {"l2_stream", "GenuineIntel", 0x1a4, 0, intel_source},
    {"l2_adjacent_line", "GenuineIntel", 0x1a4, 1, intel_source},
    {"l1_stream", "GenuineIntel", 0x1a4, 2, intel_source},
    {"l1_stride", "GenuineIntel", 0x1a4, 3, intel_source},
    {"l1_stream", "AuthenticAMD", 0xc0000108, 0, amd_source},
    {"l1_stride", "AuthenticAMD", 0xc0000108, 1, amd_source},
    {"l1_region", "AuthenticAMD", 0xc0000108, 2, amd_source},
    {"l2_stream", "AuthenticAMD", 0xc0000108, 3, amd_source},
    {"l2_up_down", "AuthenticAMD", 0xc0000108, 5, amd_source},
};

/// AMD says by CPUID whether the register is there; Intel's has been there since Nehalem.
bool has_register(std::string_view vendor) {
#if defined(__x86_64__)
  if (vendor != "AuthenticAMD") return true;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(0x80000021, 0, &a, &b, &c, &d) != 0 && (a >> 13 & 1u) != 0;
#else
  return vendor.empty();
#endif
}

std::filesystem::path device_of(std::filesystem::path const& devices, unsigned cpu) {
  return devices / std::to_string(cpu) / "msr";
}

std::optional<std::uint64_t> value_of_register(std::string const& text) {
  std::uint64_t value = 0;
  auto const [at, error] =
      std::from_chars(text.data() + std::min<std::size_t>(2, text.size()), text.data() + text.size(), value, 16);
  return error == std::errc() && at == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<Refusal> turn(bool off, std::span<PrefetcherSwitch const> switches, Machine const& machine,
                          Changes& changes, std::filesystem::path const& devices) {
  std::vector<Refusal> refusals;
  for (unsigned cpu : machine.allowed_cpus)
    for (PrefetcherSwitch const& s : switches) {
      std::string const setting = register_setting(device_of(devices, cpu), s.number);
      auto const old = read_setting(setting);
      auto const value = old ? value_of_register(*old) : std::nullopt;
      if (!value) {
        refusals.push_back({setting, "cannot be read", "run as root with the msr module"});
        continue;
      }
      std::uint64_t const bit = std::uint64_t{1} << s.bit;
      std::string const wanted = fmt::format("{:#018x}", off ? *value | bit : *value & ~bit);
      auto const changed = changes.set(setting, wanted);
      if (!changed)
        refusals.push_back(changed.refusal());
      else if (changed->now != wanted)
        refusals.push_back({setting, fmt::format("does not keep {} (reads {})", wanted, changed->now),
                            "firmware or a hypervisor may hold it"});
    }
  return refusals;
}

}  // namespace

Granted<std::vector<PrefetcherSwitch>> prefetcher_switches(Machine const& machine,
                                                           std::filesystem::path const& devices) {
  auto const refused = [](std::string reason, std::string remedy) {
    return Refusal{"prefetchers off", std::move(reason), std::move(remedy)};
  };
  if (machine.architecture != "x86_64")
    return refused("no prefetcher switch is documented for this architecture that Linux lets programs use", "");
  if (machine.emulator) return refused("an emulator has no prefetchers", "");
  if (auto const guest = machine.facts.value(fact::hypervisor).as_string())
    return refused("a guest's registers are not the machine's (" + *guest + ")", "run on bare metal");
  std::vector<PrefetcherSwitch> mine;
  for (PrefetcherSwitch const& s : all_switches)
    if (s.vendor == machine.vendor) mine.push_back(s);
  if (mine.empty()) return refused("no prefetcher switch of the vendor '" + machine.vendor + "' is known", "");
  if (!has_register(machine.vendor)) return refused("this CPU has no documented prefetcher switch", "");
  if (machine.allowed_cpus.empty()) return refused("no CPU is allowed", "");
  auto const first = register_setting(device_of(devices, machine.allowed_cpus.front()), mine.front().number);
  if (!read_setting(first)) return refused(first + " cannot be read", "run as root after `modprobe msr`");
  return mine;
}

std::vector<Refusal> turn_off(std::span<PrefetcherSwitch const> switches, Machine const& machine, Changes& changes,
                              std::filesystem::path const& devices) {
  return turn(true, switches, machine, changes, devices);
}
std::vector<Refusal> turn_on(std::span<PrefetcherSwitch const> switches, Machine const& machine, Changes& changes,
                             std::filesystem::path const& devices) {
  return turn(false, switches, machine, changes, devices);
}

}  // namespace folioscope
