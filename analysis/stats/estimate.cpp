// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stats/distributions.hpp"
#include "stats/verdict.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace {

constexpr Word<Finding> findings[] = {{Finding::slower, "slower"},
                                      {Finding::faster, "faster"},
                                      {Finding::no_difference, "no_difference"},
                                      {Finding::cannot_tell, "cannot_tell"}};

struct Moments {
  double mean = 0;
  double variance = 0;  ///< unbiased; 0 under two values
  std::uint32_t n = 0;
};

/// Values that are no number (a time of 0, a damaged record) do not count.
Moments moments(std::span<double const> logs) {
  Moments m;
  for (double x : logs)
    if (std::isfinite(x)) {
      m.mean += x;
      ++m.n;
    }
  if (m.n == 0) return m;
  m.mean /= m.n;
  if (m.n < 2) return m;
  for (double x : logs)
    if (std::isfinite(x)) m.variance += (x - m.mean) * (x - m.mean);
  m.variance /= m.n - 1;
  return m;
}

Estimate around(double mean, double error, double degrees, std::uint32_t n) {
  Estimate e;
  e.ratio = std::exp(mean);
  e.n = n;
  double const wide = error > 0 ? student_quantile(0.975, degrees) * error : 0;
  double const narrow = error > 0 ? student_quantile(0.95, degrees) * error : 0;
  e.ci = Interval{std::exp(mean - wide), std::exp(mean + wide)};
  e.ci90 = Interval{std::exp(mean - narrow), std::exp(mean + narrow)};
  // No spread at all (a clock too coarse, made-up data): the difference is what it is.
  e.p = error > 0 ? student_two_sided(mean / error, degrees) : mean == 0 ? 1 : 0;
  return e;
}

}  // namespace

std::string to_string(Finding verdict) { return word_of(findings, verdict); }

Estimate estimate(std::span<double const> logs) {
  Moments const m = moments(logs);
  if (m.n < 2) {
    Estimate e;
    e.ratio = std::exp(m.mean);
    e.n = m.n;
    return e;
  }
  return around(m.mean, std::sqrt(m.variance / m.n), m.n - 1, m.n);
}

Estimate estimate_difference(std::span<double const> logs, std::span<double const> base) {
  Moments const a = moments(logs);
  Moments const b = moments(base);
  if (a.n < 2 || b.n < 2) {
    Estimate e;
    e.ratio = std::exp(a.mean - b.mean);
    e.n = std::min(a.n, b.n);
    return e;
  }
  double const va = a.variance / a.n;
  double const vb = b.variance / b.n;
  // Welch and Satterthwaite: two machines have no reason to be equally noisy.
  double const spread = va + vb;
  double const degrees = spread > 0 ? spread * spread / (va * va / (a.n - 1) + vb * vb / (b.n - 1)) : 1;
  return around(a.mean - b.mean, std::sqrt(spread), degrees, std::min(a.n, b.n));
}

double pooled_half_width(std::span<std::vector<double> const> samples) {
  double squares = 0;
  double degrees = 0;
  double inverse = 0;  // mean of 1/n: what one sample's mean is worth
  std::size_t counted = 0;
  for (auto const& logs : samples) {
    Moments const m = moments(logs);
    if (m.n < 2) continue;
    squares += m.variance * (m.n - 1);
    degrees += m.n - 1;
    inverse += 1.0 / m.n;
    ++counted;
  }
  if (counted == 0) return std::numeric_limits<double>::quiet_NaN();
  if (squares <= 0) return 0;
  return student_quantile(0.975, degrees) * std::sqrt(squares / degrees * inverse / static_cast<double>(counted));
}

std::vector<double> holm(std::span<double const> p) {
  std::vector<std::size_t> ascending(p.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::ranges::stable_sort(ascending, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
    double const scaled = std::min(1.0, p[ascending[rank]] * static_cast<double>(p.size() - rank));
    adjusted[ascending[rank]] = largest = std::max(largest, scaled);
  }
  return adjusted;
}

}  // namespace folioscope
