// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "report/svg/panel.hpp"

namespace folioscope::svg {
namespace {

constexpr double farthest_drawn = 1e30;

bool passes(Layer const& l, Table const& table, std::vector<Value> const& row) {
  return std::ranges::all_of(l.filters, [&](Filter const& f) {
    auto const at = table.field(f.field);
    return at && as_text(row[*at]) == f.text;
  });
}

bool drawn(Prepared const& f, std::vector<Value> const& row) {
  auto const panel = f.table.field("panel");
  return !panel || std::ranges::find(f.panels, as_text(row[*panel])) != f.panels.end();
}

/// Names in the order of the rows, or the numbers' range, over all layers.
Scale scale_of(Chart const& chart, Prepared const& f, std::initializer_list<std::string_view> names) {
  Channel const* const first = chart.channel(*names.begin());
  if (!first) return {};
  // The layer that says most about a scale speaks for it: a datum alone says nothing.
  Channel const* leading = first;
  std::vector<std::string> bands;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  auto const take = [&](double v) {
    if (!(std::fabs(v) <= farthest_drawn)) return;  // it will stand at the edge
    low = std::min(low, v);
    high = std::max(high, v);
  };
  for (Layer const& l : chart.layers)
    for (auto const name : names) {
      Channel const* const c = l.channel(name);
      if (!c) continue;
      if (c->datum) take(*c->datum);
      if (c->field.empty()) continue;
      if (leading->field.empty() || (c->log && !leading->log)) leading = c;
      auto const at = f.table.field(c->field);
      if (!at) continue;
      for (auto const& row : f.table.rows()) {
        if (!passes(l, f.table, row) || !drawn(f, row) || !is_there(row[*at])) continue;
        if (c->quantitative || name.ends_with('2'))
          take(as_number(row[*at]));
        else if (std::ranges::find(bands, as_text(row[*at])) == bands.end())
          bands.emplace_back(as_text(row[*at]));
      }
    }
  if (!bands.empty()) return Scale(std::move(bands));
  if (!(low <= high)) low = 0, high = 1;
  return Scale(*leading, low, high);
}

/// Those of `order` first, as they stand there.
std::vector<std::string> in_order(std::vector<std::string> names, std::vector<std::string> const& order) {
  std::ranges::stable_sort(names, {},
                           [&](std::string const& name) { return std::ranges::find(order, name) - order.begin(); });
  return names;
}

}  // namespace

Scales scales_of(Chart const& chart, Prepared const& f) {
  Scales s;
  s.x = scale_of(chart, f, {"x", "x2"});
  s.y = scale_of(chart, f, {"y", "y2"});
  if (chart.channel("yOffset")) s.offset = scale_of(chart, f, {"yOffset"});
  if (auto const* color = chart.channel("color"); color && !color->quantitative)
    s.series = in_order(scale_of(chart, f, {"color"}).names(), color->names);
  return s;
}

}  // namespace folioscope::svg
