// SPDX-License-Identifier: Apache-2.0
#include "stats/runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace folioscope {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct KnownBlock {
  std::uint32_t id = 0;
  std::uint32_t placement = 0;  ///< by rank
  std::uint32_t placement_id = 0;
};

/// Ids come from a file: they are looked up, never used as sizes.
std::vector<KnownBlock> known_blocks(Campaign const& campaign, std::uint32_t& placements) {
  std::map<std::uint32_t, std::uint32_t> order;
  for (Block const& b : campaign.blocks) order.emplace(b.placement, 0);
  placements = 0;
  for (auto& [id, place] : order) place = placements++;
  std::vector<KnownBlock> blocks;
  blocks.reserve(campaign.blocks.size());
  for (Block const& b : campaign.blocks) blocks.push_back({b.id, order[b.placement], b.placement});
  std::ranges::stable_sort(blocks, {}, &KnownBlock::id);
  return blocks;
}

double log_time(Sample const& s) {
  double const ns = s.wall.value / std::max<std::uint32_t>(1, s.copies);
  return ns > 0 && std::isfinite(ns) ? std::log(ns) : missing;
}

/// Groups `values` (in placement order) by placement and keeps each group's median.
class Medians {
 public:
  void add(std::uint32_t placement, double value) {
    if (!std::isfinite(value)) return;
    if (!group_.empty() && placement != placement_) close();
    placement_ = placement;
    group_.push_back(value);
  }
  std::vector<Runs::Placed> finish() {
    if (!group_.empty()) close();
    return std::move(medians_);
  }

 private:
  void close() {
    medians_.push_back({placement_, median_of(group_)});
    group_.clear();
  }
  std::vector<double> group_;
  std::uint32_t placement_ = 0;
  std::vector<Runs::Placed> medians_;
};

std::vector<double> values_of(std::vector<Runs::Placed> const& placed) {
  std::vector<double> values;
  values.reserve(placed.size());
  for (auto const& p : placed) values.push_back(p.log);
  return values;
}

}  // namespace

double median_of(std::span<double> values) {
  if (values.empty()) return missing;
  std::ranges::sort(values);
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Runs::Runs(Campaign const& campaign) {
  auto const blocks = known_blocks(campaign, placements_);
  std::size_t const cells = campaign.plan.cells.size();
  begin_.assign(cells + 1, 0);
  auto const timed = [&](Sample const& s) { return s.cell < cells && s.arm != Arm::counted; };
  for (Sample const& s : campaign.samples)
    if (timed(s)) ++begin_[s.cell + 1];
  for (std::size_t c = 0; c < cells; ++c) begin_[c + 1] += begin_[c];

  // A cell refused within a placement (its backing was lost) measured something else there.
  std::set<std::pair<std::uint32_t, std::uint32_t>> lost;
  for (RefusedCell const& r : campaign.refused) lost.emplace(r.cell, r.placement);

  std::vector<Run> all(begin_[cells]);
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (Sample const& s : campaign.samples) {
    if (!timed(s)) continue;
    auto const block = std::ranges::lower_bound(blocks, s.block, {}, &KnownBlock::id);
    bool const known = block != blocks.end() && block->id == s.block;
    bool const kept = known && !lost.contains({s.cell, block->placement_id});
    double const log = kept ? log_time(s) : missing;
    all[next[s.cell]++] = {static_cast<std::uint32_t>(block - blocks.begin()), known ? block->placement : 0,
                           s.arm == Arm::first ? log : missing, s.arm == Arm::again ? log : missing};
  }
  // Joins the two runs of a block; of two samples with one name the later counts.
  std::vector<std::size_t> begin(cells + 1, 0);
  for (std::size_t c = 0; c < cells; ++c) {
    std::span<Run> const mine(all.data() + begin_[c], begin_[c + 1] - begin_[c]);
    std::ranges::stable_sort(mine, {}, [](Run const& r) { return std::pair(r.placement, r.block); });
    for (Run const& r : mine) {
      if (!std::isfinite(r.first) && !std::isfinite(r.again)) continue;
      if (runs_.size() > begin[c] && runs_.back().block == r.block) {
        if (std::isfinite(r.first)) runs_.back().first = r.first;
        if (std::isfinite(r.again)) runs_.back().again = r.again;
      } else {
        runs_.push_back(r);
      }
    }
    begin[c + 1] = runs_.size();
  }
  begin_ = std::move(begin);
}

std::span<Runs::Run const> Runs::runs_of(std::uint32_t cell) const {
  if (cell + std::size_t{1} >= begin_.size()) return {};
  return {runs_.data() + begin_[cell], begin_[cell + 1] - begin_[cell]};
}

std::vector<double> Runs::log_ratios(std::uint32_t cell, std::uint32_t reference) const {
  auto const a = runs_of(cell);
  auto const b = runs_of(reference);
  Medians medians;
  auto base = b.begin();
  for (Run const& r : a) {
    auto const before = [](Run const& x, Run const& y) {
      return std::pair(x.placement, x.block) < std::pair(y.placement, y.block);
    };
    while (base != b.end() && before(*base, r)) ++base;
    if (base == b.end()) break;
    if (base->block == r.block) medians.add(r.placement, r.first - base->first);
  }
  return values_of(medians.finish());
}

std::vector<double> Runs::log_products(std::span<Term const> terms) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, std::size_t>> blocks;  // by placement and block
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (Run const& r : runs_of(terms[i].cell)) {
      auto& [sum, seen] = blocks[{r.placement, r.block}];
      if (seen != i || !std::isfinite(r.first)) continue;
      sum += terms[i].power * r.first;
      ++seen;
    }
  Medians medians;
  for (auto const& [at, entry] : blocks)
    if (entry.second == terms.size()) medians.add(at.first, entry.first);
  return values_of(medians.finish());
}

std::vector<double> Runs::aa_log_ratios(std::uint32_t cell) const {
  Medians medians;
  for (Run const& r : runs_of(cell)) medians.add(r.placement, r.again - r.first);
  return values_of(medians.finish());
}

std::vector<Runs::Placed> Runs::placed_log_times(std::uint32_t cell) const {
  Medians medians;
  for (Run const& r : runs_of(cell)) medians.add(r.placement, std::isfinite(r.first) ? r.first : r.again);
  return medians.finish();
}

std::vector<double> Runs::log_times(std::uint32_t cell) const { return values_of(placed_log_times(cell)); }

std::optional<Nanoseconds> Runs::time(std::uint32_t cell) const {
  auto logs = log_times(cell);
  if (logs.empty()) return std::nullopt;
  return Nanoseconds(std::exp(median_of(logs)));
}

}  // namespace folioscope
