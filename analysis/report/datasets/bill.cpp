// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "explain/after_words.hpp"
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

std::vector<std::string> const use_fields{"kind",
                                          "pattern",
                                          "access",
                                          "company",
                                          "fraction",
                                          "used",
                                          "whole",
                                          "swept",
                                          "part",
                                          "from_us",
                                          "to_us",
                                          "clear_us",
                                          "use_us",
                                          "total_us",
                                          "low",
                                          "high",
                                          "crossing",
                                          "percent",
                                          "crossing_percent",
                                          "crossing_low",
                                          "crossing_high",
                                          "ratio",
                                          "ratio_low",
                                          "ratio_high",
                                          "verdict",
                                          "n"};

std::string pattern_text(Use const& use) {
  return use.target ? fmt::format("{} {}", to_string(use.pattern), *use.target) : to_string(use.pattern);
}

std::string company_text(Use const& use) { return use.corunner ? "busy neighbour" : "alone"; }

/// Reading and writing alone first, patterns together, larger fractions first.
auto telling(Use const& use) {
  return std::tuple(use.access == Access::read, use.corunner, use.pattern, use.target.value_or(0), -use.fraction);
}

Table bill(Material const& m) {
  Table table(cell_fields() + use_fields);
  std::set<std::size_t> mapped;
  for (RadiusLine const& r : m.explanation.bills.radii) mapped.insert(m.explanation.bills.lines[r.line].campaign);
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<std::size_t> rank(m.explanation.campaigns[i].cells.size());
    for (std::size_t r = 0; r < m.cells[i].size(); ++r) rank[m.cells[i][r]] = r;
    auto const& cells = m.explanation.campaigns[i].cells;
    std::vector<BillLine const*> lines;
    for (BillLine const& line : m.explanation.bills.lines)
      if (line.campaign == i && line.cell < rank.size()) lines.push_back(&line);
    std::ranges::stable_sort(lines, {}, [&](BillLine const* l) { return std::tuple(telling(l->use), rank[l->cell]); });
    for (BillLine const* l : lines) {
      bool const compared = l->reference && l->ratio.n > 0;
      // A radius map has a figure of its own.
      bool const whole = !mapped.contains(i) && (l->use.fraction >= 1 || l->use.pattern == Pattern::target);
      bool const swept = !mapped.contains(i) && l->use.pattern != Pattern::target;
      for (bool const clear : {true, false})
        table.add(
            cell_values(m, i, cells[l->cell]) +
            std::vector<Value>{clear ? "clear" : "total",
                               pattern_text(l->use),
                               to_string(l->use.access),
                               company_text(l->use),
                               number(l->use.fraction),
                               l->use.pattern == Pattern::target ? "its page" : figure(100 * l->use.fraction) + " %",
                               whole ? "yes" : "no",
                               swept ? "yes" : "no",
                               clear ? "clear" : "use",
                               number(clear ? 0 : l->clear.value * 1e-3),
                               number((clear ? l->clear.value : l->total.value) * 1e-3),
                               number(l->clear.value * 1e-3),
                               number(l->spent.value * 1e-3),
                               number(l->total.value * 1e-3),
                               number(l->ci ? l->ci->low * 1e-3 : NAN),
                               number(l->ci ? l->ci->high * 1e-3 : NAN),
                               Value(),
                               number(100 * l->use.fraction),
                               Value(),
                               Value(),
                               Value(),
                               number(compared ? l->ratio.ratio : NAN),
                               number(compared && l->ratio.ci ? l->ratio.ci->low : NAN),
                               number(compared && l->ratio.ci ? l->ratio.ci->high : NAN),
                               compared ? Value(to_string(l->finding)) : Value(),
                               number(l->n)});
    }
    for (Crossover const& x : m.explanation.bills.crossovers) {
      if (x.campaign != i || x.cheaper_below >= cells.size()) continue;
      std::vector<Value> row = cell_values(m, i, cells[x.cheaper_below]);
      row.resize(row.size() + use_fields.size());
      auto const set = [&](std::string const& field, Value value) { row[*table.field(field)] = std::move(value); };
      set("kind", "crossing");
      set("pattern", pattern_text(x.use));
      set("access", to_string(x.use.access));
      set("company", company_text(x.use));
      set("swept", "yes");
      set("crossing", number(x.use.fraction));
      set("crossing_percent", number(100 * x.use.fraction));
      set("crossing_low", number(100 * x.fractions.low));
      set("crossing_high", number(100 * x.fractions.high));
      table.add(std::move(row));
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_bill{
    "bill",
    "clear and use of a folio. kind \"clear\" and \"total\": a cell and a use, µs a folio, geometric mean over "
    "placements with the 95 % t interval of the total, and its ratio to the same use after the reference; kind "
    "\"crossing\": the touched fraction at which another kernel becomes cheaper in all",
    bill};

}  // namespace folioscope
