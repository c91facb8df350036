// SPDX-License-Identifier: Apache-2.0
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table lines(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"idle", "low", "high", "loaded", "idle_ns", "loaded_ns", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<LinesInFlight const*> of_cell(m.cells[i].size());
    for (LinesInFlight const& l : m.explanation.lines)
      if (l.campaign == i && l.cell < of_cell.size()) of_cell[l.cell] = &l;
    auto const value = [](std::optional<double> const& d) { return d ? number(*d) : Value(); };
    for (std::uint32_t c : m.cells[i]) {
      LinesInFlight const* l = of_cell[c];
      if (!l || !l->idle) continue;
      table.add(cell_values(m, i, m.explanation.campaigns[i].cells[c]) +
                std::vector<Value>{value(l->idle), l->ci ? number(l->ci->low) : Value(),
                                   l->ci ? number(l->ci->high) : Value(), value(l->loaded), value(l->idle_ns),
                                   value(l->loaded_ns), number(l->n)});
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_lines_in_flight{
    "lines_in_flight",
    "a cell's apparent lines in flight per thread: bandwidth times the latency of the level that its lines come from, "
    "over 64 bytes, one fill a line assumed",
    lines};

}  // namespace folioscope
