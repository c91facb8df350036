// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table probed_misses(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"level", "share", "low", "high", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<std::vector<ProbedMisses const*>> of_cell(m.explanation.campaigns[i].cells.size());
    for (ProbedMisses const& x : m.explanation.residency.misses)
      if (x.campaign == i && x.cell < of_cell.size()) of_cell[x.cell].push_back(&x);
    for (std::uint32_t const c : m.cells[i])
      for (ProbedMisses const* x : of_cell[c]) {
        auto const& ci = x->share.ci;
        table.add(cell_values(m, i, m.explanation.campaigns[i].cells[c]) +
                  std::vector<Value>{printable(x->level, 30), number(x->share.value), number(ci ? ci->low : NAN),
                                     number(ci ? ci->high : NAN), number(x->share.n)});
      }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_probed_misses{
    "probed_misses",
    "a cell and a level: the share of the footprint's lines that the probe found in no level up to this one after the "
    "clear, mean over placements with its 95 % interval",
    probed_misses};

}  // namespace folioscope
