// SPDX-License-Identifier: Apache-2.0
// One panel's marks, on scales that all panels share.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/svg/chart.hpp"
#include "report/svg/draw.hpp"
#include "report/svg/scale.hpp"

namespace folioscope::svg {

struct Scales {
  Scale x, y, offset;
  std::vector<std::string> series;  ///< of the colour channel, where it is nominal
};
Scales scales_of(Chart const& chart, Prepared const& figure);

struct Size {
  double width = 0, height = 0;
};
std::string marks_of(Chart const& chart, Scales const& scales, Prepared const& figure, std::string_view panel,
                     Size size, Theme const& theme);

/// The n-th of eight shapes around a point, `area` in square pixels.
std::string symbol(std::size_t n, double x, double y, double area, std::string const& color);
std::string color_of(Theme const& theme, std::size_t series);
/// The colour that a specification gives a name, else that of the palette.
std::string color_of(Theme const& theme, std::size_t series, Channel const* color, std::string_view name);
/// What a text will take in a usual sans-serif face.
double text_width(std::string_view text, double size);

}  // namespace folioscope::svg
