// SPDX-License-Identifier: Apache-2.0
// Which cells a campaign compares: every order with sequential of the same kernel, state, backing, footprint, threads,
// call and fence; every sequential cell with the baseline of its stratum (base-page calls, the kernel that Linux itself
// uses here). Kernels that store nothing measure overhead: they are compared with nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "record/capsule.hpp"

namespace folioscope {

struct CellPair {
  std::uint32_t cell = 0;
  std::optional<std::uint32_t> reference;  ///< null: the plan has none
  bool against_baseline = false;
};

std::vector<CellPair> comparisons(Campaign const& campaign);
/// The contract under that name; nullptr when the capsule has none.
KernelContract const* contract_of(Campaign const& campaign, std::string_view kernel);
/// The baseline cell of a cell's stratum; nullopt when it is not in the plan.
std::optional<std::uint32_t> baseline_of(Campaign const& campaign, Cell const& cell);

}  // namespace folioscope
