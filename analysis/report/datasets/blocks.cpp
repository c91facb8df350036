// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table blocks(Material const& m) {
  Table table({"campaign", "block", "placement", "started_s", "adds_per_ns", "clock", "steal_ms", "note"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (Block const& b : m.campaigns[i].blocks) {
      double const ns = (b.add_ns_before + b.add_ns_after) / 2;
      table.add({m.labels[i], number(b.id), number(b.placement), number(b.started_s), number(ns > 0 ? 1 / ns : NAN),
                 b.marked ? "off by more than 5 %" : "steady", number(b.steal_s * 1e3), printable(b.note, 80)});
    }
  return table;
}

}  // namespace

extern Dataset const dataset_blocks{
    "blocks", "a block: when it began, the core clock as dependent adds per ns, the time the hypervisor took", blocks};

}  // namespace folioscope
