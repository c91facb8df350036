// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "report/dataset.hpp"

namespace folioscope {
namespace {

/// Interleaved streams by their number; the sequential cell is one stream.
Value streams_of(Cell const& c) {
  auto const order = parse_order(c.order);
  bool const by_turns = order && (order->base == "streams" || order->base == "alternate");
  if (!by_turns && c.order != "sequential") return Value();
  return number(by_turns ? static_cast<double>(order->parameter.value_or(1)) : 1);
}

/// Those of cells that stand for the machine first.
std::vector<Prediction const*> by_prominence_of_cells(Material const& m, std::size_t campaign) {
  std::map<std::uint32_t, Prediction const*> of_cell;
  for (Prediction const& p : m.explanation.model.predictions)
    if (p.campaign == campaign) of_cell[p.cell] = &p;
  std::vector<Prediction const*> out;
  for (std::uint32_t cell : m.cells[campaign])
    if (auto const it = of_cell.find(cell); it != of_cell.end()) out.push_back(it->second);
  return out;
}

/// Page by page, or by the run where that is shorter: what curves over the run length hold constant.
bool plain_call(Cell const& c, ExplainedCampaign const& campaign) {
  return c.call == std::min(campaign.base_page, c.run.value_or(campaign.base_page)) && c.prefetch.value == 0;
}

Table predictions(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"order_kind", "seen", "predicted_us", "measured_us", "ratio",
                                                       "predicted_ratio", "error", "repeat", "streams", "label",
                                                       "plain_call"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (Prediction const* known : by_prominence_of_cells(m, i)) {
      Prediction const& p = *known;
      Cell const& c = m.explanation.campaigns[i].cells[p.cell];
      auto const order = parse_order(c.order);
      double const sequential = p.like_sequential.value_or(NAN);
      bool const is_sequential = c.order == "sequential";
      double const ratio = is_sequential ? 1 : p.ratio.value_or(NAN);
      std::string const kind = order ? order->base : c.order;
      table.add(cell_values(m, i, c) +
                std::vector<Value>{kind, p.held_out ? "never fitted" : "fitted", number(p.predicted_ns * 1e-3),
                                   number(p.measured_ns * 1e-3), number(ratio), number(p.predicted_ns / sequential),
                                   number(100 * (p.predicted_ns / p.measured_ns - 1)),
                                   p.repeat ? number(100 * std::expm1(*p.repeat)) : Value(), streams_of(c),
                                   kind + (p.held_out ? " (never fitted)" : ""),
                                   std::string(plain_call(c, m.explanation.campaigns[i]) ? "yes" : "no")});
    }
  return table;
}

}  // namespace

extern Dataset const dataset_predictions{
    "predictions",
    "a cell that the fitted model predicts: cells it was fitted to, and held-out ones; the predicted ratio is to the "
    "measured sequential time",
    predictions};

}  // namespace folioscope
