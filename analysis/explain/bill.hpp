// SPDX-License-Identifier: Apache-2.0
// Clear and use together: what each way of clearing costs once the memory is used, from which touched fraction on
// another one is cheaper, who wins for each pattern of use, and what a neighbourhood cleared last is worth.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/verdict.hpp"
#include "terms/use.hpp"

namespace folioscope {

/// One way of clearing and one use: nanoseconds a folio, geometric means over placements of the placement's medians.
struct BillLine {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  Use use;
  Nanoseconds clear, spent, total;  ///< spent: on the use
  std::optional<Interval> ci;       ///< 95 %, of the total
  std::uint32_t n = 0;              ///< placements
  /// Total ÷ the total of `reference` with the same use, paired by block.
  std::optional<std::uint32_t> reference;
  Estimate ratio;
  Estimate clear_ratio, use_ratio;  ///< the same of each part
  double p_holm = 1;
  double delta = 0.02;
  Finding finding = Finding::cannot_tell;
};

/// The touched fraction at which two kernels (sequential, same call) cost the same in total.
struct Crossover {
  std::size_t campaign = 0;
  std::uint32_t cheaper_below = 0, cheaper_above = 0;  ///< cells: who wins when less, and when more is used
  Use use;                                             ///< its fraction is the crossing, as interpolated
  Interval fractions;  ///< between the last fraction where the one surely wins and the first where the other does
};

/// Of all ways of clearing in a stratum the one with the least total for one use.
struct Winner {
  std::size_t line = 0;           ///< index into Bills::lines
  std::size_t baseline_line = 0;  ///< of the baseline, same use
  bool fastest_clear = false;     ///< it also clears fastest
};

struct RadiusLine {
  std::size_t line = 0;  ///< index into Bills::lines; its ratio is to sequential with the same call
  Bytes radius;          ///< cleared last on each side of the target's page
  bool todays_linux = false;
};

struct Bills {
  std::vector<BillLine> lines;  ///< of kernel comparisons ratios are to the baseline, of radii to sequential
  std::vector<Crossover> crossovers;
  std::vector<Winner> winners;
  std::vector<RadiusLine> radii;
};
/// Appends what this campaign has; `judgement` gives the noise of its strata.
void add_bills(Bills& bills, Campaign const& campaign, std::size_t index, Judgement const& judgement);

}  // namespace folioscope
