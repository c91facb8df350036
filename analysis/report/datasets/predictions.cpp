// SPDX-License-Identifier: Apache-2.0
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

Table predictions(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"order_kind", "seen", "predicted_us", "measured_us", "ratio",
                                                       "predicted_ratio", "error", "repeat", "streams", "label"});
  ModelReport const& model = m.explanation.model;
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (Prediction const& p : model.predictions) {
      if (p.campaign != i) continue;
      Cell const& c = m.explanation.campaigns[i].cells[p.cell];
      auto const order = parse_order(c.order);
      double const sequential = p.like_sequential.value_or(NAN);
      bool const is_sequential = c.order == "sequential";
      double const ratio = is_sequential ? 1 : p.ratio.value_or(NAN);
      std::string const kind = order ? order->base : c.order;
      table.add(cell_values(m, i, c) + std::vector<Value>{kind, p.held_out ? "never fitted" : "fitted",
                                                          number(p.predicted_ns * 1e-3), number(p.measured_ns * 1e-3),
                                                          number(ratio), number(p.predicted_ns / sequential),
                                                          number(100 * (p.predicted_ns / p.measured_ns - 1)),
                                                          p.repeat ? number(100 * std::expm1(*p.repeat)) : Value(),
                                                          streams_of(c), kind + (p.held_out ? " (never fitted)" : "")});
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
