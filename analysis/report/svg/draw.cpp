// SPDX-License-Identifier: Apache-2.0
#include "report/svg/draw.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "report/svg/panel.hpp"

namespace folioscope {
namespace svg {
namespace {

constexpr double label_size = 11, least_panel = 300, gap = 18;
constexpr double bold = 1.15;  ///< wider than regular letters

struct Layout {
  std::size_t columns = 1;
  double left = 0, bottom = 0, header = 0;  ///< room around a panel's inner area
  double inner_width = 0, inner_height = 0;
};

Layout layout_of(Chart const& chart, Scales const& scales, std::size_t panels, double width) {
  Layout l;
  l.columns = std::clamp<std::size_t>(static_cast<std::size_t>(width / least_panel), 1, panels);
  double labels = 30;
  if (scales.y.banded()) {
    labels = 0;
    for (auto const& name : scales.y.names()) labels = std::max(labels, text_width(name, label_size));
  }
  auto const* y = chart.channel("y");
  l.left = std::min(labels, 240.0) + 10 + (y && !y->title.empty() ? 16 : 0);
  l.bottom = 34;
  if (scales.x.banded()) {
    double longest = 0;
    for (auto const& name : scales.x.names()) longest = std::max(longest, text_width(name, label_size));
    l.bottom = 14 + 0.7 * longest;
  }
  l.header = 22;
  double const each = (width - gap * static_cast<double>(l.columns - 1)) / static_cast<double>(l.columns);
  l.inner_width = std::max(60.0, each - l.left - 8);
  double const rows = static_cast<double>(std::max<std::size_t>(scales.y.names().size(), 1));
  double const offsets = static_cast<double>(std::max<std::size_t>(scales.offset.names().size(), 1));
  double const row = chart.step ? std::max(22.0, *chart.step * (offsets > 1 ? offsets + 0.5 : 1)) : 0;
  l.inner_height = chart.height ? *chart.height : rows * row;
  return l;
}

std::string x_axis(Scales const& s, Channel const& c, Layout const& l, Theme const& t) {
  std::string out;
  auto const about = std::clamp<std::size_t>(static_cast<std::size_t>(l.inner_width / 40), 2, 5);
  for (Tick const& tick : s.x.ticks(about)) {
    double const x = tick.value * l.inner_width;
    if (!s.x.banded())
      out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\" stroke=\"{2}\"/>", x,
                         l.inner_height, t.grid);
    if (s.x.banded())
      out += fmt::format(
          "<text transform=\"translate({:.1f},{:.1f}) rotate(-40)\" text-anchor=\"end\" fill=\"{}\">{}</text>", x + 4,
          l.inner_height + 12, t.text, escaped(tick.label));
    else
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>", x,
                         l.inner_height + 14, t.text, escaped(tick.label));
  }
  if (!c.title.empty())
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                       l.inner_width / 2, l.inner_height + 29, t.faint, escaped(c.title));
  return out;
}

std::string y_axis(Scales const& s, Channel const& c, Layout const& l, Theme const& t) {
  std::string out;
  for (Tick const& tick : s.y.ticks(static_cast<std::size_t>(l.inner_height / 40))) {
    double const y = (s.y.banded() ? tick.value : 1 - tick.value) * l.inner_height;
    if (!s.y.banded())
      out += fmt::format("<line x1=\"0\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{1:.1f}\" stroke=\"{2}\"/>", l.inner_width,
                         y, t.grid);
    else if (tick.value + s.y.band() < 1)  // between rows
      out += fmt::format("<line x1=\"0\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{1:.1f}\" stroke=\"{2}\"/>", l.inner_width,
                         y + s.y.band() / 2 * l.inner_height, t.grid);
    out += fmt::format("<text x=\"-7\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">{}</text>", y + 3.8, t.text,
                       escaped(tick.label));
  }
  if (!c.title.empty())
    out += fmt::format(
        "<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
        12 - l.left, l.inner_height / 2, t.faint, escaped(c.title));
  return out;
}

/// The series' names with their signs, in as many lines as they need; `height` grows by those.
std::string legend(Chart const& chart, Scales const& s, Theme const& t, double width, double& height) {
  auto const* color = chart.channel("color");
  if (!color || color->quantitative || !color->has_legend || s.series.size() < 2) return {};
  std::string out;
  double x = 0, y = height + 12;
  for (std::size_t i = 0; i < s.series.size(); ++i) {
    double const wide = text_width(s.series[i], label_size) + 30;
    if (x > 0 && x + wide > width) x = 0, y += 18;
    out += fmt::format("<g transform=\"translate({:.1f},{:.1f})\">{}<text x=\"11\" y=\"4\" fill=\"{}\">{}</text></g>",
                       x + 6, y, symbol(chart.channel("shape") ? i : 0, 0, 0, 40, color_of(t, i, color, s.series[i])),
                       t.text, escaped(s.series[i]));
    x += wide;
  }
  height = y + 14;
  return out;
}

}  // namespace
}  // namespace svg

Theme paper() {
  return {"#ffffff",
          "#1b1f24",
          "#57606a",
          "#e3e6ea",
          {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9", "#6b6b6b", "#000000"}};
}

Theme of_page() {
  Theme t{"none", "var(--text)", "var(--faint)", "var(--grid)", {}};
  for (std::size_t i = 0; i < t.palette.size(); ++i) t.palette[i] = fmt::format("var(--c{})", i);
  return t;
}

namespace svg {
namespace {

/// One that is wider than its panel begins over the axis' labels; what is wider than both is condensed.
std::string panel_title(std::string const& title, Layout const& l, Theme const& t) {
  double const wide = text_width(title, label_size) * bold, room = l.inner_width + 8;
  double const over = std::clamp(wide - room, 0.0, l.left);
  std::string const condensed =
      wide > room + l.left ? fmt::format(" textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\"", room + l.left)
                           : "";
  return fmt::format("<text x=\"{:.1f}\" y=\"-8\" font-weight=\"600\" fill=\"{}\"{}>{}</text>", -over, t.text,
                     condensed, escaped(title));
}

}  // namespace
}  // namespace svg

std::string draw_svg(Prepared const& f, Theme const& t, double width, bool with_title) {
  using namespace svg;
  if (!f.empty.empty() || f.figure->spec.is_null()) return {};
  Chart const chart = parse_chart(f.figure->spec, f.figure->name);
  Scales const scales = scales_of(chart, f);
  Layout const l = layout_of(chart, scales, std::clamp<std::size_t>(f.panels.size(), 1, f.figure->abreast), width);
  double height = 0;
  std::string body;
  auto const line = [&](std::string const& text, double size, std::string const& color, std::string_view weight) {
    height += size + 6;
    body += fmt::format("<text x=\"0\" y=\"{:.1f}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\">{}</text>",
                        height - 4, size, weight, color, escaped(text));
  };
  if (with_title) {
    line(f.figure->title, 15, t.text, "600");
    if (!f.constants.empty()) line(f.constants, label_size, t.faint, "400");
    if (!f.emulated.empty())
      line("emulated (" + f.emulated + "): timings are no results", label_size, t.palette[1], "600");
  }
  body += legend(chart, scales, t, width, height);
  double const tall = l.header + l.inner_height + l.bottom + 8;
  for (std::size_t i = 0; i < f.panels.size(); ++i) {
    double const each = l.left + l.inner_width + 8 + gap;
    double const x = l.left + static_cast<double>(i % l.columns) * each;
    std::size_t const row = i / l.columns;
    double const y = height + l.header + static_cast<double>(row) * tall;
    body += fmt::format("<g transform=\"translate({:.1f},{:.1f})\">", x, y);
    if (!f.panels[i].empty()) body += panel_title(f.panels[i], l, t);
    if (auto const* c = chart.channel("x"); c && c->has_axis) body += x_axis(scales, *c, l, t);
    if (auto const* c = chart.channel("y"); c && c->has_axis) body += y_axis(scales, *c, l, t);
    body += marks_of(chart, scales, f, f.panels[i], {l.inner_width, l.inner_height}, t) + "</g>\n";
  }
  std::size_t const lines = (f.panels.size() + l.columns - 1) / l.columns;
  height += static_cast<double>(lines) * tall;
  std::string const background =
      t.background == "none" ? ""
                             : fmt::format("<rect x=\"-8\" y=\"-4\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"{}\"/>",
                                           width + 16, height + 8, t.background);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -4 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "role=\"img\" "
      "aria-label=\"{}\" font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"{}\">{}{}</svg>\n",
      width + 16, height + 8, width + 16, height + 8, escaped(f.figure->title), label_size, background, body);
}

}  // namespace folioscope
