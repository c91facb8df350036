// SPDX-License-Identifier: Apache-2.0
// The hardware prefetchers that a vendor documents a switch for, and turning them off and on again: the causal test of
// what they do for an order. Only on bare metal, through the msr device, under the guardian of changes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/changes.hpp"
#include "machine/machine.hpp"

namespace folioscope {

struct PrefetcherSwitch {
  std::string_view name;    ///< "l2_stream"
  std::string_view vendor;  ///< as CPUID spells it
  std::uint32_t number;     ///< of the register
  unsigned bit;             ///< set: off
  std::string_view source;
};

/// Those of this machine; refused with the reason on arm64, in guests, for vendors and CPUs without a documented
/// switch, and without the msr device.
Granted<std::vector<PrefetcherSwitch>> prefetcher_switches(Machine const& machine,
                                                           std::filesystem::path const& devices = "/dev/cpu");

/// Turns these off on all allowed CPUs; what could not be. Whatever was changed is given back by the guardian.
std::vector<Refusal> turn_off(std::span<PrefetcherSwitch const> switches, Machine const& machine, Changes& changes,
                              std::filesystem::path const& devices = "/dev/cpu");
/// The same on again.
std::vector<Refusal> turn_on(std::span<PrefetcherSwitch const> switches, Machine const& machine, Changes& changes,
                             std::filesystem::path const& devices = "/dev/cpu");

}  // namespace folioscope
