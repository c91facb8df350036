// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

constexpr std::string_view residency_prefix = "residency.";

Table residency(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"source", "level", "page_bin", "share"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (Point const& p : m.campaigns[i].points)
      if (p.series.starts_with(residency_prefix) && p.cell && *p.cell < m.campaigns[i].plan.cells.size())
        table.add(cell_values(m, i, m.campaigns[i].plan.cells[*p.cell].cell) +
                  std::vector<Value>{printable(p.series.substr(residency_prefix.size()), 30), printable(p.label, 30),
                                     number(p.x), number(p.y)});
  return table;
}

}  // namespace

extern Dataset const dataset_residency{"residency",
                                       "a point of a series residency.SOURCE: the share (y) of a page bin's (x) lines "
                                       "that a level (label) holds after the "
                                       "clear",
                                       residency};

}  // namespace folioscope
