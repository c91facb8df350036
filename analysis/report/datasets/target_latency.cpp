// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table target_latency(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"watched", "distance", "offset", "ns", "low", "high", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    // Distances in order for the whole campaign: they are names on the axis.
    std::vector<TargetLatency const*> all;
    for (TargetLatency const& t : m.explanation.residency.targets)
      if (t.campaign == i && t.cell < m.explanation.campaigns[i].cells.size()) all.push_back(&t);
    std::vector<std::size_t> rank(m.explanation.campaigns[i].cells.size());
    for (std::size_t r = 0; r < m.cells[i].size(); ++r) rank[m.cells[i][r]] = r;
    std::ranges::stable_sort(all, {}, [&](TargetLatency const* t) { return std::pair(t->distance, rank[t->cell]); });
    for (TargetLatency const* t : all)
      table.add(cell_values(m, i, m.explanation.campaigns[i].cells[t->cell]) +
                std::vector<Value>{fmt::format("around page {}", t->target), number(static_cast<double>(t->distance)),
                                   t->distance == 0 ? std::string("target") : fmt::format("{:+}", t->distance),
                                   number(t->ns.value), number(t->ns.ci ? t->ns.ci->low : NAN),
                                   number(t->ns.ci ? t->ns.ci->high : NAN), number(t->ns.n)});
  }
  return table;
}

}  // namespace

extern Dataset const dataset_target_latency{
    "target_latency",
    "a cell and a distance from the target in base pages: what a load from that page takes after the clear, mean over "
    "placements of the placement's median, with its 95 % t interval",
    target_latency};

}  // namespace folioscope
