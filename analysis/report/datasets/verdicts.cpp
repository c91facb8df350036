// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

std::string mark(Finding finding) {
  switch (finding) {
    case Finding::slower:
      return "slower";
    case Finding::faster:
      return "faster";
    case Finding::no_difference:
      return "no difference";
    case Finding::cannot_tell:
      return "cannot tell";
  }
  return {};
}

std::string sign(Finding finding) {
  constexpr char const* signs[] = {"▲", "▼", "=", "?"};
  return signs[static_cast<int>(finding)];
}

Table verdicts(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"against", "reference_kernel", "ratio", "low", "high",
                                                       "ratio_text", "p_holm", "delta", "verdict", "why", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<std::vector<Verdict const*>> of_cell(m.explanation.campaigns[i].cells.size());
    for (Verdict const& v : m.explanation.judgement.verdicts)
      if (v.campaign == i && v.cell < of_cell.size()) of_cell[v.cell].push_back(&v);
    for (std::uint32_t c : m.cells[i])
      for (Verdict const* v : of_cell[c]) {
        ExplainedCampaign const& e = m.explanation.campaigns[i];
        bool const known = v->estimate.n > 0;
        auto const& ci = v->estimate.ci;
        table.add(cell_values(m, i, e.cells[c]) +
                  std::vector<Value>{
                      v->against_baseline ? "baseline" : "sequential",
                      v->reference < e.cells.size() ? Value(printable(e.cells[v->reference].kernel, 30)) : Value(),
                      number(known ? v->estimate.ratio : NAN), number(ci ? ci->low : NAN), number(ci ? ci->high : NAN),
                      known ? Value(figure(v->estimate.ratio) + sign(v->verdict)) : Value(),
                      number(ci ? v->p_holm : NAN), number(v->delta), mark(v->verdict), v->why, number(v->estimate.n)});
      }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_verdicts{
    "verdicts",
    "a comparison: against \"sequential\" (an order with sequential of the same kernel and call) or against "
    "\"baseline\" (a "
    "kernel or call with sequential, page by page, in Linux's kernel); ratio is time over the reference's time",
    verdicts};

}  // namespace folioscope
