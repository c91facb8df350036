// SPDX-License-Identifier: Apache-2.0
#include "explain/counts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "stats/distributions.hpp"

namespace folioscope {
namespace {

constexpr double usual_line = 64;

double line_bytes(Campaign const& c) {
  for (Fact const& f : c.facts.all())
    if (f.key.starts_with(fact::cache_prefix) && f.key.ends_with(".line_bytes"))
      if (auto const n = f.value.as_number(); n && *n > 0) return *n;
  return usual_line;
}

CountEstimate over_placements(std::vector<double> const& values) {
  CountEstimate e;
  e.n = static_cast<std::uint32_t>(values.size());
  for (double v : values) e.mean += v / static_cast<double>(values.size());
  if (e.n < 2) return e;
  double squares = 0;
  for (double v : values) squares += (v - e.mean) * (v - e.mean);
  double const half = student_quantile(0.975, e.n - 1) * std::sqrt(squares / (e.n - 1) / e.n);
  e.ci = Interval{std::max(0.0, e.mean - half), e.mean + half};  // a count is not below 0
  return e;
}

/// An event as the record defines it and as it was found on that machine.
struct Defined {
  std::string level;
  std::optional<double> trust;
};

struct Ratio {
  std::string group, metric, unit;
  std::vector<std::pair<double, std::string>> of, per;  ///< an empty `per`: the lines cleared
};

std::vector<std::pair<double, std::string>> terms_of(Json const& list) {
  std::vector<std::pair<double, std::string>> out;
  for (Json const& item : list.items()) {
    auto const text = item.as_string().value_or("");
    auto const star = text.find('*');
    // Hostile records hold anything: what is no number multiplies by 0 and so never becomes a figure.
    double const factor = star == std::string::npos ? 1 : std::strtod(text.c_str(), nullptr);
    out.emplace_back(factor, star == std::string::npos ? text : text.substr(star + 1));
  }
  if (out.size() == 1 && out.front().second == "line") out.clear();
  return out;
}

class Definitions {
 public:
  explicit Definitions(Json const& groups) {
    for (Json const& g : groups.items()) {
      auto const id = g["group"].as_string().value_or("");
      known_.insert(id);
      for (Json const& e : g["events"].items())
        events_[{id, e["name"].as_string().value_or("")}].level = e["level"].as_string().value_or("");
      for (Json const& found : g["found"].items())
        events_[{id, found["name"].as_string().value_or("")}].trust = found["trust"].as_number();
      for (Json const& m : g["metrics"].items()) {
        Ratio r{id, m["name"].as_string().value_or(""), m["unit"].as_string().value_or(""), terms_of(m["of"]),
                terms_of(m["per"])};
        if (!r.of.empty()) ratios_.push_back(std::move(r));
      }
    }
  }
  Defined const* find(std::string const& group, std::string const& event) const {
    auto const it = events_.find({group, event});
    return it == events_.end() ? nullptr : &it->second;
  }
  bool knows(std::string const& group) const { return known_.contains(group); }
  std::vector<Ratio> const& ratios() const { return ratios_; }

 private:
  std::set<std::string> known_;
  std::map<std::pair<std::string, std::string>, Defined> events_;
  std::vector<Ratio> ratios_;
};

/// Linux's own events count faults and switches, not lines.
bool is_software(std::string const& group) { return group == "software" || group.starts_with("software/"); }

/// Means per pass of one copy, by cell, group, event and scope, then placement.
struct Counted {
  using Key = std::tuple<std::uint32_t, std::string, std::string, std::string>;
  std::map<Key, std::map<std::uint32_t, std::pair<double, std::uint32_t>>> sums;

  std::optional<double> mean(Key const& key, std::uint32_t placement) const {
    auto const event = sums.find(key);
    if (event == sums.end()) return std::nullopt;
    auto const sum = event->second.find(placement);
    if (sum == event->second.end()) return std::nullopt;
    return sum->second.first / sum->second.second;
  }
};

Counted sums_of(Campaign const& c) {
  Counted out;
  std::map<std::uint32_t, std::uint32_t> placement_of;
  for (Block const& b : c.blocks) placement_of[b.id] = b.placement;
  // A counted pass clears as many copies as the timed ones of its cell in that block.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies;
  for (Sample const& s : c.samples) copies[{s.block, s.cell}] = std::max<std::uint32_t>(1, s.copies);
  std::set<std::pair<std::uint32_t, std::uint32_t>> lost;
  for (RefusedCell const& r : c.refused) lost.emplace(r.cell, r.placement);
  for (Reading const& r : c.readings) {
    auto const placement = placement_of.find(r.block);
    if (r.cell >= c.plan.cells.size() || placement == placement_of.end()) continue;
    if (!(r.running.value > 0) || !std::isfinite(r.value) || lost.contains({r.cell, placement->second})) continue;
    auto const it = copies.find({r.block, r.cell});
    double const passes = it == copies.end() ? 1 : it->second;
    auto& [sum, n] = out.sums[{r.cell, r.group, r.event, r.scope}][placement->second];
    sum += r.value * std::max(1.0, r.enabled.value / r.running.value) / passes;
    ++n;
  }
  return out;
}

double lines_of(Campaign const& c, std::uint32_t cell) {
  Cell const& k = c.plan.cells[cell].cell;
  return static_cast<double>(k.footprint.value) / line_bytes(c) * k.threads;
}

void add_fills(Campaign const& c, std::size_t campaign, Counted const& counted, Definitions const& defined,
               Counts& out) {
  for (auto const& [key, placements] : counted.sums) {
    auto const& [cell, group, event, scope] = key;
    auto const* const known = defined.find(group, event);
    // A record without definitions is older than they are; one that defines the group says which events are fills.
    if (is_software(group) || (defined.knows(group) && (!known || known->level.empty()))) continue;
    double const lines = lines_of(c, cell);
    std::vector<double> values;
    for (auto const& [placement, sum] : placements)
      if (lines > 0) values.push_back(sum.first / sum.second / lines);
    if (values.empty()) continue;
    out.fills.push_back({campaign, cell, group, event, known ? known->level : std::string(), "counted", scope,
                         known ? known->trust : std::nullopt, over_placements(values)});
  }
}

void add_ratios(Campaign const& c, std::size_t campaign, Counted const& counted, Definitions const& defined,
                Counts& out) {
  std::set<std::uint32_t> cells, placements;
  std::set<std::string> scopes;
  for (auto const& [key, by_placement] : counted.sums) {
    cells.insert(std::get<0>(key));
    scopes.insert(std::get<3>(key));
    for (auto const& [placement, sum] : by_placement) placements.insert(placement);
  }
  auto const total = [&](auto const& terms, std::uint32_t cell, Ratio const& r, std::string const& scope,
                         std::uint32_t placement) -> std::optional<double> {
    double sum = 0;
    for (auto const& [factor, event] : terms) {
      auto const mean = counted.mean({cell, r.group, event, scope}, placement);
      if (!mean) return std::nullopt;  // a ratio of less than all its events is another ratio
      sum += factor * *mean;
    }
    return sum;
  };
  for (std::uint32_t cell : cells)
    for (Ratio const& r : defined.ratios())
      for (std::string const& scope : scopes) {
        std::vector<double> values;
        for (std::uint32_t placement : placements) {
          auto const above = total(r.of, cell, r, scope, placement);
          auto const below = r.per.empty() ? std::optional(lines_of(c, cell)) : total(r.per, cell, r, scope, placement);
          if (above && below && *below > 0) values.push_back(*above / *below);
        }
        if (!values.empty())
          out.ratios.push_back({campaign, cell, r.group, r.metric, r.unit, scope, over_placements(values)});
      }
}

}  // namespace

Json to_json(Fill const& f, Cell const& cell) {
  Json out = Json::object({{"campaign", f.campaign}});
  Json const factors = to_json(cell);
  for (auto const& [key, value] : factors.members()) out.set(key, value);
  out.set("source", f.source);
  out.set("group", f.group);
  out.set("event", f.event);
  out.set("level", f.level.empty() ? Json() : Json(f.level));
  out.set("scope", f.scope);
  out.set("per_line", f.per_line.mean);
  out.set("trust", f.trust);
  out.set("ci", f.per_line.ci ? Json::array({f.per_line.ci->low, f.per_line.ci->high}) : Json());
  out.set("n", f.per_line.n);
  return out;
}

Counts counts_of(std::span<Campaign const> campaigns) {
  Counts out;
  bool counted_any = false;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Campaign const& c = campaigns[i];
    if (c.readings.empty()) continue;
    counted_any = true;
    Definitions const defined(c.groups);
    Counted counted = sums_of(c);
    // Linux clears a fault path's memory itself: what the program alone did says nothing of it.
    if (c.header.kind == "linux")
      std::erase_if(counted.sums, [](auto const& entry) {
        return std::get<3>(entry.first) == "user" && !is_software(std::get<1>(entry.first));
      });
    add_fills(c, i, counted, defined, out);
    add_ratios(c, i, counted, defined, out);
  }
  if (out.fills.empty())
    out.why_none = counted_any
                       ? "the events counted are none of cache lines, or count the program alone on a path of Linux"
                       : "the campaigns hold no counted fills; where there is a PMU, folioscope sweep "
                         "--counters fills counts them";
  return out;
}

}  // namespace folioscope
