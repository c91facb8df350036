// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

std::string resolution_of(ResidencyMap const& map) {
  return map.pages_a_bin == 1 ? "each page" : fmt::format("bins of {} pages", map.pages_a_bin);
}

Table residency_map_rows(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"source", "resolution", "where", "first_page", "end_page",
                                                       "pages", "most", "share", "low", "high", "samples", "n",
                                                       "target_page"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<ResidencyMap const*> of_cell(m.explanation.campaigns[i].cells.size());
    for (ResidencyMap const& map : m.explanation.residency.maps)
      if (map.campaign == i && map.cell < of_cell.size()) of_cell[map.cell] = &map;
    for (std::uint32_t const c : m.cells[i]) {
      if (!of_cell[c]) continue;
      Cell const& cell = m.explanation.campaigns[i].cells[c];
      bool first = true;  // the target stands once in a row
      for (ResidencyStretch const& s : of_cell[c]->stretches) {
        auto const& ci = s.share.ci;
        auto const count = static_cast<double>(s.last_page - s.first_page + 1);
        table.add(cell_values(m, i, cell) +
                  std::vector<Value>{"probed", resolution_of(*of_cell[c]), printable(s.where, 30),
                                     number(static_cast<double>(s.first_page)),
                                     number(static_cast<double>(s.last_page) + 1), number(count),
                                     s.samples ? Value(printable(s.most, 30)) : Value(),
                                     s.samples ? number(s.share.value) : Value(), number(ci ? ci->low : NAN),
                                     number(ci ? ci->high : NAN), number(s.samples), number(s.share.n),
                                     first && cell.target ? number(static_cast<double>(*cell.target) + 0.5) : Value()});
        first = false;
      }
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_residency_map{
    "residency_map",
    "a stretch of pages of a cell of which the same is sure: the level that holds more than half of each page's lines "
    "after the clear, with the share that it holds of all of them together and that share's 95 % interval",
    residency_map_rows};

}  // namespace folioscope
