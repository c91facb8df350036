// SPDX-License-Identifier: Apache-2.0
// What may have disturbed a block: a core clock off its median, a changed clock source, time that the hypervisor took.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terms/sample.hpp"

namespace folioscope {

/// The campaign's core clock so far, as ns per dependent add.
class CoreClock {
 public:
  /// Takes the block's two readings in and marks it when one is more than 5 % off the median of all so far. What is not
  /// known (0, NaN) marks nothing.
  void judge(Block& block);
  void seen(Block const& block);

 private:
  std::vector<double> readings_;  ///< ascending
};

/// Adds a reason to the block's note and marks it.
void mark(Block& block, std::string_view why);

/// Seconds that /proc/stat's text says were stolen from these CPUs since boot; nullopt where it has no such column.
std::optional<double> stolen_seconds(std::string_view stat, std::span<unsigned const> cpus, double ticks_per_second);
/// The same now, NaN where unknown.
double stolen_now(std::span<unsigned const> cpus, std::filesystem::path const& stat = "/proc/stat");

}  // namespace folioscope
