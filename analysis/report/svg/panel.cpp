// SPDX-License-Identifier: Apache-2.0
#include "report/svg/panel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/html.hpp"

namespace folioscope::svg {
namespace {

struct Place {
  std::optional<double> x, y, x2, y2;  // pixels
  std::size_t series = 0;
  std::string color;
};

class Pen {
 public:
  Pen(Scales const& s, Prepared const& f, Size size, Theme const& t) : s_(s), table_(f.table), size_(size), t_(t) {}

  Place place(Layer const& l, std::vector<Value> const& row) const {
    Place p;
    p.x = along(l, row, "x", s_.x, size_.width, false);
    p.x2 = along(l, row, "x2", s_.x, size_.width, false);
    p.y = along(l, row, "y", s_.y, size_.height, true);
    p.y2 = along(l, row, "y2", s_.y, size_.height, true);
    if (auto const* c = l.channel("yOffset"); c && p.y && s_.y.banded()) {
      auto const at = s_.offset.at(value(*c, row));
      double const band = s_.y.band() * size_.height * 0.86;
      if (at) *p.y += (*at - 0.5) * band;
    }
    Channel const* const color = l.channel("color");
    if (color && !color->quantitative && !color->field.empty()) {
      auto const it = std::ranges::find(s_.series, as_text(value(*color, row)));
      p.series = static_cast<std::size_t>(it - s_.series.begin());
    }
    p.color = color_in(l, color, row, p.series);
    return p;
  }

  std::string color_in(Layer const& l, Channel const* color, std::vector<Value> const& row, std::size_t series) const {
    if (l.color == "text") return t_.text;
    if (!l.color.empty()) return l.color;
    if (!color) return color_of(t_, series);
    Value const v = value(*color, row);
    return color->quantitative ? color_at(*color, as_number(v)) : color_of(t_, series, color, as_text(v));
  }

  Value value(Channel const& c, std::vector<Value> const& row) const {
    auto const at = table_.field(c.field);
    return at ? row[*at] : Value();
  }

 private:
  std::optional<double> along(Layer const& l, std::vector<Value> const& row, std::string_view name, Scale const& s,
                              double length, bool down) const {
    Channel const* const c = l.channel(name);
    if (!c) return std::nullopt;
    if (c->value) return *c->value;
    auto const at = c->datum ? s.at(*c->datum) : s.at(value(*c, row));
    if (!at) return std::nullopt;
    return (down && !s.banded() ? 1 - *at : *at) * length;
  }

  Scales const& s_;
  Table const& table_;
  Size size_;
  Theme const& t_;
};

std::string dashed(Layer const& l) {
  if (l.dash.empty()) return {};
  std::string out = " stroke-dasharray=\"";
  for (std::size_t i = 0; i < l.dash.size(); ++i) out += fmt::format("{}{:g}", i ? "," : "", l.dash[i]);
  return out + "\"";
}

std::string faded(Layer const& l) {
  return l.opacity < 1 ? fmt::format(" opacity=\"{:g}\"", l.opacity) : std::string();
}

std::string rule(Layer const& l, Place const& p, Size size) {
  bool const across = !l.channel("x"), upright = !l.channel("y");
  if ((!across && !p.x) || (!upright && !p.y) || (l.channel("x2") && !p.x2) || (l.channel("y2") && !p.y2)) return {};
  double const x1 = across ? 0 : *p.x, x2 = across ? size.width : p.x2.value_or(*p.x);
  double const y1 = upright ? 0 : *p.y, y2 = upright ? size.height : p.y2.value_or(*p.y);
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:g}\"{}{}/>", x1, y1,
      x2, y2, p.color, l.stroke_width, dashed(l), faded(l));
}

std::string rect(Layer const& l, Place const& p, Scales const& s, Size size) {
  if (!p.x || !p.y) return {};
  double const wide = s.x.band() * size.width, tall = s.y.band() * size.height;
  double const left = p.x2 ? std::min(*p.x, *p.x2) : *p.x - wide / 2;
  double const right = p.x2 ? std::max(*p.x, *p.x2) : *p.x + wide / 2;
  double const room = right - left >= 8 ? 1 : 0;  // narrow ones together make a picture
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"{}/>",
                     left + room / 2, *p.y - tall / 2 + 0.5, std::max(0.5, right - left - room),
                     std::max(0.5, tall - 1), p.color, faded(l));
}

std::string text(Layer const& l, Place const& p, std::string const& words, Theme const& t) {
  if (!p.x || !p.y || words.empty()) return {};
  std::string const anchor = l.align == "left" ? "start" : l.align == "right" ? "end" : "middle";
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:g}\" fill=\"{}\">{}</text>",
                     *p.x + l.dx, *p.y + l.dy + l.font_size * 0.35, anchor, l.font_size,
                     l.color.empty() ? t.text : l.color, escaped(words));
}

std::string lines(Layer const& l, std::map<std::size_t, std::vector<Place>>& series) {
  std::string out;
  for (auto& [n, places] : series) {
    std::ranges::stable_sort(places, {}, [](Place const& p) { return *p.x; });
    std::string path;
    for (Place const& p : places) path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", *p.x, *p.y);
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}{}/>", path,
                       places.front().color, l.stroke_width, dashed(l), faded(l));
  }
  return out;
}

}  // namespace

std::string color_of(Theme const& t, std::size_t series) { return t.palette[series % t.palette.size()]; }

std::string color_of(Theme const& t, std::size_t series, Channel const* color, std::string_view name) {
  if (color)
    for (std::size_t i = 0; i < std::min(color->names.size(), color->range.size()); ++i)
      if (color->names[i] == name) return color->range[i];
  return color_of(t, series);
}

double text_width(std::string_view text, double size) {
  auto const symbols = std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(symbols) * size * 0.56;
}

std::string symbol(std::size_t n, double x, double y, double area, std::string const& color) {
  double const r = std::sqrt(area) / 2;
  auto const polygon = [&](std::initializer_list<std::pair<double, double>> points) {
    std::string d;
    for (auto const& [px, py] : points)
      d += fmt::format("{}{:.1f},{:.1f}", d.empty() ? "M" : "L", x + px * r, y + py * r);
    return fmt::format("<path d=\"{}Z\" fill=\"{}\"/>", d, color);
  };
  switch (n % 8) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>", x, y, r * 1.1, color);
    case 1:
      return polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
    case 2:
      return polygon({{0, -1.3}, {1.3, 1}, {-1.3, 1}});
    case 3:
      return polygon({{-.4, -1.3},
                      {.4, -1.3},
                      {.4, -.4},
                      {1.3, -.4},
                      {1.3, .4},
                      {.4, .4},
                      {.4, 1.3},
                      {-.4, 1.3},
                      {-.4, .4},
                      {-1.3, .4},
                      {-1.3, -.4},
                      {-.4, -.4}});
    case 4:
      return polygon({{0, -1.5}, {1, 0}, {0, 1.5}, {-1, 0}});
    case 5:
      return polygon({{0, 1.3}, {1.3, -1}, {-1.3, -1}});
    case 6:
      return polygon({{1.3, 0}, {-1, 1.3}, {-1, -1.3}});
    default:
      return polygon({{-1.3, 0}, {1, 1.3}, {1, -1.3}});
  }
}

std::string marks_of(Chart const& chart, Scales const& scales, Prepared const& f, std::string_view panel, Size size,
                     Theme const& theme) {
  Pen const pen(scales, f, size, theme);
  auto const in_panel = f.table.field("panel");
  std::string out;
  for (Layer const& l : chart.layers) {
    bool const constant = std::ranges::none_of(l.channels, [](auto const& c) { return !c.second.field.empty(); });
    std::map<std::size_t, std::vector<Place>> series;
    for (auto const& row : f.table.rows()) {
      if (in_panel && as_text(row[*in_panel]) != panel) continue;
      if (!std::ranges::all_of(l.filters, [&](Filter const& x) {
            auto const at = f.table.field(x.field);
            return at && as_text(row[*at]) == x.text;
          }))
        continue;
      Place const p = pen.place(l, row);
      if (l.mark == "rule") out += rule(l, p, size);
      if (l.mark == "rect") out += rect(l, p, scales, size);
      if (l.mark == "point" && p.x && p.y)
        out += symbol(l.channel("shape") ? p.series : 0, *p.x, *p.y, l.size, p.color);
      if (l.mark == "text")
        if (auto const* c = l.channel("text")) out += text(l, p, std::string(as_text(pen.value(*c, row))), theme);
      if (l.mark == "line" && p.x && p.y) series[p.series].push_back(p);
      if (constant) break;  // the same for every row
    }
    out += lines(l, series);
  }
  return out;
}

}  // namespace folioscope::svg
