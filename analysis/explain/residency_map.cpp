// SPDX-License-Identifier: Apache-2.0
#include "explain/residency_map.hpp"

#include <algorithm>
#include <bit>

namespace folioscope {
namespace {

constexpr double most_of_a_page = 0.5;

/// By level, then placement.
using LevelCounts = std::vector<std::vector<Hits>>;

struct SeenBin {
  LevelCounts counts;
  std::string where = not_looked_at;
};

std::size_t most_frequent(LevelCounts const& counts) {
  std::size_t best = 0;
  std::uint64_t most = 0;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    std::uint64_t hits = 0;
    for (Hits const& h : counts[l]) hits += h.hits;
    if (hits > most) best = l, most = hits;
  }
  return best;
}

void add_to(LevelCounts& sum, LevelCounts const& more) {
  if (sum.empty()) sum = LevelCounts(more.size(), std::vector<Hits>(more.empty() ? 0 : more.front().size()));
  for (std::size_t l = 0; l < more.size(); ++l)
    for (std::size_t p = 0; p < more[l].size(); ++p) {
      sum[l][p].hits += more[l][p].hits;
      sum[l][p].of += more[l][p].of;
    }
}

std::uint32_t samples_in(LevelCounts const& counts) {
  std::uint32_t all = 0;
  if (!counts.empty())
    for (Hits const& h : counts.front()) all += h.of;
  return all;
}

/// Bins alike, joined: their counts together give the interval of the stretch.
std::vector<ResidencyStretch> stretches_of(std::vector<SeenBin> const& bins, ResidencyMap const& map) {
  std::vector<ResidencyStretch> out;
  for (std::size_t begin = 0, end = 0; begin < bins.size(); begin = end) {
    ResidencyStretch stretch;
    stretch.where = bins[begin].where;
    LevelCounts sum;
    for (; end < bins.size() && bins[end].where == stretch.where; ++end) add_to(sum, bins[end].counts);
    auto const count = static_cast<std::uint64_t>(bins.size());
    stretch.first_page = (begin * map.pages + count - 1) / count;
    stretch.last_page = (end * map.pages + count - 1) / count - 1;
    stretch.samples = samples_in(sum);
    if (stretch.samples > 0) {
      auto const most = most_frequent(sum);
      stretch.most = map.levels[most];
      stretch.share = mean_share(sum[most]);
    }
    out.push_back(std::move(stretch));
  }
  return out;
}

}  // namespace

std::size_t ResidencyMap::bins_seen() const {
  return static_cast<std::size_t>(std::ranges::count_if(samples, [](std::uint32_t n) { return n > 0; }));
}

ResidencyMap residency_map(PointsOfCell const& cell, std::uint64_t pages, std::uint64_t most_bins,
                           std::vector<std::string> const& levels) {
  ResidencyMap map;
  map.cell = cell.cell();
  map.pages = pages;
  map.levels = levels;
  auto const fit = std::bit_floor(std::max<std::uint64_t>(1, cell.points.size()));
  auto const count = std::min({std::bit_floor(std::max<std::uint64_t>(1, pages)), most_bins, fit});
  map.pages_a_bin = std::max<std::uint64_t>(1, pages / count);
  std::vector<SeenBin> bins(count);
  for (SeenBin& bin : bins) bin.counts.assign(levels.size(), std::vector<Hits>(cell.placements.size()));
  for (PlacedPoint const& p : cell.points) {
    auto const level = std::ranges::find(levels, p.point->label);
    if (level == levels.end() || p.point->x < 0 || p.point->x >= static_cast<double>(pages)) continue;
    auto& counts = bins[static_cast<std::uint64_t>(p.point->x) * count / pages].counts;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      Hits& hits = counts[l][cell.at(p.placement)];
      ++hits.of;
      hits.hits += l == static_cast<std::size_t>(level - levels.begin());
    }
  }
  map.share.resize(levels.size());
  for (SeenBin& bin : bins) {
    map.samples.push_back(samples_in(bin.counts));
    if (map.samples.back() > 0) bin.where = mixed_levels;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      map.share[l].push_back(mean_share(bin.counts[l]));
      Mean const& share = map.share[l].back();
      if (share.ci && share.ci->low > most_of_a_page) bin.where = levels[l];
    }
  }
  map.stretches = stretches_of(bins, map);
  return map;
}

}  // namespace folioscope
