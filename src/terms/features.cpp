// SPDX-License-Identifier: Apache-2.0
#include "terms/features.hpp"

namespace folioscope {

std::optional<Refusal> refuse(KernelContract const& contract, Features const& features) {
  for (auto const& name : contract.features) {
    auto const it = features.status.find(name);
    if (it == features.status.end())
      return Refusal{contract.name, "needs " + name + ", which this CPU does not have", ""};
    if (!it->second.usable) return Refusal{contract.name, "needs " + name + ": " + it->second.reason, ""};
  }
  return std::nullopt;
}

Bytes granule_of(KernelContract const& contract, Features const& features) {
  if (contract.granule.value != 0) return contract.granule;
  return features.zva_block.value_or(Bytes(64));
}

}  // namespace folioscope
