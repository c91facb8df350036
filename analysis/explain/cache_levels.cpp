// SPDX-License-Identifier: Apache-2.0
#include "explain/cache_levels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/explain.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

constexpr std::string_view size_suffix = ".size_bytes";
constexpr double largest_curve = 1e15;

/// By the number of the level: caches that hold data.
std::map<unsigned, std::vector<ToldSize>> told_sizes(Campaign const& c) {
  std::map<unsigned, std::vector<ToldSize>> told;
  for (Fact const& f : c.facts.all()) {
    if (!f.key.starts_with(fact::cache_prefix) || !f.key.ends_with(size_suffix)) continue;
    std::string const name =
        f.key.substr(fact::cache_prefix.size(), f.key.size() - fact::cache_prefix.size() - size_suffix.size());
    auto const bytes = f.value.as_number();
    // "L1d", "L2": instructions' caches hold no folios.
    if (!bytes || !(*bytes > 0) || *bytes > largest_curve || name.size() < 2 || name[0] != 'L' || name[1] < '1' ||
        name[1] > '9' || name.ends_with('i') || f.source == "measured")
      continue;
    told[static_cast<unsigned>(name[1] - '0')].push_back({Bytes(static_cast<std::uint64_t>(*bytes)), f.source, f.note});
  }
  return told;
}

/// "sysfs and CPUID" where the first source's note says that the other agrees.
std::string source_words(ToldSize const& told) {
  std::string const agreed = told.note.starts_with("agreed by") ? told.note.substr(0, told.note.find(';')) : "";
  std::string const name = told.source.starts_with("/sys") ? "sysfs" : printable(told.source, 30);
  return agreed.find("cpuid") != std::string::npos ? name + " and CPUID" : name;
}

/// To three digits: a curve's sizes are steps of a grid.
std::string about(Bytes size) {
  constexpr char const* units[] = {"B", "KiB", "MiB", "GiB"};
  auto n = static_cast<double>(size.value);
  std::size_t unit = 0;
  for (; n >= 1024 && unit < 3; ++unit) n /= 1024;
  return fmt::format("{:.3g} {}", n, units[unit]);
}

std::string told_words(SeenLevel const& level) {
  std::string text;
  for (ToldSize const& t : level.told)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", source_words(t), about(t.size));
  return text.empty() ? text : " (" + text + ")";
}

Json told_json(SeenLevel const& level) {
  Json rows = Json::array();
  for (ToldSize const& t : level.told)
    rows.push(Json::object(
        {{"bytes", t.size.value}, {"source", t.source}, {"note", t.note.empty() ? Json() : Json(t.note)}}));
  return rows;
}

}  // namespace

std::vector<SeenCurve> seen_curves(Campaign const& c, std::size_t index) {
  auto const told = told_sizes(c);
  ToldCaches all;
  for (auto const& [number, sizes] : told)  // the first source is the one that is believed
    all = {number, std::max(all.largest, sizes.front().size)};
  std::vector<SeenCurve> out;
  for (std::string_view const series : {"latency.idle", "latency.loaded"}) {
    SeenCurve curve;
    curve.campaign = index;
    curve.loaded = series == "latency.loaded";
    std::vector<LatencyPoint> points;
    for (Point const& p : c.points) {
      if (p.series != series || !(p.x > 0) || p.x > largest_curve || !std::isfinite(p.y)) continue;
      points.push_back({Bytes(static_cast<std::uint64_t>(p.x)), Nanoseconds(p.y)});
      curve.load = p.label;
    }
    if (points.size() > 1000) continue;  // no curve of ours: finding plateaus takes the square of that
    for (LatencyLevel& level : latency_levels(points, all)) {
      SeenLevel seen{std::move(level), {}};
      // "L2/L3": the caches of all its names.
      for (auto const& [number, sizes] : told)
        if (("/" + seen.seen.name + "/").find(fmt::format("/L{}/", number)) != std::string::npos)
          seen.told.insert(seen.told.end(), sizes.begin(), sizes.end());
      curve.levels.push_back(std::move(seen));
    }
    if (!curve.levels.empty()) out.push_back(std::move(curve));
  }
  return out;
}

std::vector<std::string> cache_sentences(Explanation const& e, std::size_t campaign) {
  std::vector<std::string> out;
  for (SeenCurve const& curve : e.curves) {
    if (curve.campaign != campaign) continue;
    std::string parts;
    for (SeenLevel const& level : curve.levels) {
      bool const last = &level == &curve.levels.back();
      parts += fmt::format("{}{} {:.3g} ns{}{}", parts.empty() ? "" : ", ", level.seen.name, level.seen.latency.value,
                           last ? "" : " up to " + about(level.seen.up_to), curve.loaded ? "" : told_words(level));
    }
    out.push_back(curve.loaded ? fmt::format("While {}: {}.", printable(curve.load, 60), parts)
                               : fmt::format("Loads, one after the other, take: {}.", parts));
  }
  return out;
}

Json cache_levels_json(Explanation const& e) {
  Json rows = Json::array();
  for (SeenCurve const& curve : e.curves)
    for (SeenLevel const& level : curve.levels) {
      bool const last = &level == &curve.levels.back();
      rows.push(Json::object({{"campaign", curve.campaign},
                              {"load", curve.loaded ? Json(curve.load) : Json("idle")},
                              {"level", level.seen.name},
                              {"seen_bytes", last ? Json() : Json(level.seen.up_to.value)},
                              {"ns", level.seen.latency.value},
                              {"told", told_json(level)}}));
    }
  return rows;
}

}  // namespace folioscope
