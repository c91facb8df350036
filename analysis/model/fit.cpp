// SPDX-License-Identifier: Apache-2.0
#include "model/fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "stats/distributions.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t fewest_points = 8;
constexpr double huber = 1.345;  ///< standard deviations
constexpr double slack = 4;      ///< a parameter that the data leave free stays within e^±4 of its start, give or take

/// Which quantities some point varies with.
std::vector<Physical> free_parameters(std::span<FitPoint const> points) {
  std::set<double> footprints, calls_a_byte;
  bool fences = false, resumed = false;
  for (FitPoint const& p : points) {
    footprints.insert(p.shape.footprint);
    calls_a_byte.insert(p.shape.calls / p.shape.bytes);
    fences = fences || p.shape.fences > 0;
    for (StretchKind const& k : p.shape.stretches)
      resumed = resumed || (k.others && *k.others > 0 && k.count > 0.02 * p.shape.bytes / k.length);
  }
  std::vector<Physical> free{Physical::stream, Physical::page_start, Physical::run_up};
  if (footprints.size() > 1) free.insert(free.end(), {Physical::write_back, Physical::spilled_start});
  if (footprints.size() > 2) free.push_back(Physical::llc_share);
  if (resumed) free.push_back(Physical::streams);
  if (calls_a_byte.size() > 2) free.push_back(Physical::call);
  if (fences) free.push_back(Physical::fence);
  std::ranges::sort(free);
  return free;
}

/// Sequential prices the stream, the slowest point a page's start; the rest begins at what machines have.
PhysicalValues first_guess(FitRequest const& r) {
  double best = INFINITY, worst = 0, pages = 1;
  for (FitPoint const& p : r.points) {
    double const ns = std::exp(p.log_ns) / p.shape.bytes;
    best = std::min(best, ns);
    if (ns > worst && p.shape.fences == 0) {
      worst = ns;
      pages = p.shape.base_page;
    }
  }
  double const start = std::max((worst - best) * pages, best * pages * 0.05);
  return {best, best * 0.1, r.llc_bytes, start, start * 0.1, 4 * pages, 8, 1, 100};
}

/// Residuals of weighted log times, and the slack that keeps free parameters near their start.
struct Residuals : Eigen::DenseFunctor<double> {
  Residuals(FitRequest const& r, PhysicalValues start, std::vector<Physical> free)
      : Eigen::DenseFunctor<double>(static_cast<int>(free.size()), static_cast<int>(r.points.size() + free.size())),
        request(r),
        base(start),
        which(std::move(free)),
        weights(VectorXd::Ones(static_cast<Eigen::Index>(r.points.size()))) {}

  PhysicalValues prices(VectorXd const& x) const {
    PhysicalValues v = base;
    for (std::size_t i = 0; i < which.size(); ++i)
      v[static_cast<std::size_t>(which[i])] *= std::exp(std::clamp(x[static_cast<Eigen::Index>(i)], -12.0, 12.0));
    return v;
  }
  VectorXd unweighted(VectorXd const& x) const {
    PhysicalValues const v = prices(x);
    VectorXd r(static_cast<Eigen::Index>(request.points.size()));
    for (std::size_t i = 0; i < request.points.size(); ++i)
      r[static_cast<Eigen::Index>(i)] = std::log(cost(request.points[i].shape, v)) - request.points[i].log_ns;
    return r;
  }
  int operator()(VectorXd const& x, VectorXd& f) const {
    f.head(weights.size()) = unweighted(x).cwiseProduct(weights);
    f.tail(x.size()) = x * (scale / slack);
    return 0;
  }
  int df(VectorXd const& x, MatrixXd& j) const {
    constexpr double h = 1e-4;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      VectorXd up = x, down = x, a(all_rows()), b(all_rows());
      up[i] += h;
      down[i] -= h;
      (*this)(up, a);
      (*this)(down, b);
      j.col(i) = (a - b) / (2 * h);
    }
    return 0;
  }
  Eigen::Index all_rows() const { return weights.size() + static_cast<Eigen::Index>(which.size()); }

  FitRequest request;
  PhysicalValues base;
  std::vector<Physical> which;
  VectorXd weights;
  double scale =
      0.05;  ///< of a log residual, as seen in the last round: a parameter's way from its start counts as one
};

double robust_spread(VectorXd const& r) {
  VectorXd magnitude = r.cwiseAbs();
  return 1.4826 * median_of({magnitude.data(), static_cast<std::size_t>(magnitude.size())});
}

/// Huber (1964): full weight within 1.345 standard deviations, falling with the distance beyond.
void reweigh(Residuals& residuals, VectorXd const& r) {
  residuals.scale = std::max(robust_spread(r), 1e-6);
  double const limit = huber * residuals.scale;
  for (Eigen::Index i = 0; i < r.size(); ++i)
    residuals.weights[i] = std::sqrt(std::min(1.0, limit / std::max(std::fabs(r[i]), 1e-12)));
}

VectorXd solve(Residuals& residuals) {
  VectorXd x = VectorXd::Zero(static_cast<Eigen::Index>(residuals.which.size()));
  for (int round = 0; round < 8; ++round) {
    Eigen::LevenbergMarquardt<Residuals> lm(residuals);
    lm.setMaxfev(400);
    VectorXd const before = x;
    lm.minimize(x);
    reweigh(residuals, residuals.unweighted(x));
    if (round > 1 && (x - before).norm() < 1e-6) break;
  }
  return x;
}

void describe_uncertainty(Fit& out, Residuals& residuals, VectorXd const& x, double common_variance) {
  MatrixXd j(residuals.all_rows(), x.size());
  residuals.df(x, j);
  MatrixXd const data = j.topRows(residuals.weights.size());
  VectorXd const r = residuals.unweighted(x);
  double const degrees = std::max(1.0, static_cast<double>(r.size() - x.size()));
  // Huber's own variance: squares of the weighted residuals over the square of the share that lies inside.
  double squares = 0, inside = 0;
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    double const w = residuals.weights[i] * residuals.weights[i];
    squares += w * w * r[i] * r[i];
    inside += w >= 1 ? 1 : 0;
  }
  inside = std::max(0.5, inside / static_cast<double>(r.size()));
  double const variance = squares / degrees / (inside * inside);
  out.residual = robust_spread(r);
  MatrixXd normal = data.transpose() * data;
  Eigen::JacobiSVD<MatrixXd> const svd(data);
  auto const& s = svd.singularValues();
  out.condition = s[s.size() - 1] > 0 ? s[0] / s[s.size() - 1] : INFINITY;
  // The slack bounds what the data leave open, so that the inverse exists; it weighs as it did in the fit.
  normal += MatrixXd::Identity(x.size(), x.size()) * std::pow(residuals.scale / slack, 2);
  MatrixXd const covariance = normal.inverse() * variance;
  double const t = student_quantile(0.975, degrees);
  for (std::size_t p = 0; p < physicals; ++p) {
    FittedParameter f;
    f.which = static_cast<Physical>(p);
    f.value = out.values[p];
    auto const it = std::ranges::find(residuals.which, f.which);
    f.held = it == residuals.which.end();
    if (!f.held) {
      auto const i = it - residuals.which.begin();
      double const half = t * std::sqrt(covariance(i, i) + (is_price(f.which) ? common_variance : 0));
      f.ci = Interval{f.value * std::exp(-half), f.value * std::exp(half)};
      f.determined = 2 * half < std::log(3.0);
    }
    out.parameters.push_back(f);
  }
  for (std::size_t a = 0; a < residuals.which.size(); ++a)
    for (std::size_t b = a + 1; b < residuals.which.size(); ++b) {
      auto const ia = static_cast<Eigen::Index>(a), ib = static_cast<Eigen::Index>(b);
      if (std::fabs(covariance(ia, ib)) > 0.98 * std::sqrt(covariance(ia, ia) * covariance(ib, ib)))
        out.inseparable.emplace_back(residuals.which[a], residuals.which[b]);
    }
}

double footprint_of(FitPoint const& p) { return p.shape.footprint; }

constexpr std::array prices_that_may_be_none{Physical::write_back, Physical::page_start, Physical::spilled_start,
                                             Physical::call, Physical::fence};

bool contains(auto const& list, Physical p) { return std::ranges::find(list, p) != std::ranges::end(list); }

struct Attempt {
  Residuals residuals;
  VectorXd x;
};

/// Huber's loss, in squares of `scale`.
double misfit(Attempt const& a, double scale) {
  double sum = 0;
  for (double r : a.residuals.unweighted(a.x)) {
    double const z = std::fabs(r) / scale;
    sum += z < huber ? z * z : huber * (2 * z - huber);
  }
  return sum;
}

std::unique_ptr<Attempt> attempt(FitRequest const& request, PhysicalValues const& start,
                                 std::vector<Physical> const& free) {
  auto out = std::make_unique<Attempt>(Attempt{{request, start, free}, {}});
  out->x = solve(out->residuals);
  return out;
}

/// The cache's share has a flat: footprints that fit whole say nothing of it. Beginnings far below, at and above what
/// the machine states, which a guest shares with others.
std::unique_ptr<Attempt> best_attempt(FitRequest const& request, PhysicalValues start,
                                      std::vector<Physical> const& free) {
  auto best = attempt(request, start, free);
  if (!contains(free, Physical::llc_share)) return best;
  for (double share : {1.0, 0.25, 0.0625, 0.015625, 4.0}) {
    start[static_cast<std::size_t>(Physical::llc_share)] = request.llc_bytes * share;
    auto here = attempt(request, start, free);
    double const scale = best->residuals.scale;
    if (misfit(*here, scale) < 0.999 * misfit(*best, scale)) best = std::move(here);
  }
  return best;
}

/// The fit without these prices, and without what only they need; null where it has none of them, or would have what
/// makes no sense alone: what is beyond the cache costs its own streaming before it makes starts dearer.
std::unique_ptr<Attempt> without(Attempt const& full, std::span<Physical const> prices) {
  std::vector<Physical> rest = full.residuals.which;
  PhysicalValues start = full.residuals.prices(full.x);
  for (Physical price : prices) {
    if (std::erase(rest, price) == 0) return nullptr;
    start[static_cast<std::size_t>(price)] = 0;
  }
  if (!contains(rest, Physical::page_start) && !contains(rest, Physical::spilled_start))
    std::erase_if(rest, [](Physical p) { return p == Physical::run_up || p == Physical::streams; });
  if (!contains(rest, Physical::write_back)) {
    if (contains(rest, Physical::spilled_start)) return nullptr;
    std::erase(rest, Physical::llc_share);
  }
  return attempt(full.residuals.request, start, rest);
}

/// Without what is missed least; null where everything is missed. Schwarz (1978): a parameter is worth the logarithm of
/// the number of points.
std::unique_ptr<Attempt> simplified(Attempt const& full, double scale) {
  std::vector<std::vector<Physical>> candidates{{Physical::page_start, Physical::spilled_start}};
  for (Physical price : prices_that_may_be_none) candidates.push_back({price});
  double const worth = std::log(static_cast<double>(full.residuals.request.points.size()));
  double const parameters = static_cast<double>(full.residuals.which.size());
  std::unique_ptr<Attempt> best;
  double least = 0;
  for (auto const& prices : candidates) {
    auto simpler = without(full, prices);
    if (!simpler) continue;
    double const fewer = parameters - static_cast<double>(simpler->residuals.which.size());
    double const worse = misfit(*simpler, scale) - misfit(full, scale) - worth * fewer;
    if (worse < least) {
      least = worse;
      best = std::move(simpler);
    }
  }
  return best;
}

bool enough(std::span<FitPoint const> points) {
  std::set<double> lengths;
  for (FitPoint const& p : points)
    for (StretchKind const& k : p.shape.stretches)
      if (k.count > 1 && k.length < p.shape.bytes && k.count * k.length > p.shape.bytes / 2) lengths.insert(k.length);
  return points.size() >= fewest_points && lengths.size() >= 3;
}

}  // namespace

std::optional<Fit> fit(FitRequest const& request) {
  if (!enough(request.points)) return std::nullopt;
  auto free = free_parameters(request.points);
  PhysicalValues start = first_guess(request);
  // What cannot be seen costs nothing, and no stream is lost that was never tried. With two footprints alone the
  // smaller is taken to fit: the price is then that of what is beyond it.
  for (Physical p : prices_that_may_be_none)
    if (!contains(free, p)) start[static_cast<std::size_t>(p)] = 0;
  if (!contains(free, Physical::llc_share))
    start[static_cast<std::size_t>(Physical::llc_share)] =
        std::ranges::min(request.points, {}, footprint_of).shape.footprint;
  auto best = best_attempt(request, start, free);
  double const scale = best->residuals.scale;
  std::vector<Physical> none;
  while (auto simpler = simplified(*best, scale)) {
    for (Physical p : best->residuals.which)
      if (!contains(simpler->residuals.which, p)) none.push_back(p);
    best = std::move(simpler);
  }
  if (!none.empty()) best = best_attempt(request, best->residuals.prices(best->x), best->residuals.which);
  Fit out;
  out.values = best->residuals.prices(best->x);
  out.points = request.points.size();
  describe_uncertainty(out, best->residuals, best->x, request.common_variance);
  for (FittedParameter& p : out.parameters) p.none = contains(none, p.which);
  return out;
}

}  // namespace folioscope
