// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table residency(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"source", "span", "level", "page_bin", "first_page", "end_page",
                                                       "share", "low", "high", "samples", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<std::vector<ResidencyShare const*>> of_cell(m.explanation.campaigns[i].cells.size());
    for (ResidencyShare const& s : m.explanation.residency.shares)
      if (s.campaign == i && s.cell < of_cell.size()) of_cell[s.cell].push_back(&s);
    for (std::uint32_t const c : m.cells[i])
      for (ResidencyShare const* s : of_cell[c]) {
        auto const& ci = s->share.ci;
        ExplainedCampaign const& campaign = m.explanation.campaigns[i];
        bool const many = campaign.cells[c].footprint > campaign.folio;
        table.add(cell_values(m, i, campaign.cells[c]) +
                  std::vector<Value>{
                      printable(s->source, 30), many ? "many folios" : "one folio", printable(s->level, 30),
                      number(s->page_bin), number(static_cast<double>(s->first_page)),
                      number(static_cast<double>(s->last_page) + 1), number(s->share.value), number(ci ? ci->low : NAN),
                      number(ci ? ci->high : NAN), number(s->samples), number(s->share.n)});
      }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_residency{
    "residency",
    "a page bin of a cell and a level: the share of the bin's lines that the level holds after the clear, mean over "
    "placements with its 95 % interval, from page first_page up to, not including, end_page",
    residency};

}  // namespace folioscope
