// SPDX-License-Identifier: Apache-2.0
#include "probe/scale.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string_view>

namespace folioscope {
namespace {

/// Of samples that the cut was not made from; 5 % is what is promised.
constexpr double most_mistaken = 0.035;
constexpr std::size_t folds = 4, fold_run = 8;  ///< runs of samples stay together: they were made together
constexpr std::size_t least_folded = 64;
constexpr double beyond_all = std::numeric_limits<double>::infinity();

double middle_of(std::vector<double> values) {
  assert(!values.empty());
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Cut {
  double at = 0;
  double mistaken = 1;  ///< the larger of both sides' shares
};

/// The cut between two sets of samples that mistakes fewest, by the worse of both shares; in the middle of the gap, in
/// ratio, where it can be anywhere in it.
Cut best_cut(std::vector<double> near, std::vector<double> far) {
  std::ranges::sort(near);
  std::ranges::sort(far);
  std::vector<double> all = near;
  all.insert(all.end(), far.begin(), far.end());
  std::ranges::sort(all);
  Cut best;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] == all[i - 1]) continue;
    auto const above = near.end() - std::ranges::lower_bound(near, all[i]);
    auto const below = std::ranges::lower_bound(far, all[i]) - far.begin();
    double const mistaken = std::max(static_cast<double>(above) / static_cast<double>(near.size()),
                                     static_cast<double>(below) / static_cast<double>(far.size()));
    if (mistaken < best.mistaken) best = {all[i - 1] > 0 ? std::sqrt(all[i - 1] * all[i]) : all[i] / 2, mistaken};
  }
  return best;
}

/// The samples of one fold, or all others.
std::vector<double> fold_of(std::vector<double> const& all, std::size_t fold, bool others) {
  std::vector<double> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((i / fold_run % folds == fold) != others) some.push_back(all[i]);
  return some;
}

/// The best cut of all samples; its mistakes are those of cuts made without the samples that they are tried on, for the
/// best cut of few samples looks better than it is.
Cut tried_cut(std::vector<double> const& near, std::vector<double> const& far) {
  Cut cut = best_cut(near, far);
  if (near.size() < least_folded || far.size() < least_folded) return cut;
  std::size_t above = 0, below = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    Cut const other = best_cut(fold_of(near, fold, true), fold_of(far, fold, true));
    for (double const ns : fold_of(near, fold, false)) above += ns >= other.at;
    for (double const ns : fold_of(far, fold, false)) below += ns < other.at;
  }
  cut.mistaken = std::max({cut.mistaken, static_cast<double>(above) / static_cast<double>(near.size()),
                           static_cast<double>(below) / static_cast<double>(far.size())});
  return cut;
}

struct Rung {
  std::string name, nearest, farthest;
  std::vector<double> ns;
};

void merge_into_one_before(std::vector<Rung>& rungs, std::size_t i) {
  Rung& into = rungs[i - 1];
  into.name += "/" + rungs[i].name;
  into.farthest = rungs[i].farthest;
  into.ns.insert(into.ns.end(), rungs[i].ns.begin(), rungs[i].ns.end());
  rungs.erase(rungs.begin() + static_cast<std::ptrdiff_t>(i));
}

std::vector<Rung> rungs_of(std::span<MadeLevel const> made) {
  std::vector<Rung> rungs;
  for (MadeLevel const& level : made) {
    rungs.push_back({level.name, level.name, level.name, level.ns});
    std::erase_if(rungs.back().ns, [](double ns) { return !std::isfinite(ns) || ns < 0; });
    if (rungs.size() > 1 && rungs.back().ns.empty()) merge_into_one_before(rungs, rungs.size() - 1);
  }
  if (rungs.size() > 1 && rungs.front().ns.empty()) merge_into_one_before(rungs, 1);
  return rungs;
}

}  // namespace

std::size_t Scale::level_of(Nanoseconds per_line) const {
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    if (per_line < levels[i].up_to) return i;
  return levels.empty() ? 0 : levels.size() - 1;
}

std::optional<Nanoseconds> Scale::memory_from() const {
  if (levels.size() < 2 || !levels.back().is_memory) return std::nullopt;
  return levels[levels.size() - 2].up_to;
}

bool Scale::holds(std::size_t level, std::string_view made) const {
  std::string_view name = levels[level].name;
  made = made.substr(0, made.find('/'));  // of several that are one level to the curve the first stands for all
  while (!name.empty()) {
    auto const slash = std::min(name.find('/'), name.size());
    if (name.substr(0, slash) == made) return true;
    name.remove_prefix(std::min(slash + 1, name.size()));
  }
  return false;
}

Scale scale_of(std::span<MadeLevel const> made) {
  auto rungs = rungs_of(made);
  if (rungs.empty() || rungs.front().ns.empty()) return {};
  std::vector<Cut> cuts;
  // The worst pair first: what is merged there may be told from the next level well enough.
  while (true) {
    cuts.clear();
    for (std::size_t i = 1; i < rungs.size(); ++i) cuts.push_back(tried_cut(rungs[i - 1].ns, rungs[i].ns));
    auto const worst = std::ranges::max_element(cuts, {}, &Cut::mistaken);
    if (worst == cuts.end() || worst->mistaken <= most_mistaken) break;
    merge_into_one_before(rungs, static_cast<std::size_t>(worst - cuts.begin()) + 1);
  }
  // Cuts ascend, or a level between two would hold nothing that is looked for in it.
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (!(cuts[i].at > cuts[i - 1].at)) {
      merge_into_one_before(rungs, i + 1);
      cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(i--));
    }
  Scale scale;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    bool const last = i + 1 == rungs.size();
    double below = beyond_all;
    if (!last) below = cuts[i].at;
    scale.levels.push_back({rungs[i].name, Nanoseconds(middle_of(rungs[i].ns)), Nanoseconds(below), rungs[i].nearest,
                            last && i > 0 && rungs[i].name == rungs[i].nearest});
  }
  return scale;
}

Scale scale_of(std::span<LatencyLevel const> levels) {
  Scale scale;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    bool const last = i + 1 == levels.size();
    double const cut = last ? beyond_all : std::sqrt(levels[i].latency.value * levels[i + 1].latency.value);
    scale.levels.push_back({levels[i].name, levels[i].latency, Nanoseconds(cut), levels[i].name, last && i > 0});
  }
  return scale;
}

std::vector<ConfusionRow> confusion(Scale const& scale, std::span<MadeLevel const> made) {
  std::vector<ConfusionRow> rows;
  for (MadeLevel const& level : made) {
    ConfusionRow row{level.name, std::vector<unsigned>(scale.levels.size()), 0};
    unsigned right = 0;
    for (double ns : level.ns) {
      auto const seen = scale.level_of(Nanoseconds(ns));
      ++row.seen[seen];
      if (scale.holds(seen, level.name)) ++right;
    }
    if (!level.ns.empty()) row.right = right / static_cast<double>(level.ns.size());
    rows.push_back(std::move(row));
  }
  return rows;
}

Nanoseconds quantised(Nanoseconds span, Nanoseconds tick, Random& random) {
  if (!(tick.value > 0)) return span;
  double const phase = static_cast<double>(random() >> 11) / 9007199254740992.0;  // in [0, 1)
  return Nanoseconds(std::floor(span.value / tick.value + phase) * tick.value);
}

}  // namespace folioscope
