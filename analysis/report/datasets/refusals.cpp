// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table refusals(Material const& m) {
  Table table({"campaign", "subject", "reason", "remedy", "placement"});
  auto const add = [&](std::size_t i, Refusal const& r, Value placement) {
    table.add({m.labels[i], printable(r.subject, 120), printable(r.reason, 300), printable(r.remedy, 300),
               std::move(placement)});
  };
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    for (Refusal const& r : m.campaigns[i].plan.refusals) add(i, r, {});
    for (RefusedCell const& r : m.campaigns[i].refused) add(i, r.refusal, number(r.placement));
  }
  return table;
}

}  // namespace

extern Dataset const dataset_refusals{
    "refusals", "what could not be measured and why; with a placement where it was refused while the campaign ran",
    refusals};

}  // namespace folioscope
