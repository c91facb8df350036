// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table fault_curve(Material const& m) {
  Table table({"campaign", "backing", "series", "index", "us", "us_low", "us_high", "error", "n"});
  for (FaultOrderFinding const& f : m.explanation.fault_orders) {
    double base = NAN;
    for (FaultPoint const& p : f.curve)
      if (p.index == 0) base = p.time.value / 1e3;
    for (FaultPoint const& p : f.curve) {
      Estimate const& e = p.against_first;
      auto const add = [&](std::string series, double us, double low, double high) {
        table.add({m.labels[f.campaign], to_string(f.backing), std::move(series), number(static_cast<double>(p.index)),
                   number(us), number(low), number(high), number(p.replica_error ? 100 * *p.replica_error : NAN),
                   number(f.placements)});
      };
      add("the fault", p.time.value / 1e3, e.ci ? base * e.ci->low : NAN, e.ci ? base * e.ci->high : NAN);
      if (f.replica && p.replica)
        add("a + b x replica", (f.replica->a + f.replica->b * p.replica->value) / 1e3, NAN, NAN);
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_fault_curve{"fault_curve",
                                         "a page fault of one huge page by the base page touched first, its interval "
                                         "that of the ratio to page 0, and what the "
                                         "user-space replica gives for it",
                                         fault_curve};

}  // namespace folioscope
