// SPDX-License-Identifier: Apache-2.0
// The shapes that Linux's orders give the curve of fault time against the page touched first. Target-last: page 0 first
// is a pure descent, the middle two streams, the last page a pure ascent, and between these the shares change linearly:
// two straight lines that meet in the middle. Sequential and neighbourhood-last clear alike whatever is touched: flat.
#include <algorithm>
#include <cmath>

#include "explain/fault_order.hpp"
#include "stats/distributions.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace {

constexpr Word<Recognised> words[] = {{Recognised::target_last, "target_last"},
                                      {Recognised::sequential, "sequential"},
                                      {Recognised::neighbourhood_last, "neighbourhood_last"},
                                      {Recognised::other, "other"},
                                      {Recognised::cannot_tell, "cannot_tell"}};
constexpr double significance = 0.05;
// A difference that no order of a whole huge page is known to stay under where order matters at all.
constexpr double flat_within = 0.05;
constexpr double shape_explains = 0.85;  ///< of the variance, at least, or all but noise
constexpr double noise_alone = 2.5;      ///< mean squared residual in squared standard errors that noise may give
constexpr double far_apart = 2;          ///< latencies of different cache levels
constexpr std::size_t fewest_points = 9;
constexpr std::uint32_t fewest_looks = 10;
constexpr std::uint32_t fewest_placements = 10;

enum class Shape { fits, noise_hides_it, does_not_fit };

double standard_error(Estimate const& e) {
  return (std::log(e.ci->high) - std::log(e.ci->low)) / (2 * student_quantile(0.975, e.n - 1.0));
}

/// Holds the curve against the best pair of lines that meet in the middle.
Shape two_lines(std::span<FaultPoint const> curve, std::uint64_t pages) {
  std::vector<std::vector<double>> shares;  // of descent, two streams, ascent
  std::vector<double> y;
  double mean = 0;
  for (FaultPoint const& p : curve) {
    double const x = 2.0 * static_cast<double>(p.index) / static_cast<double>(pages);
    shares.push_back(x <= 1 ? std::vector{1 - x, x, 0.0} : std::vector{0.0, 2 - x, x - 1});
    y.push_back(std::log(p.against_first.ratio));
    mean += y.back() / static_cast<double>(curve.size());
  }
  auto const fitted = fit_shapes(shares, y);
  if (!fitted) return Shape::does_not_fit;
  double left = 0, all = 0, in_errors = 0, judged = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    double const off = y[i] - (*fitted)[i];
    left += off * off;
    all += (y[i] - mean) * (y[i] - mean);
    if (!curve[i].against_first.ci) continue;
    double const error = standard_error(curve[i].against_first);
    if (error > 0) in_errors += off * off / (error * error);
    ++judged;
  }
  if (left <= (1 - shape_explains) * all) return Shape::fits;
  return in_errors <= noise_alone * judged ? Shape::noise_hides_it : Shape::does_not_fit;
}

bool lies_within(Interval const& ratio, double log_band) {
  return std::log(ratio.low) >= -log_band && std::log(ratio.high) <= log_band;
}

Recognition found(Recognised what, std::string why) { return {what, {to_string(what)}, std::move(why)}; }

Recognition undecided(std::vector<Recognised> const& candidates, std::string why) {
  Recognition r;
  for (Recognised c : candidates) r.candidates.push_back(to_string(c));
  r.why = std::move(why);
  return r;
}

/// What is near after a fault at page 0 was cleared last; cannot_tell where that shows nothing.
Recognised from_witness(WitnessSeen const& w) {
  using enum Recognised;
  if (w.looks < fewest_looks) return cannot_tell;
  double const least = std::max(w.cached_ns, 1.0);  // a clock of coarse ticks may show 0
  double const near = std::max(w.near_ns, least), last = std::max(w.last_ns, least);
  if (w.cold_ns < far_apart * least) return cannot_tell;  // the clock cannot tell a cache from memory
  if (near > far_apart * last) return sequential;
  if (last > far_apart * near) return target_last;
  if (far_apart * near < w.cold_ns && far_apart * last < w.cold_ns) return neighbourhood_last;
  return cannot_tell;
}

}  // namespace

std::string to_string(Recognised recognised) { return word_of(words, recognised); }

Recognition recognise(std::span<FaultPoint const> curve, std::uint64_t pages, std::span<Estimate const> quarters,
                      std::optional<WitnessSeen> const& witness, double delta) {
  using enum Recognised;
  if (curve.size() < fewest_points)
    return undecided({target_last, sequential, neighbourhood_last, other}, "too few pages were touched first");
  double const counts = std::log1p(delta), band = std::log1p(std::max(delta, flat_within));
  bool flat = true, nearly = true, differs = false;
  for (FaultPoint const& p : curve) {
    if (p.index == 0) continue;
    Estimate const& e = p.against_first;
    if (!e.ci || !e.ci90 || e.n < fewest_placements)
      return undecided({target_last, sequential, neighbourhood_last, other}, "fewer than 10 placements");
    flat = flat && lies_within(*e.ci90, band);
    nearly = nearly && std::fabs(std::log(e.ratio)) <= band && lies_within(*e.ci90, 2 * band);
    differs = differs || (p.p_holm < significance && std::fabs(std::log(e.ratio)) >= counts);
  }
  // No known order singles out a page or two, so quarters of the folio may tell what each page is too noisy for.
  flat = flat || (nearly && !differs && !quarters.empty() && std::ranges::all_of(quarters, [&](Estimate const& e) {
                    return e.ci90 && e.n >= fewest_placements && lies_within(*e.ci90, band);
                  }));
  Recognised const seen = witness ? from_witness(*witness) : cannot_tell;
  if (differs && !flat) {
    Shape const shape = two_lines(curve, pages);
    if (shape == Shape::noise_hides_it)
      return undecided({target_last, other}, "the time depends on the page touched first, and noise hides how");
    if (shape == Shape::does_not_fit)
      return found(other, "the time depends on the page touched first, and not as any known order would make it");
    if (seen == sequential)
      return found(other, "the times follow target-last, and the lines near after a fault do not");
    return found(target_last, "two straight lines that meet where the middle page is touched first");
  }
  if (!flat && seen != cannot_tell)
    return undecided({seen, other},
                     "the intervals are too wide to tell whether the page touched first makes a "
                     "difference; the lines near after a fault fit " +
                         to_string(seen));
  if (!flat) return undecided({target_last, sequential, neighbourhood_last, other}, "the intervals are too wide");
  if (seen != cannot_tell)
    return found(seen, "the page touched first makes no difference in time; the lines near after a fault tell");
  return undecided(
      {target_last, sequential, neighbourhood_last},
      "the page touched first makes no difference, and the lines near after a fault do not tell the orders apart");
}

}  // namespace folioscope
