// SPDX-License-Identifier: Apache-2.0
#include "stats/mean.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distributions.hpp"

namespace folioscope {

Mean mean_of(std::span<double const> values) {
  Mean m;
  for (double const x : values)
    if (std::isfinite(x)) {
      m.value += x;
      ++m.n;
    }
  if (m.n == 0) return m;
  m.value /= m.n;
  if (m.n < 2) return m;
  double squares = 0;
  for (double const x : values)
    if (std::isfinite(x)) squares += (x - m.value) * (x - m.value);
  double const half = squares > 0 ? student_quantile(0.975, m.n - 1) * std::sqrt(squares / (m.n - 1) / m.n) : 0;
  m.ci = Interval{m.value - half, m.value + half};
  return m;
}

Mean mean_share(std::span<Hits const> placements) {
  std::vector<double> shares;
  Hits all;
  for (Hits const& p : placements) {
    if (p.of == 0) continue;
    shares.push_back(static_cast<double>(p.hits) / p.of);
    all.hits += p.hits;
    all.of += p.of;
  }
  Mean m = mean_of(shares);
  if (!m.ci) return m;
  bool const alike = std::ranges::all_of(shares, [&](double s) { return s == shares.front(); });
  if (alike)
    if (auto const exact = clopper_pearson(all.hits, all.of))
      m.ci = Interval{std::min(m.ci->low, exact->low), std::max(m.ci->high, exact->high)};
  m.ci = Interval{std::max(0.0, m.ci->low), std::min(1.0, m.ci->high)};
  return m;
}

}  // namespace folioscope
