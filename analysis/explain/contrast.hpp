// SPDX-License-Identifier: Apache-2.0
// A contrast's figure in one campaign: per placement from the medians of blocks that have every cell, so that drift and
// placement effects that hit all cells alike cancel; Student t over placements.
#pragma once
#include "explain/finder.hpp"
#include "explain/mechanisms.hpp"

namespace folioscope {

/// timed, counted, probed, Linux.
std::string source_words(Contrast const& contrast);

class Evaluator {
 public:
  /// All must outlive it.
  Evaluator(Campaign const& campaign, Runs const& runs, std::size_t index);
  /// The figure with its interval; outcome is `missing` (with why) or `open`: what it means is judged elsewhere.
  ContrastFinding evaluate(Contrast const& contrast) const;

 private:
  struct Cells {
    std::uint32_t cell = 0, over = 0;
  };
  /// One pair; with prefetch=any one a distance.
  std::vector<Cells> cells_of(Contrast const& contrast, std::string& why) const;
  bool is_meant(CellSelector const& selector) const;
  Estimate figure_of(Contrast const& contrast, Cells const& cells, std::string& why) const;
  Estimate time(Contrast const& contrast, Cells const& cells, std::string& why) const;
  /// What is dearer than `bases` by the number of `counts`, one over the other: the price of a start, or of a call.
  Estimate price(Cells const& cells, Cells const& bases, double const (&counts)[2]) const;
  Estimate start(Cells const& cells, std::string& why) const;
  Estimate call(Cells const& cells, std::string& why) const;
  Estimate lines(std::uint32_t cell, std::string& why) const;
  Estimate counted(Contrast const& contrast, Cells const& cells, std::string& why) const;
  Estimate probed(Contrast const& contrast, Cells const& cells, std::string& why) const;

  Campaign const* campaign_;
  Runs const* runs_;
  std::size_t index_;
  CellFinder finder_;
};

}  // namespace folioscope
