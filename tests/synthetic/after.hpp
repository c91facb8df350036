// SPDX-License-Identifier: Apache-2.0
// What a campaign's probe and uses would have left on a machine that does not exist: points with known truths.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "synthetic/synthetic.hpp"
#include "terms/use.hpp"

namespace folioscope::synthetic {

struct MadeUpLevel {
  std::string name;
  double ns;
};
inline std::vector<MadeUpLevel> made_up_levels() { return {{"L1", 1.5}, {"L2", 4.5}, {"L3", 15}, {"memory", 150}}; }

/// Which cells something comes after.
using Chosen = std::function<bool(Cell const&)>;
inline bool every_cell(Cell const&) { return true; }

/// `level_of`: index of the level that holds a page after the clear. In every block `pages` pages spread over the folio
/// are seen, and those around the targets.
inline void add_probe(Campaign& c, std::function<std::size_t(Cell const&, std::uint64_t)> const& level_of,
                      std::uint64_t pages = 64, Chosen const& chosen = every_cell) {
  auto const levels = made_up_levels();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    double const up_to = i + 1 < levels.size() ? std::sqrt(levels[i].ns * levels[i + 1].ns) : INFINITY;
    c.points.push_back({"probe.level", levels[i].name, up_to, levels[i].ns, {}, {}});
    c.points.push_back({"probe.confusion", levels[i].name + " seen as " + levels[i].name, 240, 0.99, {}, {}});
  }
  Random random(11);
  auto const see = [&](char const* series, std::uint32_t cell, Block const& b, std::uint64_t page) {
    auto const level = level_of(c.plan.cells[cell].cell, page);
    double const ns = levels[level].ns * std::exp(0.03 * normal(random));
    c.points.push_back({series, levels[level].name, static_cast<double>(page), ns, cell, b.id});
  };
  for (Block const& b : c.blocks)
    for (std::uint32_t cell = 0; cell < c.plan.cells.size(); ++cell) {
      if (!chosen(c.plan.cells[cell].cell)) continue;
      for (std::uint64_t i = 0; i < pages; ++i) see("probe.page", cell, b, (512 * i + random.below(512)) / pages);
      for (int distance : {-4, -1, 0, 1, 4}) see("probe.target", cell, b, static_cast<std::uint64_t>(128 + distance));
    }
}

/// `ns_of`: what clear and use of a folio take.
inline void add_uses(Campaign& c, std::vector<Use> const& uses,
                     std::function<std::pair<double, double>(Cell const&, Use const&)> const& ns_of,
                     double noise = 0.01, Chosen const& chosen = every_cell) {
  Random random(12);
  for (Block const& b : c.blocks)
    for (std::uint32_t cell = 0; cell < c.plan.cells.size(); ++cell)
      for (Use const& use : chosen(c.plan.cells[cell].cell) ? uses : std::vector<Use>{}) {
        auto const [clear, used] = ns_of(c.plan.cells[cell].cell, use);
        double const both = std::exp(noise * normal(random));
        c.points.push_back({"bill.clear", label_of(use), use.fraction, clear * both, cell, b.id});
        c.points.push_back({"bill.use", label_of(use), use.fraction, used * both, cell, b.id});
      }
}

}  // namespace folioscope::synthetic
