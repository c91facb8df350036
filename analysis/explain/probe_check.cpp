// SPDX-License-Identifier: Apache-2.0
#include "explain/probe_check.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "stats/distributions.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

constexpr double wanted_right = 0.95;
constexpr std::size_t least_placements = 10;  ///< that must stay, or none is left out
constexpr std::size_t most_levels = 16;
constexpr std::string_view seen_as = " seen as ";

/// Whether a level, which may be several told as one, holds what was made in another.
bool holds_made(std::string_view level, std::string_view made) {
  std::string const all = "/" + std::string(level) + "/";
  return all.find("/" + std::string(made.substr(0, made.find('/'))) + "/") != std::string::npos;
}

/// Pages made in one level, by the label under which they were seen; "" where the record does not say which.
struct Made {
  std::string level;
  std::map<std::string, double> seen;
  double all() const {
    double n = 0;
    for (auto const& [label, count] : seen) n += count;
    return n;
  }
};
using Matrix = std::vector<Made>;

Made& row_of(Matrix& matrix, std::string const& level) {
  auto const it = std::ranges::find(matrix, level, &Made::level);
  return it != matrix.end() ? *it : matrix.emplace_back(Made{level, {}});
}

Matrix at_first(Campaign const& c) {
  Matrix matrix;
  std::map<std::string, double> pages;
  for (Point const& p : c.points) {
    auto const at = p.label.find(seen_as);
    if (p.series != "probe.confusion" || at == std::string::npos || !(p.x >= 0) || !(p.y >= 0) || p.y > 1) continue;
    std::string const made = p.label.substr(0, at);
    row_of(matrix, made).seen[p.label.substr(at + seen_as.size())] += p.x * p.y;
    pages[made] = p.x;
  }
  for (Made& made : matrix)  // what the record does not place was found nowhere
    if (double const missing = pages[made.level] - made.all(); missing > 1e-6 * pages[made.level])
      made.seen[""] += missing;
  return matrix;
}

Matrix in_placement(Placement const& placement) {
  Matrix matrix;
  Json const& probe = placement.evidence["probe"];
  double const samples = probe["samples"].as_number().value_or(0);
  for (Json const& row : probe["made_on_purpose"].items()) {
    auto const level = row["made"].as_string();
    auto const right = row["right"].as_number();
    if (!level || !right || !(samples > 0) || !(*right >= 0) || *right > 1) continue;
    Made& made = row_of(matrix, *level);
    if (row["seen"].members().empty()) {
      made.seen[*level] += *right * samples;
      made.seen[""] += (1 - *right) * samples;
    }
    for (auto const& [label, count] : row["seen"].members())
      if (double const n = count.as_number().value_or(0); n > 0) made.seen[label] += n;
  }
  return matrix;
}

/// Levels by the names that they count as.
class Groups {
 public:
  explicit Groups(std::vector<std::string> const& labels) {
    for (auto const& label : labels) groups_.push_back({label});
  }
  std::size_t size() const { return groups_.size(); }
  std::optional<std::size_t> of(std::string const& label) const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (std::ranges::find(groups_[g], label) != groups_[g].end()) return g;
    return std::nullopt;
  }
  std::optional<std::size_t> of_made(std::string const& made) const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (std::ranges::any_of(groups_[g], [&](auto const& label) { return holds_made(label, made); })) return g;
    return std::nullopt;
  }
  /// All from one to the other become one level.
  void merge(std::size_t from, std::size_t to) {
    for (std::size_t g = from + 1; g <= to; ++g)
      groups_[from].insert(groups_[from].end(), groups_[g].begin(), groups_[g].end());
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                  groups_.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  }
  std::string name(std::size_t g) const {
    std::string name;
    for (auto const& label : groups_[g]) name += (name.empty() ? "" : "/") + label;
    return name;
  }
  bool merged(std::size_t g) const { return groups_[g].size() > 1; }

  double right(Made const& made) const {
    double const all = made.all();
    auto const own = of_made(made.level);
    if (!own || !(all > 0)) return 1;
    double hits = 0;
    for (auto const& [label, n] : made.seen)
      if (of(label) == own || (label == made.level && own)) hits += n;
    return hits / all;
  }
  /// The level for which it was mistaken most often.
  std::optional<std::size_t> mistaken_for(Made const& made) const {
    auto const own = of_made(made.level);
    std::vector<double> counts(groups_.size());
    for (auto const& [label, n] : made.seen)
      if (auto const g = of(label); g && g != own) counts[*g] += n;
    auto const most = std::ranges::max_element(counts);
    if (most == counts.end() || !(*most > 0)) return std::nullopt;
    return static_cast<std::size_t>(most - counts.begin());
  }

 private:
  std::vector<std::vector<std::string>> groups_;
};

bool surely_lost(Groups const& groups, Matrix const& matrix) {
  return std::ranges::any_of(matrix, [&](Made const& made) {
    auto const all = static_cast<std::uint32_t>(std::lround(made.all()));
    auto const hits = static_cast<std::uint32_t>(std::lround(groups.right(made) * all));
    auto const ci = clopper_pearson(std::min(hits, all), all);
    return ci && ci->high < wanted_right;
  });
}

void add_matrix(Matrix& sum, Matrix const& more) {
  for (Made const& made : more)
    for (auto const& [label, n] : made.seen) row_of(sum, made.level).seen[label] += n;
}

/// Whether two levels became one.
bool merge_worst(Groups& groups, Matrix const& first, Matrix const& later) {
  Made const* worst = nullptr;
  for (Matrix const* matrix : {&first, &later})
    for (Made const& made : *matrix)
      if (groups.right(made) < wanted_right && groups.mistaken_for(made) &&
          (!worst || groups.right(made) < groups.right(*worst)))
        worst = &made;
  if (!worst) return false;
  auto const own = *groups.of_made(worst->level), other = *groups.mistaken_for(*worst);
  groups.merge(std::min(own, other), std::max(own, other));
  return true;
}

}  // namespace

ProbeCheck probe_check(Campaign const& c, std::size_t index) {
  ProbeCheck check;
  check.campaign = index;
  std::vector<std::string> labels;
  for (Point const& p : c.points)
    if (p.series == "probe.level" && labels.size() < most_levels && std::ranges::find(labels, p.label) == labels.end())
      labels.push_back(p.label);
  Groups groups(labels);
  Matrix const first = at_first(c);
  std::map<std::uint32_t, Matrix> placements;
  for (Placement const& placement : c.placements)
    if (Matrix matrix = in_placement(placement); !matrix.empty()) placements.emplace(placement.id, std::move(matrix));
  check.placements = static_cast<std::uint32_t>(placements.size());
  for (auto const& [id, matrix] : placements)
    if (surely_lost(groups, matrix)) check.left_out.insert(id);
  if (placements.size() - check.left_out.size() < least_placements) check.left_out.clear();
  Matrix later;
  for (auto const& [id, matrix] : placements)
    if (!check.left_out.contains(id)) add_matrix(later, matrix);
  while (groups.size() > 1 && merge_worst(groups, first, later)) {
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    check.levels.push_back(groups.name(g));
    if (groups.merged(g)) check.merged.push_back(groups.name(g));
  }
  for (auto const& label : labels) check.level_of[label] = groups.name(*groups.of(label));
  for (Made const& made : first) {
    auto const again = std::ranges::find(later, made.level, &Made::level);
    bool const there = again != later.end() && again->all() > 0;
    check.made.push_back({made.level, groups.right(made), there ? groups.right(*again) : 1,
                          there ? static_cast<std::uint32_t>(std::lround(again->all())) : 0});
    double const right = std::min(check.made.back().right, check.made.back().right_later);
    if (right < check.least_right || check.least_right_level.empty())
      check.least_right = right, check.least_right_level = made.level;
  }
  return check;
}

Json to_json(ProbeCheck const& c) {
  Json levels = Json::array(), made = Json::array(), merged = Json::array();
  for (auto const& level : c.levels) levels.push(level);
  for (auto const& level : c.merged) merged.push(level);
  for (MadeOnPurpose const& m : c.made)
    made.push(Json::object({{"level", m.level},
                            {"right", m.right},
                            {"right_later", m.pages_later ? Json(m.right_later) : Json()},
                            {"pages_later", m.pages_later}}));
  return Json::object({{"campaign", c.campaign},
                       {"levels", std::move(levels)},
                       {"least_right", c.least_right},
                       {"least_right_level", c.least_right_level},
                       {"made_on_purpose", std::move(made)},
                       {"merged", std::move(merged)},
                       {"placements", c.placements},
                       {"placements_left_out", c.left_out.size()}});
}

std::string least_right_words(ProbeCheck const& check) {
  return fixed(std::floor(1000 * check.least_right) / 10, 1) + " %";
}

std::vector<LevelShare> level_shares(Campaign const& campaign, ProbeCheck const& check,
                                     std::span<double const> per_line_ns) {
  if (check.levels.empty() || per_line_ns.empty()) return {};
  std::vector<Point const*> scale;
  for (Point const& p : campaign.points)
    if (p.series == "probe.level" && check.level_of.contains(p.label)) scale.push_back(&p);
  std::map<std::string, std::uint32_t> hits;
  for (double const ns : per_line_ns) {
    // Of the last level the bound is no number: nothing is below it, and what is left belongs to it.
    auto const at = std::ranges::find_if(scale, [&](Point const* level) { return ns < level->x; });
    ++hits[check.level_of.at(at == scale.end() ? scale.back()->label : (*at)->label)];
  }
  std::vector<LevelShare> shares;
  auto const all = static_cast<std::uint32_t>(per_line_ns.size());
  for (std::string const& level : check.levels)
    shares.push_back({level, hits[level] / static_cast<double>(all), clopper_pearson(hits[level], all)});
  return shares;
}

}  // namespace folioscope
