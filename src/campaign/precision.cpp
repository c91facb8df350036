// SPDX-License-Identifier: Apache-2.0
#include "campaign/precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/runs.hpp"
#include "stats/verdict.hpp"

namespace folioscope {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double half_width(std::span<double const> logs) {
  Estimate const e = estimate(logs);
  return e.ci ? (e.ci->high - e.ci->low) / (2 * e.ratio) : std::numeric_limits<double>::infinity();
}

}  // namespace

Precision::Precision(Campaign const& known) : times_(known.plan.cells.size(), missing) {
  for (CellPair const& pair : comparisons(known))
    if (pair.reference) ratios_.push_back({pair, {}, {}});
  for (RefusedCell const& refused : known.refused) drop(refused.cell);
  auto sample = known.samples.begin();
  for (Block const& block : known.blocks) {
    auto const first = sample;
    while (sample != known.samples.end() && sample->block == block.id) ++sample;
    add(block, {first, sample});
  }
}

void Precision::add(Block const& block, std::span<Sample const> samples) {
  if (placement_ != block.placement) {
    close();
    placement_ = block.placement;
    ++placements_;
  }
  std::ranges::fill(times_, missing);
  for (Sample const& s : samples)
    if (s.arm == Arm::first && s.wall.value > 0) times_[s.cell] = std::log(s.wall.value / s.copies);
  for (Ratio& r : ratios_) {
    double const log = times_[r.pair.cell] - times_[*r.pair.reference];
    if (std::isfinite(log)) r.current.push_back(log);
  }
}

void Precision::close() {
  for (Ratio& r : ratios_) {
    if (!r.current.empty()) r.logs.push_back(median_of(r.current));
    r.current.clear();
  }
}

void Precision::drop(std::uint32_t cell) {
  std::erase_if(ratios_, [cell](Ratio const& r) { return r.pair.cell == cell || r.pair.reference == cell; });
}

std::vector<double> Precision::half_widths() const {
  std::vector<double> widths;
  widths.reserve(ratios_.size());
  for (Ratio const& r : ratios_) {
    auto logs = r.logs;
    auto current = r.current;
    if (!current.empty()) logs.push_back(median_of(current));
    if (logs.empty() && placements_ > 2) continue;
    widths.push_back(half_width(logs));
  }
  return widths;
}

}  // namespace folioscope
