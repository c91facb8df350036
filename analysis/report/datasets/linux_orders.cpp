// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

bool is_fault(LinuxRatio const& r) { return r.path.starts_with("fault-order"); }

Table linux_orders(Material const& m) {
  Table table({"campaign", "group", "path", "order", "first", "source", "ratio", "low", "high", "n"});
  auto const add = [&](LinuxRatio const& r, std::string group, std::string source, Estimate const& e) {
    table.add({m.labels[r.campaign], std::move(group), printable(r.path), printable(r.order, 30),
               r.path.starts_with("fallocate") ? "no page" : fmt::format("page {} first", r.target), std::move(source),
               number(e.ratio), number(e.ci ? e.ci->low : NAN), number(e.ci ? e.ci->high : NAN), number(e.n)});
  };
  auto const add_both = [&](LinuxRatio const& r, std::string const& group) {
    if (r.predicted) add(r, group, "user space", *r.predicted);
    add(r, group, "this Linux", r.shown);
  };
  for (LinuxRatio const& r : m.explanation.linux_ratios)
    if (is_fault(r)) add_both(r, "fault");
  // A figure holds some sixteen names: what has no use in its time comes first.
  for (bool const explained : {false, true})
    for (LinuxRatio const& r : m.explanation.linux_ratios) {
      bool const with_use = r.path.starts_with("anon-w-seq") && r.path.find("-apart") == std::string::npos;
      if ((!is_fault(r) || r.target == 0) && with_use == explained) add_both(r, "path");
    }
  return table;
}

}  // namespace

extern Dataset const dataset_linux_orders{
    "linux_orders",
    "a path of Linux by the page touched first, or the same order in user space: time over that of clearing upwards",
    linux_orders};

}  // namespace folioscope
