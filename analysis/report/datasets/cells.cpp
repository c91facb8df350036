// SPDX-License-Identifier: Apache-2.0
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table cells(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"us_folio", "us_low", "us_high", "gbps", "gbps_low", "gbps_high",
                                                       "pass_us", "n", "of"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    double const folio = static_cast<double>(m.explanation.campaigns[i].folio.value);
    for (std::uint32_t c : m.cells[i]) {
      Cell const& cell = m.explanation.campaigns[i].cells[c];
      Estimate const e = estimate(m.runs[i].log_times(c));
      if (e.n == 0) continue;
      double const footprint = static_cast<double>(cell.footprint.value);
      auto const us = [&](double ns) { return number(footprint > 0 ? ns * 1e-3 * folio / footprint : NAN); };
      auto const gbps = [&](double ns) { return number(ns > 0 ? footprint * cell.threads / ns : NAN); };
      auto const low = e.ci ? e.ci->low : NAN, high = e.ci ? e.ci->high : NAN;
      table.add(cell_values(m, i, cell) + std::vector<Value>{us(e.ratio), us(low), us(high), gbps(e.ratio), gbps(high),
                                                             gbps(low), number(e.ratio * 1e-3), number(e.n),
                                                             m.campaigns[i].header.kind});
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_cells{
    "cells",
    "a cell that was timed: geometric mean over placements of the placement's median, with its 95 % t interval. Time "
    "per "
    "folio is the pass's time over the folios of one thread's footprint; GB/s count all threads and 10^9 bytes; `of`: "
    "the kind "
    "of campaign",
    cells};

}  // namespace folioscope
