// SPDX-License-Identifier: Apache-2.0
// Micro against Linux: for every path that clears, the ratio of orders that user space predicts beside the one that the
// running Linux shows. Where they disagree it says so, and what the measurements offer as the reason.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/fault_order.hpp"
#include "explain/path_bill.hpp"

namespace folioscope {

struct LinuxRatio {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::string path;                       ///< "fault-order thp", "populate-madvise 2 threads"
  std::string order;                      ///< of the path here, with its target: "target_last target 0"
  std::uint64_t target = 0;               ///< page touched first, or that Linux takes for it
  Estimate shown;                         ///< time over that of the same path cleared upwards
  std::optional<Estimate> predicted;      ///< the order over sequential, in user space; null: not swept
  std::string predicted_by;               ///< "sweep of 2026-11-30", "the replica in its blocks"
  std::optional<double> with_fixed_cost;  ///< the prediction where what no order changes is added to both
  bool disagrees = false;                 ///< the intervals do not meet
  std::string why;                        ///< of a disagreement
};

/// Of all `linux` campaigns; sweeps of the same machine instance among the campaigns predict.
/// Where clear and use of a path are known apart (`bills`), the clears are compared, and what the use adds is said.
std::vector<LinuxRatio> linux_ratios(std::span<Campaign const> campaigns, std::span<FaultOrderFinding const> findings,
                                     std::span<PathBillLine const> bills = {});
Json to_json(LinuxRatio const& ratio);
/// A table for a terminal; empty without ratios.
std::string to_text(std::span<LinuxRatio const> ratios, std::size_t width);

}  // namespace folioscope
