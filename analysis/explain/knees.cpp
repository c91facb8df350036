// SPDX-License-Identifier: Apache-2.0
#include "explain/knees.hpp"

#include <algorithm>
#include <map>

#include "stats/comparisons.hpp"

namespace folioscope {
namespace {

constexpr double share_of_sequential = 0.95;
constexpr std::size_t fewest_runs = 3;

struct OnCurve {
  Bytes run;
  Estimate ratio;
};

Knee knee_of(Cell const& like, std::vector<OnCurve> const& curve, std::size_t index) {
  Knee knee;
  knee.campaign = index;
  knee.like = like;
  knee.longest = curve.back().run;
  // From the longest run down: a curve that dips and rises again has its knee behind the rise.
  for (auto it = curve.rbegin(); it != curve.rend() && it->ratio.ratio * share_of_sequential <= 1; ++it) {
    knee.bytes = it->run;
    knee.ratio = it->ratio;
  }
  for (auto it = curve.rbegin(); it != curve.rend() && it->ratio.ci && it->ratio.ci->high * share_of_sequential <= 1;
       ++it)
    knee.at_most = it->run;
  return knee;
}

}  // namespace

std::vector<Knee> knees(Campaign const& campaign, Runs const& runs, std::size_t index) {
  std::map<Cell, std::vector<OnCurve>> curves;
  for (CellPair const& pair : comparisons(campaign)) {
    Cell const& c = campaign.plan.cells[pair.cell].cell;
    if (pair.against_baseline || !pair.reference || !c.run || c.prefetch.value != 0 || c.order.starts_with("file:"))
      continue;
    if (c.call > campaign.plan.base_page || c.call < std::min(campaign.plan.base_page, *c.run)) continue;
    Estimate const e = estimate(runs.log_ratios(pair.cell, *pair.reference));
    if (e.n == 0) continue;
    Cell like = c;
    like.run = std::nullopt;
    like.call = campaign.plan.base_page;
    curves[like].push_back({*c.run, e});
  }
  std::vector<Knee> out;
  for (auto& [like, curve] : curves) {
    if (curve.size() < fewest_runs) continue;
    std::ranges::stable_sort(curve, {}, &OnCurve::run);
    out.push_back(knee_of(like, curve, index));
  }
  return out;
}

}  // namespace folioscope
