// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

constexpr std::string_view latency_prefix = "latency.";

Table latency(Material const& m) {
  Table table({"campaign", "series", "bytes", "ns"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (Point const& p : m.campaigns[i].points)
      if (p.series.starts_with(latency_prefix)) {
        std::string series = printable(p.series.substr(latency_prefix.size()), 30);
        if (!p.label.empty()) series += ": " + printable(p.label, 30);
        table.add({m.labels[i], series, number(p.x), number(p.y)});
      }
  return table;
}

}  // namespace

extern Dataset const dataset_latency{
    "latency", "a point of a latency curve (series latency.*): bytes that a dependent chain of loads covers, ns a load",
    latency};

}  // namespace folioscope
