// SPDX-License-Identifier: Apache-2.0
#include "stats/line_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "stats/distributions.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

bool all_finite(std::span<double const> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace

std::optional<std::vector<double>> fit_shapes(std::span<std::vector<double> const> rows, std::span<double const> y) {
  if (rows.empty() || rows.size() != y.size() || rows.front().empty() || !all_finite(y)) return std::nullopt;
  auto const points = static_cast<Eigen::Index>(rows.size());
  auto const shapes = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd x(points, shapes);
  for (Eigen::Index i = 0; i < points; ++i) {
    auto const& row = rows[static_cast<std::size_t>(i)];
    if (row.size() != rows.front().size() || !all_finite(row)) return std::nullopt;
    x.row(i) = Eigen::Map<Eigen::RowVectorXd const>(row.data(), shapes);
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> const solver(x);
  if (solver.rank() < shapes) return std::nullopt;
  Eigen::VectorXd const fitted = x * solver.solve(Eigen::Map<Eigen::VectorXd const>(y.data(), points));
  return std::vector<double>(fitted.begin(), fitted.end());
}

std::optional<LineFit> fit_line(std::span<double const> x, std::span<double const> y) {
  if (x.size() != y.size() || x.size() < 2 || !all_finite(x) || !all_finite(y)) return std::nullopt;
  auto const n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0)) return std::nullopt;
  LineFit fit;
  fit.b = xy / xx;
  fit.a = mean_y - fit.b * mean_x;
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const off = fit.a + fit.b * x[i] - y[i];
    residual += off * off;
    fit.relative_errors.push_back(std::fabs(off / y[i]));
  }
  auto errors = fit.relative_errors;
  fit.median_error = median_of(errors);
  if (x.size() > 2) {
    double const variance = residual / (n - 2);
    double const t = student_quantile(0.975, n - 2);
    double const b_half = t * std::sqrt(variance / xx);
    double const a_half = t * std::sqrt(variance * (1 / n + mean_x * mean_x / xx));
    fit.a_ci = Interval{fit.a - a_half, fit.a + a_half};
    fit.b_ci = Interval{fit.b - b_half, fit.b + b_half};
  }
  return fit;
}

}  // namespace folioscope
