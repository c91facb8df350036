// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/layout.hpp"
#include "report/page.hpp"

namespace folioscope {
namespace {

constexpr double wide = 2;  // an interval whose ends are this factor apart says little

std::vector<std::string> about_times(Material const& m, std::size_t i) {
  if (m.cells[i].empty() && m.campaigns[i].header.kind == "linux") return {};  // its paths have figures of their own
  std::size_t timed = 0, still = 0;
  std::vector<double> spans;
  for (std::uint32_t const c : m.cells[i]) {
    auto const logs = m.runs[i].log_times(c);
    timed += !logs.empty();
    still += logs.size() > 1 && std::ranges::all_of(logs, [&](double log) { return log == logs.front(); });
    if (auto const e = estimate(logs); e.ci && std::isfinite(e.ci->high)) spans.push_back(e.ci->high / e.ci->low);
  }
  if (timed == 0) return {"No cell was timed: there is nothing to draw but what was refused and what machine this is."};
  if (spans.empty())
    return {"One placement alone: every figure shows what was timed, and no interval can be given for it."};
  if (still == timed)
    return {
        "Every cell took exactly the same time in all placements: the intervals have no width. No usual clock does "
        "that."};
  double const span = median_of(spans);
  if (span > wide)
    return {fmt::format(
        "The times scatter very widely: half of the cells have intervals whose ends are a factor of {} or more "
        "apart. Axes reach to the longest interval, so most points stand close together.",
        figure(span))};
  return {};
}

}  // namespace

std::vector<std::string> remarks(Material const& m, std::size_t i) {
  auto all = about_times(m, i);
  if (auto const& damage = m.campaigns[i].left_out; !damage.empty()) all.insert(all.begin(), damage);
  return all;
}

}  // namespace folioscope
