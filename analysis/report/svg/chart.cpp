// SPDX-License-Identifier: Apache-2.0
#include "report/svg/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "terms/error.hpp"

namespace folioscope::svg {
namespace {

using Names = std::initializer_list<std::string_view>;

[[noreturn]] void refuse(std::string const& what, std::string_view figure) {
  throw Error(what + " is outside the part of Vega-Lite that figures may use", fmt::format("figure {}", figure),
              "see docs/adding.md, A figure");
}

void only(Json const& object, Names known, std::string const& where, std::string_view figure) {
  if (!object.is_object()) refuse(where, figure);
  for (auto const& [key, value] : object.members())
    if (std::ranges::find(known, key) == known.end()) refuse(fmt::format("{}.{}", where, key), figure);
}

std::vector<double> numbers(Json const& list) {
  std::vector<double> out;
  for (Json const& item : list.items())
    if (auto const n = item.as_number()) out.push_back(*n);
  return out;
}

void read_scale(Channel& c, Json const& scale, std::string const& where, std::string_view figure) {
  if (scale.is_null()) return;
  only(scale, {"type", "base", "zero", "nice", "domain", "range", "clamp", "padding"}, where, figure);
  auto const type = scale["type"].as_string().value_or("linear");
  if (type != "linear" && type != "log") refuse(where + ".type " + type, figure);
  c.log = type == "log";
  c.base = scale["base"].as_number().value_or(10);
  c.zero = scale["zero"].as_bool().value_or(c.zero);
  c.padding = scale["padding"].as_number().value_or(0);
  c.nice = scale["nice"].as_bool().value_or(true);
  c.domain = numbers(scale["domain"]);
  for (Json const& item : scale["domain"].items())
    if (auto const name = item.as_string()) c.names.push_back(*name);
  for (Json const& color : scale["range"].items()) c.range.push_back(color.as_string().value_or("#888888"));
}

Channel read_channel(Json const& json, std::string const& name, std::string_view figure) {
  std::string const where = "encoding." + name;
  only(json, {"field", "type", "title", "scale", "axis", "legend", "sort", "datum", "value"}, where, figure);
  Channel c;
  c.field = json["field"].as_string().value_or("");
  c.datum = json["datum"].as_number();
  c.value = json["value"].as_number();
  c.quantitative = json["type"].as_string() == "quantitative";
  if (!c.quantitative && !c.field.empty() && json["type"].as_string() != "nominal" && !name.ends_with('2'))
    refuse(where + ".type (neither quantitative nor nominal)", figure);
  if (json.contains("sort") && !json["sort"].is_null()) refuse(where + ".sort (rows come sorted: null)", figure);
  c.title = json["title"].as_string().value_or("");
  // Vega-Lite begins a quantitative axis of points at 0 unless told otherwise; figures say it, so that both agree.
  read_scale(c, json["scale"], where + ".scale", figure);
  if (Json const& axis = json["axis"]; !axis.is_null()) {
    only(axis, {"format", "formatType", "values", "labelAngle", "labelLimit", "tickCount", "grid", "labelOverlap"},
         where + ".axis", figure);
    c.format = axis["formatType"].as_string().value_or("");
    c.ticks = numbers(axis["values"]);
  } else if (json.contains("axis")) {
    c.has_axis = false;
  }
  c.has_legend = !json.contains("legend") || !json["legend"].is_null();
  return c;
}

Layer read_layer(Json const& json, Json const& shared, std::string_view figure) {
  Layer l;
  Json const& mark = json["mark"];
  if (auto const name = mark.as_string()) {
    l.mark = *name;
  } else {
    only(mark,
         {"type", "size", "filled", "opacity", "strokeWidth", "strokeDash", "color", "align", "baseline", "dx", "dy",
          "fontSize", "clip"},
         "mark", figure);
    l.mark = mark["type"].as_string().value_or("");
    l.size = mark["size"].as_number().value_or(l.size);
    l.opacity = mark["opacity"].as_number().value_or(l.opacity);
    l.stroke_width = mark["strokeWidth"].as_number().value_or(l.stroke_width);
    l.dx = mark["dx"].as_number().value_or(0);
    l.dy = mark["dy"].as_number().value_or(0);
    l.font_size = mark["fontSize"].as_number().value_or(l.font_size);
    l.dash = numbers(mark["strokeDash"]);
    l.color = mark["color"].as_string().value_or("");
    l.align = mark["align"].as_string().value_or("center");
  }
  Names const marks{"point", "line", "rule", "rect", "text"};
  if (std::ranges::find(marks, l.mark) == marks.end()) refuse("the mark '" + l.mark + "'", figure);
  for (Json const* encoding : {&shared, &json["encoding"]}) {
    if (encoding->is_null()) continue;
    only(*encoding, {"x", "y", "x2", "y2", "yOffset", "color", "shape", "text"}, "encoding", figure);
    for (auto const& [name, value] : encoding->members()) {
      if (value.is_null())
        l.channels.erase(name);
      else
        l.channels.insert_or_assign(name, read_channel(value, name, figure));
    }
  }
  for (Json const& step : json["transform"].items()) {
    only(step, {"filter"}, "transform", figure);
    only(step["filter"], {"field", "equal"}, "transform.filter", figure);
    l.filters.push_back(
        {step["filter"]["field"].as_string().value_or(""), step["filter"]["equal"].as_string().value_or("")});
  }
  return l;
}

}  // namespace

Channel const* Layer::channel(std::string_view name) const {
  auto const it = channels.find(std::string(name));
  return it == channels.end() ? nullptr : &it->second;
}

Channel const* Chart::channel(std::string_view name) const {
  Channel const* found = nullptr;
  for (auto const& l : layers) {
    auto const* c = l.channel(name);
    if (c && (!found || (found->title.empty() && !c->title.empty()))) found = c;
  }
  return found;
}

Chart parse_chart(Json const& spec, std::string_view figure) {
  only(spec, {"$schema", "description", "height", "encoding", "layer", "mark", "transform"}, "the specification",
       figure);
  Chart chart;
  chart.height = spec["height"].as_number();
  if (!chart.height) chart.step = spec["height"]["step"].as_number();
  if (!chart.height && !chart.step) refuse("a panel without height or height.step", figure);
  if (spec["layer"].is_null()) {
    chart.layers.push_back(read_layer(spec, Json(), figure));
  } else {
    for (Json const& layer : spec["layer"].items()) {
      only(layer, {"mark", "encoding", "transform"}, "layer", figure);
      chart.layers.push_back(read_layer(layer, spec["encoding"], figure));
    }
  }
  return chart;
}

}  // namespace folioscope::svg
