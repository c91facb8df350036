// SPDX-License-Identifier: Apache-2.0
// One page with every figure of any number of campaigns, that opens offline, and the same figures as SVG files. It
// writes nothing itself.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "explain/foreign.hpp"
#include "record/capsule.hpp"

namespace folioscope {

/// A capsule's campaigns stand together in `campaigns`, in the order of the files.
struct ReportSource {
  std::string file;
  std::size_t campaigns = 0;
};

struct NamedSvg {
  std::string name;  ///< of the figure
  std::string text;
};

struct Report {
  std::string html;
  std::vector<NamedSvg> svgs;        ///< of the figures that have something to draw; empty unless asked for
  std::vector<std::string> undrawn;  ///< names of the figures that have nothing to draw
};
/// `foreign`: a user's own published figures, beside those built in.
Report report(std::span<Campaign const> campaigns, std::span<ReportSource const> sources, bool with_svgs,
              std::span<ForeignFigure const> foreign = {});

/// Why figures do not move in this build's pages; empty where they do.
std::string why_no_bundles();

}  // namespace folioscope
