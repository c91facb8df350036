// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>

#include "report/machines.hpp"
#include "report/report.hpp"
#include "report/svg/panel.hpp"
#include "report/svg/scale.hpp"
#include "synthetic/mechanism_machines.hpp"

namespace folioscope {
namespace {

std::string drawing(std::string const& name) {
  std::vector<Campaign> const campaigns{synthetic::usual()};
  std::vector<ReportSource> const sources{{"usual", 1}};
  for (auto const& svg : report(campaigns, sources, true).svgs)
    if (svg.name == name) return svg.text;
  return {};
}

std::size_t occurrences(std::string const& text, std::string const& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

TEST(Svg, EveryElementIsClosed) {
  std::vector<Campaign> const campaigns{synthetic::hostile()};
  std::vector<ReportSource> const sources{{"<&\">", 1}};
  for (auto const& svg : report(campaigns, sources, true).svgs) {
    std::vector<std::string> open;
    std::regex const tag(R"(<(/?)([a-z]+)([^<>]*?)(/?)>)");
    for (std::sregex_iterator it(svg.text.begin(), svg.text.end(), tag), end; it != end; ++it) {
      if ((*it)[4] == "/") continue;
      if ((*it)[1] == "/") {
        ASSERT_FALSE(open.empty()) << svg.name;
        EXPECT_EQ(open.back(), (*it)[2].str()) << svg.name;
        open.pop_back();
      } else {
        open.push_back((*it)[2]);
      }
    }
    EXPECT_TRUE(open.empty()) << svg.name;
  }
}

/// Panels side by side: none's title runs into the next.
TEST(Svg, TitlesKeepToTheirPanels) {
  std::vector<Campaign> const campaigns{synthetic::mechanism_campaign({})};
  std::vector<ReportSource> const sources{{"mechanisms", 1}};
  std::regex const title(
      "<g transform=\"translate\\(([-0-9.]+),([-0-9.]+)\\)\"><text x=\"([-0-9.]+)\" y=\"-8\"[^>]*?( "
      "textLength=\"([0-9]+)"
      "[^>]*)?>([^<]*)<");
  std::size_t condensed = 0, seen = 0;
  for (auto const& svg : report(campaigns, sources, true).svgs) {
    double end_before = 0;
    std::string row;
    for (std::sregex_iterator it(svg.text.begin(), svg.text.end(), title), end; it != end; ++it, ++seen) {
      auto const& m = *it;
      double const begin = std::stod(m[1]) + std::stod(m[3]);
      if (m[2] == row) {
        EXPECT_LE(end_before, begin) << svg.name << ": " << m[6];
      }
      row = m[2];
      condensed += m[5].matched;
      end_before = begin + (m[5].matched ? std::stod(m[5]) : svg::text_width(m[6].str(), 11) * 1.15);
    }
  }
  EXPECT_GT(seen, 20u);
  EXPECT_GT(condensed, 0u) << "a kernel with a fence a pass";
}

TEST(Svg, DrawsAMarkForEveryRow) {
  std::string const latency = drawing("latency");
  EXPECT_EQ(occurrences(latency, "<circle"), 16u) << "a curve alone needs no legend";
  for (std::string const level : {"L1d", "L2", "L3"})
    EXPECT_NE(latency.find(">" + level + "<"), std::string::npos) << level;
  for (std::string const title : {"bytes a dependent chain of loads covers", "ns a load"})
    EXPECT_NE(latency.find(">" + title + "<"), std::string::npos) << "the axis is the data's, not the dashed lines'";
  EXPECT_EQ(latency.find("e+0"), std::string::npos) << "bytes are labelled as people write them";
}

TEST(Svg, NoTickIsANumberForMachines) {
  std::vector<Campaign> const campaigns{synthetic::usual()};
  std::vector<ReportSource> const sources{{"usual", 1}};
  for (auto const& svg : report(campaigns, sources, true).svgs)
    EXPECT_FALSE(std::regex_search(svg.text, std::regex(R"(>[0-9.]+e\+[0-9]+<)"))) << svg.name;
}

TEST(Svg, SlowerLiesFurtherAlong) {
  using namespace svg;
  Channel c;
  c.quantitative = true;
  c.zero = true;
  Scale const linear(c, 10, 90);
  EXPECT_DOUBLE_EQ(*linear.at(0.0), 0);
  EXPECT_LT(*linear.at(30.0), *linear.at(60.0));
  c.log = true;
  Scale const log(c, 1, 100);
  EXPECT_NEAR(*log.at(10.0), 0.5, 1e-9);
  EXPECT_FALSE(log.at(0.0)) << "0 has no place on a logarithmic axis";
  EXPECT_FALSE(log.at(NAN));
}

TEST(Svg, OneValueStillHasAnAxis) {
  using namespace svg;
  for (bool const log : {false, true}) {
    Channel c;
    c.quantitative = true;
    c.log = log;
    for (double const value : {0.0, 1e-9, 1.0, 1e18}) {
      Scale const s(c, value, value);
      if (!log || value > 0) {
        ASSERT_TRUE(s.at(value)) << value;
        EXPECT_GE(*s.at(value), 0) << value;
      }
      EXPECT_LT(s.ticks(5).size(), 50u);
    }
  }
}

TEST(Svg, AxesOfAnySpanHaveFewTicks) {
  using namespace svg;
  for (bool const log : {false, true}) {
    Channel c;
    c.quantitative = true;
    c.log = log;
    c.base = 2;
    c.padding = 8;
    for (auto const& [low, high] : {std::pair(64.0, 1e300), std::pair(1e-300, 1e308), std::pair(-1e308, 1e308),
                                    std::pair(1e308, 1e308), std::pair(1e17, 1e17 + 64)}) {
      Scale const s(c, low, high);
      EXPECT_LT(s.ticks(5).size(), 50u) << low << " to " << high;
    }
  }
}

TEST(Svg, APointBeyondAllMeasureLeavesTheOthersApart) {
  std::vector<Campaign> campaigns{synthetic::usual()};
  std::vector<ReportSource> const sources{{"usual", 1}};
  for (double const x : {1e300, 1e308}) {
    campaigns[0].points.push_back({"latency.idle", "", x, x, {}, {}});
    Report const made = report(campaigns, sources, true);
    EXPECT_LT(made.html.size(), 64u << 20);
    for (auto const& svg : made.svgs) EXPECT_LT(svg.text.size(), 4u << 20) << svg.name;
  }
}

TEST(Svg, LabelsOfBytesAreThoseOfPeople) {
  EXPECT_EQ(svg::tick_label(4096, "bytes"), "4K");
  EXPECT_EQ(svg::tick_label(2097152, "bytes"), "2M");
  EXPECT_EQ(svg::tick_label(64, "bytes"), "64");
  EXPECT_EQ(svg::tick_label(0.25, ""), "0.25");
}

TEST(Svg, ColoursRunAlongTheScale) {
  svg::Channel c;
  c.log = true;
  c.domain = {0.5, 1, 2};
  c.range = {"#000000", "#808080", "#ffffff"};
  EXPECT_EQ(svg::color_at(c, 1), "#808080");
  EXPECT_EQ(svg::color_at(c, 0.1), "#000000");
  EXPECT_EQ(svg::color_at(c, 100), "#ffffff");
  EXPECT_EQ(svg::color_at(c, NAN), "#888888");
}

TEST(Svg, NamesKeepTheirPlaceAndColour) {
  svg::Channel c;
  c.names = {"L1", "memory"};
  c.range = {"#111111", "#222222"};
  Theme const theme = paper();
  EXPECT_EQ(svg::color_of(theme, 5, &c, "memory"), "#222222");
  EXPECT_EQ(svg::color_of(theme, 1, &c, "another"), theme.palette[1]);
  EXPECT_EQ(svg::color_of(theme, 1, nullptr, "L1"), theme.palette[1]);
}

TEST(Svg, AScaleThatIsNotNiceEndsWhereItsValuesDo) {
  svg::Channel c;
  c.zero = true;
  c.nice = false;
  EXPECT_EQ(svg::Scale(c, 3, 512).at(512.0), 1.0);
  c.nice = true;
  EXPECT_LT(*svg::Scale(c, 3, 512).at(512.0), 1.0);
}

}  // namespace
}  // namespace folioscope
