// SPDX-License-Identifier: Apache-2.0
// Campaigns of machines that do not exist: known true times, and around them the noise that real ones show. Shares no
// code with what judges or fits them. The same request gives the same campaign everywhere.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "terms/random.hpp"

namespace folioscope::synthetic {

/// All spreads are standard deviations of log(time).
struct Noise {
  double pass = 0.01;         ///< of one pass against the next
  double spike_share = 0;     ///< passes that an interrupt or a neighbour lengthens ...
  double spike = 0.5;         ///< ... by an exponential factor of this mean: the heavy tail
  double placement = 0;       ///< of a whole placement, all cells alike: cancels in a ratio
  double placement_cell = 0;  ///< of one cell in one placement (conflicts of its frames): does not cancel
  double block_drift = 0;     ///< random walk from block to block: cancels when a block is compared with itself
};

struct Request {
  Plan plan{};                                   ///< see plan_of()
  std::function<double(Cell const&)> true_ns{};  ///< of one pass
  Noise noise{};
  std::uint32_t placements = 10;
  std::uint32_t blocks_per_placement = 3;
  std::uint64_t seed = 1;
  std::string machine = "Synthetic 9000";
  std::string linux_kernel = "rep_stosb";
  std::string release = "6.18.5";
  std::string emulator{};  ///< empty: none
};

/// Cells of every combination of the lists; the sequential reference of each is added where it is missing.
struct Grid {
  std::vector<std::string> kernels{"rep_stosb"};
  std::vector<std::string> orders{"reverse"};  ///< "sequential" is always there
  std::vector<std::uint64_t> runs{4096};
  std::vector<std::uint64_t> calls{4096};   ///< of orders and of sequential
  std::vector<std::uint64_t> targets{128};  ///< of orders whose name begins with target_ or neighbourhood_
  std::vector<State> states{State::cold};
  std::vector<std::string> backings{"thp"};
  std::vector<std::uint64_t> folios{1};  ///< footprints in folios
  std::vector<std::uint32_t> threads{1};
};
Plan plan_of(Grid const& grid, std::string experiment = "synthetic");

Campaign campaign(Request const& request);

/// A machine on which an order costs what its table says, times the sequential time of the footprint: by order name, 1
/// where absent.
std::function<double(Cell const&)> by_order(std::vector<std::pair<std::string, double>> ratios,
                                            double ns_per_folio = 58000);

/// Standard normal and unit exponential draws.
double normal(Random& random);
double exponential(Random& random);

}  // namespace folioscope::synthetic
