// SPDX-License-Identifier: Apache-2.0
// A figure as SVG without a browser, from the specification and rows that the page's figure is drawn from.
#pragma once
#include <array>
#include <string>

#include "report/figure.hpp"

namespace folioscope {

/// Colours as SVG writes them: literal for files, CSS variables inside the page.
struct Theme {
  std::string background, text, faint, grid;
  std::array<std::string, 8> palette;
};
/// Okabe and Ito's colours, told apart by the colour-blind; yellow, which is too light on white, darkened.
Theme paper();
/// The page's variables.
Theme of_page();

/// `width` pixels wide; panels in as many columns as fit. Empty for a figure that has nothing to draw.
std::string draw_svg(Prepared const& figure, Theme const& theme, double width, bool with_title);

}  // namespace folioscope
