// SPDX-License-Identifier: Apache-2.0
#include "machine/clock.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

/// Why times from the TSC must be read with care; empty when Linux itself trusts it.
std::string tsc_doubt(std::string const& source, bool invariant) {
  std::string doubt;
  // kvm-clock and Hyper-V's page are the TSC with a scale of the hypervisor.
  bool const tsc_below = source == "tsc" || source == "kvm-clock" || source.starts_with("hyperv_clocksource_tsc");
  if (!tsc_below)
    doubt = "Linux does not use the TSC, which folioscope times with: times across CPUs and long ones may be off";
  if (!invariant) doubt += std::string(doubt.empty() ? "" : "; ") + "CPUID does not call the TSC invariant";
  return doubt;
}

void measure(Survey& s) {
  auto const clock = read_clock();
  s.know("clock.ns_per_tick", clock.ns_per_tick, "measured against CLOCK_MONOTONIC_RAW");
  s.know("clock.tick_ns", clock.tick.value, "measured", "the smallest step seen between two readings");
  if (s.registers) {
    if (auto const frequency = read_counter_frequency())
      s.know("clock.counter_hz", *frequency, "CNTFRQ_EL0");
    else
      s.unknown("clock.counter_hz", "CNTFRQ_EL0", "reads 0");
  }
  double const add = ns_per_add(clock);
  std::string const note = s.machine.emulator ? "emulated: no result" : "where an add takes one cycle";
  if (add > 0) {
    s.know("clock.ns_per_add", add, "measured, a chain of dependent adds");
    s.know("clock.core_ghz", 1 / add, "measured, a chain of dependent adds", note);
  } else {
    s.unknown("clock.ns_per_add", "measured", "the counter did not move");
  }
}

}  // namespace

void survey_clock(Survey& s) {
  constexpr char const* path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  auto const source = s.files.text(path);
  bool const invariant = s.cpuid && invariant_tsc(*s.cpuid);
  if (source)
    s.know("clock.source", *source, path, s.cpuid ? tsc_doubt(*source, invariant) : "");
  else
    s.unknown("clock.source", path, "missing or not readable");
  s.know_text("clock.sources_available", "/sys/devices/system/clocksource/clocksource0/available_clocksource");
  if (s.cpuid) s.know("clock.tsc_invariant", invariant, "cpuid 0x80000007");
  if (s.live()) measure(s);
}

}  // namespace folioscope
