// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table linux_orders(Material const& m) {
  Table table({"campaign", "path", "order", "first", "source", "ratio", "low", "high", "n"});
  auto const add = [&](LinuxRatio const& r, std::string source, Estimate const& e) {
    table.add({m.labels[r.campaign], printable(r.path), printable(r.order, 30), fmt::format("page {} first", r.target),
               std::move(source), number(e.ratio), number(e.ci ? e.ci->low : NAN), number(e.ci ? e.ci->high : NAN),
               number(e.n)});
  };
  for (LinuxRatio const& r : m.explanation.linux_ratios) {
    if (r.predicted) add(r, "user space", *r.predicted);
    add(r, "this Linux", r.shown);
  }
  return table;
}

}  // namespace

extern Dataset const dataset_linux_orders{
    "linux_orders",
    "a path of Linux by the page touched first, or the same order in user space: time over that of clearing upwards",
    linux_orders};

}  // namespace folioscope
