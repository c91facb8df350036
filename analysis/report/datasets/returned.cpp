// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table returned_faults(Material const& m) {
  Table table({"campaign", "frame", "kind", "free_s", "us"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    auto const& found = m.explanation.returned[i];
    if (!found) continue;
    for (Point const& p : m.campaigns[i].points)
      if (p.series == "fault.since_free")
        table.add({m.labels[i], printable(p.label, 30),
                   p.y > far_above_warm * found->warm.value ? "served by the host too" : "warm", number(p.x),
                   number(p.y / 1e3)});
  }
  return table;
}

}  // namespace

extern Dataset const dataset_returned{
    "returned",
    "a fault on a huge page by how long its memory had been free, and whether the host had to provide it again",
    returned_faults};

}  // namespace folioscope
