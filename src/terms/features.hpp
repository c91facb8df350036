// SPDX-License-Identifier: Apache-2.0
// Which instructions this machine can really run, by the names that kernel contracts use. A feature is usable only when
// the CPU offers it and the operating system (XCR0, HWCAP) enables it; otherwise the reason is kept for the refusal.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "terms/error.hpp"
#include "terms/kernel.hpp"

namespace folioscope {

struct FeatureStatus {
  bool usable = false;
  std::string reason;  ///< why not: "CPUID does not offer it", "XCR0 does not enable it", "DCZID_EL0.DZP is set: ..."
};

struct Features {
  std::map<std::string, FeatureStatus, std::less<>> status;
  std::optional<Bytes> zva_block;  ///< from DCZID_EL0
};

/// Why this machine cannot run the kernel; nullopt when it can. A feature that nobody looked for is not usable.
std::optional<Refusal> refuse(KernelContract const& contract, Features const& features);
/// The contract's granule, or the ZVA block where the contract leaves it to run time (0).
Bytes granule_of(KernelContract const& contract, Features const& features);

}  // namespace folioscope
