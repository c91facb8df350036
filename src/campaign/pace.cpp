// SPDX-License-Identifier: Apache-2.0
#include "campaign/pace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace folioscope {
namespace {

constexpr std::size_t recent = 5;

double seconds(Nanoseconds time) { return time.value / 1e9; }

}  // namespace

void RecentMean::add(double s) {
  last_.push_back(s);
  if (last_.size() > recent) last_.pop_front();
}

std::optional<double> RecentMean::mean() const {
  if (last_.empty()) return std::nullopt;
  return std::accumulate(last_.begin(), last_.end(), 0.0) / static_cast<double>(last_.size());
}

bool Pace::fits(double spent_s, bool placing) const {
  if (!known()) return true;
  return spent_s + block_s() + (placing ? placement_s() : 0) <= seconds(plan_->budget);
}

double Pace::left_s(double spent_s, std::uint32_t placements, std::uint32_t blocks_a_placement,
                    std::optional<double> widest) const {
  double const budget = std::max(0.0, seconds(plan_->budget) - spent_s);
  if (!known()) return budget;
  double wanted = plan_->max_placements;
  // The interval shrinks with the square root of the placements (a little faster at first, by Student's t).
  if (widest && std::isfinite(*widest) && plan_->precision > 0)
    wanted = std::min(wanted, std::ceil(placements * std::pow(*widest / plan_->precision, 2)));
  wanted = std::max(wanted, static_cast<double>(plan_->min_placements));
  double const more = std::max(0.0, wanted - placements);
  return std::min(budget, more * (blocks_a_placement * block_s() + placement_s()));
}

}  // namespace folioscope
