// SPDX-License-Identifier: Apache-2.0
// The stop rule's view of a campaign: how narrow each ratio's interval is, kept up to date block by block. The same
// comparisons, medians and estimate as the verdicts (stats), without walking all samples again after every placement.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "record/capsule.hpp"
#include "stats/comparisons.hpp"

namespace folioscope {

class Precision {
 public:
  /// Of `known`, its plan, kernels and facts say what is compared; its blocks and samples, if any, count as seen.
  explicit Precision(Campaign const& known);

  void add(Block const& block, std::span<Sample const> samples);
  /// Ratios of this cell are waited for no more.
  void drop(std::uint32_t cell);

  /// Placements that have a block.
  std::uint32_t placements() const { return placements_; }
  std::size_t ratios() const { return ratios_.size(); }
  /// Half-width of each ratio's 95 % interval as a share of it: infinity under 2 placements. The placement going on is
  /// counted. Ratios without any value after two placements (refused at every run) are not waited for.
  std::vector<double> half_widths() const;

 private:
  struct Ratio {
    CellPair pair;
    std::vector<double> logs;     ///< one a closed placement
    std::vector<double> current;  ///< one a block of the placement going on
  };
  void close();

  std::vector<Ratio> ratios_;
  std::vector<double> times_;  ///< of the block being added, by cell
  std::optional<std::uint32_t> placement_;
  std::uint32_t placements_ = 0;
};

}  // namespace folioscope
