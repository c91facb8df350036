// SPDX-License-Identifier: Apache-2.0
// A campaign's times as logarithms, by cell and block, built once from the raw samples: every estimate starts here.
// Samples that name no known cell or block, counted passes and times that are no positive number are left out; what is
// missing stays missing.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "record/capsule.hpp"

namespace folioscope {

class Runs {
 public:
  explicit Runs(Campaign const& campaign);

  /// One value a placement that has both: the median over its blocks of log(cell / reference), first runs only. A
  /// placement's blocks are those of one draw of memory. Why first runs only: docs/decisions/reference-runs.md.
  std::vector<double> log_ratios(std::uint32_t cell, std::uint32_t reference) const;
  /// The same for any product of powers of times, such as a ratio of two ratios: blocks that have every term count.
  struct Term {
    std::uint32_t cell = 0;
    int power = 1;
  };
  std::vector<double> log_products(std::span<Term const> terms) const;
  /// One value a placement: the median over its blocks of log(second run / first run) of a reference cell.
  std::vector<double> aa_log_ratios(std::uint32_t cell) const;
  /// One value a placement: the median over its blocks of log(nanoseconds of one pass).
  std::vector<double> log_times(std::uint32_t cell) const;
  /// The same with the place of each placement among the campaign's, for tables by placement.
  struct Placed {
    std::uint32_t placement = 0;  ///< index into Campaign::placements as they follow each other by id
    double log = 0;
  };
  std::vector<Placed> placed_log_times(std::uint32_t cell) const;
  /// Median over placements of the placement's median; nullopt when nothing was measured.
  std::optional<Nanoseconds> time(std::uint32_t cell) const;

  std::uint32_t placements() const { return placements_; }  ///< that have at least one block

 private:
  struct Run {
    std::uint32_t block = 0;  ///< index by id
    std::uint32_t placement = 0;
    double first = 0;  ///< NaN where missing
    double again = 0;
  };
  std::span<Run const> runs_of(std::uint32_t cell) const;

  std::vector<Run> runs_;           ///< by cell, then block
  std::vector<std::size_t> begin_;  ///< of each cell in runs_, and the end
  std::uint32_t placements_ = 0;
};

/// Sorts what it is given; NaN for nothing.
double median_of(std::span<double> values);

}  // namespace folioscope
