// SPDX-License-Identifier: Apache-2.0
// The part of Vega-Lite that figures may use, read into values. What lies outside is an error that names it, so that a
// drawing without a browser never silently differs from the one in the page.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/json.hpp"

namespace folioscope::svg {

struct Channel {
  std::string field;  ///< empty for a datum or a value
  bool quantitative = false;
  std::optional<double> datum;  ///< a constant on the scale
  std::optional<double> value;  ///< a constant in pixels
  bool log = false;
  double base = 10;
  bool zero = false;               ///< the scale begins at 0
  bool nice = true;                ///< a linear scale ends at round numbers
  double padding = 0;              ///< pixels kept free at both ends
  std::vector<double> domain;      ///< of a colour scale of numbers
  std::vector<std::string> names;  ///< of one of names: those that there may be, in their order
  std::vector<std::string> range;
  std::string title;
  std::string format;         ///< of axis labels: "bytes" or empty
  std::vector<double> ticks;  ///< where labels may stand; empty: anywhere
  bool has_axis = true;
  bool has_legend = true;
};

struct Filter {
  std::string field, text;
};

struct Layer {
  std::string mark;  ///< "point", "line", "rule", "rect", "text"
  double size = 30, opacity = 1, stroke_width = 1.5, dx = 0, dy = 0, font_size = 10;
  std::vector<double> dash;
  std::string color;  ///< fixed; empty: by the colour channel, or the first of the palette
  std::string align = "center";
  std::map<std::string, Channel> channels;
  std::vector<Filter> filters;
  Channel const* channel(std::string_view name) const;
};

struct Chart {
  std::vector<Layer> layers;
  std::optional<double> height;  ///< of a panel
  std::optional<double> step;    ///< height of one row, or of one offset row
  /// The first channel of that name in any layer, one with a title before all others: layers share their axes, and
  /// those of rules and labels beside the data say nothing of them.
  Channel const* channel(std::string_view name) const;
};

/// Throws Error naming the figure and what is outside the subset.
Chart parse_chart(Json const& spec, std::string_view figure);

}  // namespace folioscope::svg
