// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "explain/layout.hpp"
#include "report/dataset.hpp"
#include "stats/distributions.hpp"

namespace folioscope {
namespace {

/// Readings of Linux's own software events count faults and switches, not lines.
bool counts_lines(Reading const& r) { return r.group != "software"; }

double line_bytes(Campaign const& c) {
  for (Fact const& f : c.facts.all())
    if (f.key.starts_with(fact::cache_prefix) && f.key.ends_with(".line_bytes"))
      if (auto const n = f.value.as_number(); n && *n > 0) return *n;
  return 64;
}

Table fills(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"event", "source", "per_line", "low", "high", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    Campaign const& c = m.campaigns[i];
    // A placement counts once: its mean per line.
    std::map<std::uint32_t, std::uint32_t> placement_of;
    for (Block const& b : c.blocks) placement_of[b.id] = b.placement;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies;
    for (Sample const& s : c.samples)
      if (s.arm == Arm::counted) copies[{s.block, s.cell}] = s.copies;
    std::map<std::tuple<std::uint32_t, std::string, std::string>, std::map<std::uint32_t, std::pair<double, double>>>
        sums;
    for (Reading const& r : c.readings) {
      if (!counts_lines(r) || r.cell >= c.plan.cells.size() || r.running.value <= 0) continue;
      Cell const& cell = c.plan.cells[r.cell].cell;
      auto const it = copies.find({r.block, r.cell});
      double const passes = it == copies.end() ? 1 : it->second;
      double const lines = static_cast<double>(cell.footprint.value) / line_bytes(c) * cell.threads * passes;
      auto& [sum, n] = sums[{r.cell, r.event, "counted, " + r.scope}][placement_of[r.block]];
      sum += lines > 0 ? r.value * r.enabled.value / r.running.value / lines : NAN;
      ++n;
    }
    for (auto const& [key, placements] : sums) {
      auto const& [cell, event, source] = key;
      double mean = 0, squares = 0, n = 0;
      for (auto const& [id, sum] : placements) mean += sum.first / sum.second, ++n;
      mean /= n;
      for (auto const& [id, sum] : placements) squares += std::pow(sum.first / sum.second - mean, 2);
      double const half = n > 1 ? student_quantile(0.975, n - 1) * std::sqrt(squares / (n - 1) / n) : NAN;
      table.add(cell_values(m, i, c.plan.cells[cell].cell) + std::vector<Value>{printable(event), printable(source),
                                                                                number(mean), number(mean - half),
                                                                                number(mean + half), number(n)});
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_fills{"fills",
                                   "a counted event of a cell, per cache line of the footprint: mean over placements "
                                   "with its 95 % t interval, scaled by "
                                   "enabled over running time",
                                   fills};

}  // namespace folioscope
