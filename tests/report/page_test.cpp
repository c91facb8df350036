// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "report/html.hpp"
#include "report/machines.hpp"
#include "report/report.hpp"

namespace folioscope {
namespace {

Report made(std::vector<Campaign> const& campaigns, bool svgs = false) {
  std::vector<ReportSource> const sources{{"here.folioscope", campaigns.size()}};
  return report(campaigns, sources, svgs);
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

/// What stands before the bundles' licences and scripts: what this project writes.
std::string own_part(std::string const& html) { return html.substr(0, html.find("<!-- Vega")); }

TEST(Page, SaysInASentenceWhatToDo) {
  auto const html = made({synthetic::usual()}).html;
  EXPECT_NE(html.find("class=\"conclusion\">A change is justified"), std::string::npos);
  EXPECT_NE(html.find("folioscope sweep --experiment usual"), std::string::npos) << "no command to reproduce it";
  EXPECT_NE(html.find("here.folioscope"), std::string::npos);
}

TEST(Page, DrawsEveryFigureWhereTheCapsuleHasAllSources) {
  auto const all =
      made({synthetic::usual(), synthetic::radii(), synthetic::running_linux(), synthetic::used_paths()}, true);
  EXPECT_TRUE(all.undrawn.empty()) << all.undrawn.front();
  EXPECT_GE(all.svgs.size(), 16u);
}

TEST(Page, NamesWhatItHasNoSourceFor) {
  auto const page = made({synthetic::emulated()});
  for (std::string const name : {"fills", "residency", "latency"})
    EXPECT_NE(std::ranges::find(page.undrawn, name), page.undrawn.end()) << name;
  EXPECT_NE(page.html.find("No source of fills in these capsules"), std::string::npos);
  EXPECT_NE(page.html.find("No source of residency in these capsules"), std::string::npos);
}

TEST(Page, FillsAndResidencyNeverShareAFigure) {
  auto const svgs = made({synthetic::usual()}, true).svgs;
  for (auto const& svg : svgs)
    EXPECT_FALSE(svg.text.find("events per line") != std::string::npos &&
                 svg.text.find("share of lines held") != std::string::npos)
        << svg.name;
}

TEST(Page, EveryKindOfCampaignGivesAPageAndSound) {
  for (auto const& [name, campaigns] : synthetic::kinds()) {
    auto const page = made(campaigns, true);
    EXPECT_NE(page.html.find("class=\"conclusion\""), std::string::npos) << name;
    EXPECT_LT(page.html.size(), 5'000'000u) << name;
    for (auto const& svg : page.svgs) {
      EXPECT_EQ(svg.text.find("nan"), std::string::npos) << name << " " << svg.name;
      EXPECT_EQ(svg.text.find("inf"), std::string::npos) << name << " " << svg.name;
    }
    if (name == "none" || name == "all-refused") {
      EXPECT_TRUE(page.svgs.empty()) << name;
      EXPECT_NE(page.html.find("No cell was timed"), std::string::npos) << name;
    } else {
      EXPECT_GE(page.svgs.size(), 2u) << name;
    }
  }
}

TEST(Page, SaysWhatIsUnusualAboutTheTimesAsAWhole) {
  auto const says = [](Campaign const& c, std::string const& words) {
    return made({c}).html.find("class=\"remark\">" + words) != std::string::npos;
  };
  EXPECT_TRUE(says(synthetic::all_refused(), "No cell was timed"));
  EXPECT_TRUE(says(synthetic::one_point(), "One placement alone"));
  EXPECT_TRUE(says(synthetic::all_equal(), "Every cell took exactly the same time"));
  EXPECT_TRUE(says(synthetic::very_skewed(), "The times scatter very widely"));
  EXPECT_FALSE(says(synthetic::usual(), ""));
}

TEST(Page, AllRefusedShowsWhy) {
  auto const html = made({synthetic::all_refused()}).html;
  EXPECT_NE(html.find("<td>not even that</td>"), std::string::npos);
  EXPECT_NE(html.find("<td>another machine</td>"), std::string::npos);
}

TEST(Page, NothingFromACapsuleBecomesMarkup) {
  auto const page = made({synthetic::hostile()}, true);
  std::string const own = own_part(page.html);
  EXPECT_NE(own.find("&lt;img src=x"), std::string::npos) << "the hostile texts are not there: the test tests nothing";
  EXPECT_EQ(count(own, "<img"), 0u);
  EXPECT_EQ(count(own, "<b "), 0u);
  EXPECT_EQ(count(own, "<svg/onload"), 0u);
  EXPECT_EQ(count(own, "\xe2\x80\xa8"), 0u);
  EXPECT_EQ(count(own, "\x1b"), 0u);
  // As many scripts as figures, and each closed once.
  EXPECT_EQ(count(own, "<script"), count(own, "<script type=\"application/json\" data-figure="));
  EXPECT_EQ(count(own, "<script"), count(own, "</script>"));
  EXPECT_LE(count(own, "<script"), count(own_part(made({synthetic::usual()}).html), "<script"));
  for (auto const& svg : page.svgs) {
    EXPECT_EQ(count(svg.text, "<img"), 0u) << svg.name;
    EXPECT_EQ(count(svg.text, "<script"), 0u) << svg.name;
  }
}

TEST(Page, AsksNoNetwork) {
  std::string const own = own_part(made({synthetic::usual()}).html);
  EXPECT_NE(own.find("default-src 'none'"), std::string::npos);
  std::regex const fetched(R"re((src|href)="(?!#|data:)[^"]*")re");
  EXPECT_FALSE(std::regex_search(own, fetched));
  EXPECT_EQ(own.find("@import"), std::string::npos);
}

TEST(Page, EveryFigureOfAnEmulatedMachineSaysSo) {
  auto const page = made({synthetic::emulated()}, true);
  EXPECT_EQ(count(page.html, "Emulated (TCG): timings are no results."), count(page.html, "<figure ") + 1);
  ASSERT_FALSE(page.svgs.empty());
  for (auto const& svg : page.svgs) EXPECT_NE(svg.text.find("emulated (TCG)"), std::string::npos) << svg.name;
  EXPECT_EQ(made({synthetic::usual()}).html.find("Emulated"), std::string::npos);
}

TEST(Page, SeveralCampaignsStandBesideEachOther) {
  auto const page = made(synthetic::several(), true);
  EXPECT_EQ(count(page.html, "<article"), 3u);
  for (auto const& svg : page.svgs)
    if (svg.name == "time_by_order") {
      for (std::string const machine : {"Synthetic 1000", "Synthetic 2000", "Synthetic 3000"})
        EXPECT_NE(svg.text.find(machine), std::string::npos) << machine;
    }
}

TEST(Page, CampaignsThatLookAlikeAreToldApart) {
  Campaign const c = synthetic::emulated();
  auto const html = made({c, c}).html;
  EXPECT_NE(html.find("#1"), std::string::npos);
  EXPECT_NE(html.find("#2"), std::string::npos);
}

TEST(Html, EscapesWhatWouldEndATextOrAScript) {
  EXPECT_EQ(escaped("<a b='c' d=\"e\">&\x01"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;?");
  EXPECT_EQ(json_string("</script>&\xe2\x80\xa9"), "\"\\u003c/script\\u003e\\u0026\\u2029\"");
}

}  // namespace
}  // namespace folioscope
