// SPDX-License-Identifier: Apache-2.0
// Plausible counts for campaigns of machines that do not exist, marked synthetic in everything that names them.
#pragma once
#include <functional>
#include <string>

#include "synthetic/synthetic.hpp"

namespace folioscope::synthetic {

struct MadeUpEvent {
  std::string name, level;
  double trust = 1;
  std::function<double(Cell const&)> per_line{};  ///< for each line cleared
  std::string scope = "user";
};

inline Json made_up_groups(std::vector<MadeUpEvent> const& events) {
  Json defined = Json::array(), found = Json::array();
  for (MadeUpEvent const& e : events) {
    defined.push(Json::object({{"name", e.name}, {"level", e.level.empty() ? Json() : Json(e.level)}}));
    found.push(Json::object({{"name", e.name}, {"trust", e.trust}, {"usable", true}}));
  }
  return Json::array(
      {Json::object({{"group", "synthetic/fills"},
                     {"question", "made up"},
                     {"source", "synthetic: no machine counted this"},
                     {"events", std::move(defined)},
                     {"found", std::move(found)},
                     {"metrics", Json::array({Json::object({{"name", "lines a line"},
                                                            {"of", Json::array({events.front().name})},
                                                            {"per", Json::array({"line"})},
                                                            {"unit", "lines/line"}}),
                                              Json::object({{"name", "first a last"},
                                                            {"of", Json::array({"2*" + events.front().name})},
                                                            {"per", Json::array({events.back().name})},
                                                            {"unit", "lines/line"}})})}})});
}

/// Every block counts every cell once, with `spread` around what is true.
inline void count(Campaign& c, std::vector<MadeUpEvent> const& events, double spread = 0.01) {
  c.groups = made_up_groups(events);
  c.facts.add("synthetic", true, "made up", "no machine counted this");
  Random random(c.plan.seed + 17);
  c.readings.clear();
  for (Block const& b : c.blocks)
    for (std::uint32_t cell = 0; cell < c.plan.cells.size(); ++cell) {
      Cell const& k = c.plan.cells[cell].cell;
      double const lines = static_cast<double>(k.footprint.value) / 64 * k.threads;
      for (MadeUpEvent const& e : events)
        c.readings.push_back({b.id, cell, "synthetic/fills", e.name,
                              lines * e.per_line(k) * (1 + spread * normal(random)), Nanoseconds(1e6), Nanoseconds(1e6),
                              e.scope});
    }
}

}  // namespace folioscope::synthetic
