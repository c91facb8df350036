// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table published(Material const& m) {
  Table table({"campaign", "kernel", "state", "backing", "footprint", "way", "c1", "c2", "c3", "c4", "c5", "mean_us"});
  for (PublishedTable const& t : m.explanation.published) {
    ExplainedCampaign const& c = m.explanation.campaigns[t.campaign];
    for (PublishedGroup const& group : t.groups)
      for (PublishedRow const& row : group.rows) {
        std::vector<Value> values{m.labels[t.campaign],
                                  printable(t.kernel, 30),
                                  to_string(t.state),
                                  to_string(t.backing),
                                  footprint_words(group.footprint, c.folio),
                                  to_string(row.way)};
        for (auto const& ns : row.columns) values.push_back(number(ns ? ns->value * 1e-3 : NAN));
        values.push_back(number(row.mean ? row.mean->value * 1e-3 : NAN));
        table.add(std::move(values));
      }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_published{
    "published", "a row of the October 2024 thread's table, measured here: µs a pass in five columns and their mean",
    published};

}  // namespace folioscope
