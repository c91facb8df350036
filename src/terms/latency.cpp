// SPDX-License-Identifier: Apache-2.0
// Finds plateaus by the cheapest cover of the curve with constants, in log latency. A point costs its distance from its
// segment's median, but never more than `far`: ramps between levels and outliers belong nowhere and cost the same
// wherever they lie. A segment costs as much as two such points, so that it takes at least three on a plateau to make
// one.
#include "terms/latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace folioscope {
namespace {

/// No hardware known has levels closer than a factor of 2; noise and drift (nested translation in a virtual machine)
/// make smaller ones.
double const kSeparable = std::log(1.7);
double const kFar = kSeparable;
double const kSegment = 2 * kFar;
/// As far as one level's own latency goes up with the size of the set; from a last cache to memory it is more.
double const kWanders = std::log(2.5);
/// Where a plateau ends: past its own drift, and well before the next level.
double const kEdge = std::log(1.4);

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  double log_latency = 0;  ///< median of the points that are near the segment's median
};

class Cover {
 public:
  explicit Cover(std::span<LatencyPoint const> curve) {
    for (auto const& point : curve) log_.push_back(std::log(point.per_load.value));
  }

  std::vector<Segment> cheapest() const {
    auto const n = log_.size();
    std::vector<double> cost(n + 1, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> from(n + 1, 0);
    cost[0] = 0;
    for (std::size_t end = 1; end <= n; ++end)
      for (std::size_t begin = 0; begin < end; ++begin) {
        auto const total = cost[begin] + kSegment + loss(begin, end);
        if (total < cost[end]) {
          cost[end] = total;
          from[end] = begin;
        }
      }
    std::vector<Segment> segments;
    for (auto end = n; end > 0; end = from[end]) segments.push_back(segment(from[end], end));
    std::reverse(segments.begin(), segments.end());
    return segments;
  }

  Segment segment(std::size_t begin, std::size_t end) const {
    auto const middle = median({at(begin), at(end)});
    std::vector<double> near;
    for (auto i = begin; i < end; ++i)
      if (std::abs(log_[i] - middle) <= kFar) near.push_back(log_[i]);
    return {begin, end, median(near)};
  }

  /// One past the last point of the segment that is still on its plateau.
  std::size_t plateau_end(Segment const& s) const {
    auto end = s.end;
    while (end > s.begin + 1 && log_[end - 1] - s.log_latency > kEdge) --end;
    return end;
  }

  double operator[](std::size_t i) const { return log_[i]; }
  std::size_t size() const { return log_.size(); }

 private:
  std::vector<double>::const_iterator at(std::size_t i) const { return log_.begin() + static_cast<std::ptrdiff_t>(i); }
  double loss(std::size_t begin, std::size_t end) const {
    auto const middle = median({at(begin), at(end)});
    double sum = 0;
    for (auto i = begin; i < end; ++i) sum += std::min(kFar, std::abs(log_[i] - middle));
    return sum;
  }
  std::vector<double> log_;
};

std::size_t closest_step(std::vector<Segment> const& segments) {
  std::size_t closest = 1;
  auto const step = [&](std::size_t i) { return segments[i].log_latency - segments[i - 1].log_latency; };
  for (std::size_t i = 2; i < segments.size(); ++i)
    if (step(i) < step(closest)) closest = i;
  return closest;
}

/// Joins the closest neighbours until every level is separable from the next, and no later one is faster.
void merge_inseparable(std::vector<Segment>& segments, Cover const& cover) {
  while (segments.size() > 1) {
    auto const closest = closest_step(segments);
    if (segments[closest].log_latency - segments[closest - 1].log_latency >= kSeparable) return;
    segments[closest - 1] = cover.segment(segments[closest - 1].begin, segments[closest].end);
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(closest));
  }
}

/// Where more levels are seen than told, those that are close are one that wanders: a cache that others use, too, or
/// memory with pages that are far to walk to. (Fewer may be told than there are: some hypervisors hide the last cache,
/// but memory beyond it is many times slower.)
void merge_untold(std::vector<Segment>& segments, Cover const& cover, unsigned told) {
  while (told > 0 && segments.size() > told + 1) {
    auto const closest = closest_step(segments);
    Segment const nearer = segments[closest - 1];
    if (segments[closest].log_latency - nearer.log_latency >= kWanders) return;
    bool const of_memory = closest + 1 == segments.size();
    segments[closest - 1] = cover.segment(nearer.begin, segments[closest].end);
    if (of_memory) segments[closest - 1].log_latency = nearer.log_latency;
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(closest));
  }
}

/// A curve that ends on a ramp has seen memory's nearer side: a lower bound of its latency is better than calling a
/// cache memory.
void add_unfinished_ramp(std::vector<Segment>& segments, Cover const& cover) {
  auto const n = cover.size();
  auto& last = segments.back();
  auto const beyond = [&](std::size_t i) { return cover[i] - last.log_latency > kSeparable; };
  if (n < last.begin + 3 || !beyond(n - 1) || !beyond(n - 2)) return;
  last.end = n - 1;
  segments.push_back({n - 1, n, cover[n - 1]});
}

}  // namespace

std::vector<LatencyLevel> latency_levels(std::span<LatencyPoint const> curve, ToldCaches told) {
  std::vector<LatencyPoint> points;
  for (auto const& point : curve)
    if (std::isfinite(point.per_load.value) && point.per_load.value > 0) points.push_back(point);
  std::sort(points.begin(), points.end(), [](auto const& a, auto const& b) { return a.size < b.size; });
  if (points.empty()) return {};
  Cover const cover(points);
  auto segments = cover.cheapest();
  merge_inseparable(segments, cover);
  add_unfinished_ramp(segments, cover);
  merge_untold(segments, cover, told.levels);
  std::vector<LatencyLevel> levels;
  for (auto const& s : segments) {
    bool const last = &s == &segments.back();
    levels.push_back({last ? "memory" : "L" + std::to_string(levels.size() + 1),
                      last ? points.back().size : points[cover.plateau_end(s) - 1].size,
                      Nanoseconds(std::exp(s.log_latency))});
  }
  // Memory's latency wanders, too: with pages that are far to walk to, and with what others do meanwhile.
  auto const beyond = [&](LatencyLevel const& level) { return level.up_to.value > 2 * told.largest.value; };
  while (told.largest.value > 0 && levels.size() > 1 && beyond(levels[levels.size() - 2])) {
    levels.back().latency = levels[levels.size() - 2].latency;
    levels.erase(levels.end() - 2);
  }
  for (auto hidden = levels.size(); levels.size() > 1 && hidden <= told.levels; ++hidden)
    levels[levels.size() - 2].name += "/L" + std::to_string(hidden);
  return levels;
}

}  // namespace folioscope
