// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "explain/advice.hpp"
#include "explain/layout.hpp"
#include "explain/machines.hpp"

namespace folioscope {
namespace {

using namespace synthetic;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Explanation explained(Request const& request) {
  Campaign const c = campaign(request);
  return explain({&c, 1});
}

std::vector<std::string> lines_of(std::string const& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// No byte that a terminal could take for a command, nothing that turns the writing direction.
void expect_harmless(std::string const& text) {
  for (char c : text)
    EXPECT_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) << static_cast<int>(c);
  EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));      // C1 CSI
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));  // right-to-left override
}

TEST(Explain, SaysThatALosingOrderJustifiesAChange) {
  Explanation const e = explained(losing_machine());
  Advice const& a = e.advice.at(0);
  EXPECT_THAT(a.conclusion, HasSubstr("A change is justified: Linux 6.18.5"));
  EXPECT_THAT(a.conclusion, HasSubstr("v7.0's order makes no difference"));
  EXPECT_EQ(a.order, "sequential");
  EXPECT_EQ(a.kernel, "movnti");  // Linux may use it; movnt_avx512 needs the FPU
  std::string const text = to_text(e);
  EXPECT_THAT(text, HasSubstr("Synthetic 9000"));
  EXPECT_THAT(text, HasSubstr("from the last page to the first"));
  EXPECT_THAT(text, HasSubstr("3.1"));
  EXPECT_THAT(text, HasSubstr("A/A:"));
}

TEST(Explain, SaysThatNoChangeIsJustifiedWhereOrderDoesNotMatter) {
  Explanation const e = explained(indifferent_machine());
  EXPECT_THAT(e.advice.at(0).conclusion, HasSubstr("No change is justified"));
  EXPECT_EQ(e.advice.at(0).order, "sequential");
}

TEST(Explain, SaysThatCallsMatterWhereTheOrderDoesNot) {
  Request r = indifferent_machine();
  Cell whole = r.plan.cells.front().cell;
  whole.order = "sequential";
  whole.run.reset();
  whole.target.reset();
  whole.footprint = whole.call = 2_MiB;
  whole.kernel = "rep_stosb";
  r.plan.cells.push_back({whole, {{0_B, 2_MiB}}});
  auto const flat = by_order({});
  r.true_ns = [=](Cell const& c) { return flat(c) * (c.call > 4_KiB ? 0.5 : 1); };
  EXPECT_THAT(explained(r).advice.at(0).conclusion, AllOf(HasSubstr("A change is justified, though not of the order"),
                                                          HasSubstr("in calls of 2 MiB takes 0.5")));
  r.release = "7.0.1";
  EXPECT_THAT(explained(r).advice.at(0).conclusion, HasSubstr("No change is justified")) << "it hands over ranges";
}

/// A radius that Linux does not have is no figure of Linux v7.0's order.
TEST(Explain, LinuxsRadiusIsTwo) {
  Request r = losing_machine();
  r.plan = plan_of({.orders = {"target_last", "neighbourhood_last@2", "neighbourhood_last@32"}});
  r.true_ns = by_order({{"neighbourhood_last@32", 1.6}, {"target_last", 2}});
  Explanation const e = explained(r);
  EXPECT_THAT(e.advice.at(0).conclusion, HasSubstr("Linux v7.0's order makes no difference"));
  EXPECT_THAT(to_text(e), HasSubstr("neighbourhood of 32 last, not its 2"));
}

/// One of several ways told from nothing does not speak for the others.
TEST(Explain, NoDifferenceIsSaidOfAllWaysOrOfNone) {
  Campaign c = campaign(indifferent_machine());
  for (Sample& s : c.samples)
    if (c.plan.cells[s.cell].cell.order == "reverse")
      s.wall = s.wall * (s.block % 2 ? 1.25 : 0.8) * (1 + 0.02 * static_cast<double>(s.block % 7));
  Explanation const e = explain({&c, 1});
  EXPECT_THAT(e.advice.at(0).conclusion, HasSubstr("Cannot tell on this machine"));
}

TEST(Explain, SaysThatTargetLastIsTheFasterWhereItIs) {
  Request r = losing_machine();
  r.true_ns = by_order({{"target_last", 0.8}, {"reverse", 0.8}});
  EXPECT_THAT(explained(r).advice.at(0).conclusion, HasSubstr("target last is the faster"));
}

TEST(Explain, CannotTellOnANoisyMachineAndSaysWhy) {
  Request r = losing_machine();
  r.true_ns = by_order({{"reverse", 1.05}, {"target_last", 1.05}});
  r.noise = {.pass = 0.02, .placement_cell = 0.4};
  Advice const a = explained(r).advice.at(0);
  EXPECT_THAT(a.conclusion, HasSubstr("Cannot tell on this machine, because: "));
  EXPECT_THAT(a.conclusion, HasSubstr("interval"));
}

TEST(Explain, CannotTellFromTooFewPlacements) {
  Request r = losing_machine();
  r.placements = 4;
  Explanation const e = explained(r);
  EXPECT_THAT(e.advice.at(0).conclusion, HasSubstr("4 placements, fewer than 10"));
  EXPECT_FALSE(e.advice.at(0).order);
  EXPECT_TRUE(to_json(e)["recommendation"].is_null());
  EXPECT_THAT(*to_json(e)["untested"]["recommendation"].as_string(), HasSubstr("4 placements"));
}

TEST(Explain, ANewerLinuxNeedsNoChange) {
  Request r = losing_machine();
  r.release = "7.1.0-rc2";
  EXPECT_THAT(explained(r).advice.at(0).conclusion, HasSubstr("has left the target-last order already"));
}

TEST(Explain, AnEmulatorGetsNoAdviceAndEveryFigureSaysSo) {
  Request r = losing_machine();
  r.emulator = "qemu-user";
  Explanation const e = explained(r);
  EXPECT_THAT(e.advice.at(0).conclusion, HasSubstr("No advice"));
  EXPECT_FALSE(e.advice.at(0).order);
  EXPECT_TRUE(e.advice.at(0).findings.empty());
  Json const json = to_json(e);
  EXPECT_TRUE(json["recommendation"].is_null());
  for (Json const& v : json["verdicts"].items()) EXPECT_EQ(v["emulated"].as_string(), "qemu-user");
  for (std::string const& line : lines_of(to_text(e))) {
    bool const figures = line.find("±") != std::string::npos && line.find("half the") == std::string::npos;
    EXPECT_TRUE(!figures || line.find("emulated") != std::string::npos) << line;
  }
  EXPECT_THAT(to_mail(e), HasSubstr("EMULATED"));
}

TEST(Explain, NothingMeasuredSaysSo) {
  EXPECT_THAT(to_text(explain({})), HasSubstr("No campaign"));
  EXPECT_THAT(to_mail(explain({})), HasSubstr("No campaign"));
  EXPECT_TRUE(to_json(explain({}))["campaigns"].is_array());
  Campaign refused;
  refused.plan.refusals = {{"clzero", "CPUID does not offer it", ""}};
  std::string const text = to_text(explain({&refused, 1}));
  EXPECT_THAT(text, HasSubstr("Nothing was measured"));
  EXPECT_THAT(text, HasSubstr("clzero (CPUID does not offer it)"));

  Request alone = losing_machine();
  std::erase_if(alone.plan.cells,
                [](PlannedCell const& p) { return !is_reference(p.cell) || p.cell.kernel != "rep_stosb"; });
  EXPECT_THAT(explained(alone).advice.at(0).conclusion, HasSubstr("references only"));
}

TEST(Explain, APlanWithoutCellsRefusedNothing) {
  Campaign const empty;
  std::string const text = to_text(explain({&empty, 1}));
  EXPECT_THAT(text, HasSubstr("the plan has no cells"));
  EXPECT_THAT(text, Not(HasSubstr("refused")));
}

TEST(Explain, WhatAnUnknownLinuxDoesIsNotClaimed) {
  Campaign c = campaign(losing_machine());
  c.facts = {};
  std::string const text = to_text(explain({&c, 1}), 4000), mail = to_mail(explain({&c, 1}));
  EXPECT_THAT(text, HasSubstr("release unknown"));
  EXPECT_THAT(text, HasSubstr("loses on this machine"));
  EXPECT_THAT(text, HasSubstr("the release of this Linux, and with it what it does now, is unknown"));
  for (auto const& all : {text, mail}) {
    EXPECT_THAT(all, Not(HasSubstr("No change is justified")));
    EXPECT_THAT(all, Not(HasSubstr("what it does now.")));
  }
}

TEST(Explain, WhatIsLeftOutIsSaid) {
  Campaign c = campaign(losing_machine(1));
  c.left_out = "Left out, as damaged: 7 samples.";
  Explanation const e = explain({&c, 1});
  for (auto const& text : {to_text(e), to_mail(e), to_json(e).dump()}) EXPECT_THAT(text, HasSubstr("damaged: 7"));
}

TEST(Explain, FiguresAreShortWhateverTheTimes) {
  Campaign c = campaign(losing_machine());
  for (std::size_t i = 0; i < c.samples.size(); ++i)
    c.samples[i].wall = Nanoseconds(i % 3 == 0 ? 1e300 : i % 3 == 1 ? 1e-300 : 1e308);
  for (Block& b : c.blocks) b.steal_s = 1e300;
  Explanation const e = explain({&c, 1});
  for (auto const& text : {to_text(e), to_mail(e)}) {
    EXPECT_THAT(text, Not(testing::ContainsRegex("[0-9]{20}")));
    EXPECT_THAT(text, Not(testing::ContainsRegex("[^a-z](nan|inf)[^a-z]")));
  }
}

TEST(Explain, TextFitsAboutOneScreen) {
  std::string const text = to_text(explained(losing_machine()), 100);
  auto const lines = lines_of(text);
  EXPECT_LE(lines.size(), 60u);
  for (auto const& line : lines) EXPECT_LE(shown_width(line), 100u) << line;
}

TEST(Explain, MailIsPlainAsciiIn72Columns) {
  for (Campaign const& c : {campaign(losing_machine()), published_campaign()}) {
    std::string const mail = to_mail(explain({&c, 1}));
    for (auto const& line : lines_of(mail)) {
      EXPECT_LE(line.size(), 72u) << line;
      EXPECT_TRUE(std::ranges::all_of(line, [](unsigned char ch) { return ch >= 0x20 && ch < 0x7f; })) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_THAT(mail, HasSubstr(c.header.command));
    EXPECT_THAT(mail, HasSubstr("What would change this verdict"));
    EXPECT_THAT(mail, HasSubstr("Machine:"));
    EXPECT_THAT(mail, HasSubstr("Linux:"));
    EXPECT_THAT(mail, HasSubstr("Method:"));
  }
}

TEST(Explain, PublishedTableHasFiveColumnsAndTheirMean) {
  Campaign const c = published_campaign();
  Explanation const e = explain({&c, 1});
  ASSERT_EQ(e.published.size(), 1u);
  ASSERT_EQ(e.published[0].groups.size(), 3u);
  for (PublishedGroup const& group : e.published[0].groups) {
    ASSERT_EQ(group.rows.size(), 3u);
    double const page = group.rows[0].mean->value;
    EXPECT_NEAR(page, 58000.0 * static_cast<double>(group.footprint.value >> 21), page * 0.01);
    EXPECT_NEAR(group.rows[1].mean->value / page, 1.0, 0.01);
    EXPECT_NEAR(group.rows[2].mean->value / page, 3.0, 0.03);
    for (PublishedRow const& row : group.rows) {
      double sum = 0;
      for (auto const& column : row.columns) sum += column->value;
      EXPECT_NEAR(sum / 5, row.mean->value, 1e-6 * sum);
    }
  }
  for (std::string const& text : {to_text(e), to_mail(e)}) {
    EXPECT_THAT(text, HasSubstr("N=512"));
    EXPECT_THAT(text, HasSubstr("target last (0)"));
    EXPECT_THAT(text, HasSubstr("cond_resched"));
  }
  EXPECT_EQ(to_json(e)["published_table"].items().at(0)["rows"].items().size(), 9u);
}

TEST(Explain, PublishedTableOfAShortRunHasHoles) {
  Campaign c = published_campaign();
  std::erase_if(c.blocks, [](Block const& b) { return b.placement > 2; });
  Explanation const e = explain({&c, 1});
  PublishedRow const& row = e.published.at(0).groups.at(0).rows.at(0);
  EXPECT_TRUE(row.columns[2]);
  EXPECT_FALSE(row.columns[3]);
  EXPECT_TRUE(row.mean);
}

TEST(Explain, HostileNamesAreMadeHarmless) {
  Request r = losing_machine();
  r.machine =
      "EPYC\x1b]0;owned\x07\xc2\x9b"
      "31m\n\nroot# \xe2\x80\xae\xff\xc3";
  r.release = "6.18\x1b[2J";
  for (PlannedCell& p : r.plan.cells) {
    if (p.cell.order == "random") p.cell.order = "file:a\x1b[31m\nb<script>\"";
    if (p.cell.kernel == "movnti") p.cell.kernel = "movnti\x1b[0m\r";
  }
  Campaign c = campaign(r);
  c.header.command = "folioscope sweep\nrm -rf /\x1b[0m";
  c.header.stop_reason = "x\x1b[1m";
  c.plan.refusals = {{"clzero\x1b[5m", "because\n\x1b[7m", ""}};
  Explanation const e = explain({&c, 1});
  expect_harmless(to_text(e));
  expect_harmless(to_mail(e));
  EXPECT_NO_THROW(parse_json(to_json(e).dump(), "test"));
}

TEST(Explain, SeveralCampaignsShareOneFamilyAndOnePage) {
  std::vector<Campaign> const both{campaign(losing_machine(1)), campaign(indifferent_machine(2))};
  Explanation const e = explain(both);
  std::string const text = to_text(e);
  EXPECT_THAT(text, HasSubstr("A change is justified"));
  EXPECT_THAT(text, HasSubstr("No change is justified"));
  EXPECT_EQ(to_json(e)["campaigns"].items().size(), 2u);
}

TEST(Explain, TheNewestCampaignOfAMachineComesFirstAndIsTheMail) {
  std::vector<Campaign> both{campaign(losing_machine(1)), campaign(indifferent_machine(2))};
  both[0].header.started = "2026-01-01T00:00:00Z";
  both[1].header.started = "2026-02-01T00:00:00Z";
  both[1].facts = both[0].facts;
  Explanation const same = explain(both);
  std::string const text = to_text(same);
  EXPECT_LT(text.find("No change is justified"), text.find("A change is justified"));
  EXPECT_THAT(to_mail(same), HasSubstr("No change is justified"));
  EXPECT_THAT(to_mail(same), Not(HasSubstr("A change is justified")));
  both[1].facts = Facts();
  both[1].facts.add(std::string(fact::instance_key), "another machine", "made up");
  std::string const mails = to_mail(explain(both));
  EXPECT_THAT(mails, HasSubstr("No change is justified"));
  EXPECT_THAT(mails, HasSubstr("A change is justified"));
}

TEST(Explain, SaysWhenOthersHadTheCpu) {
  Campaign c = campaign(losing_machine(1));
  for (Sample& s : c.samples) {
    s.user = s.wall * 0.5;
    s.system = s.wall * 0.1;
  }
  EXPECT_THAT(to_text(explain({&c, 1}), 2000), HasSubstr("had the CPU in 40"));
  for (Sample& s : c.samples) s.user = s.wall * 0.88;
  EXPECT_THAT(to_text(explain({&c, 1}), 2000), Not(HasSubstr("had the CPU")));
}

TEST(Explain, TheMailLeavesOutWhereTheFileLay) {
  Campaign c = campaign(losing_machine(1));
  c.header.command = "folioscope sweep --out '/home/a b/x.folioscope' --budget 60s";
  EXPECT_THAT(to_mail(explain({&c, 1})), HasSubstr("\n  folioscope sweep --budget 60s"));
}

TEST(Release, SaysWhichOrderLinuxUses) {
  EXPECT_EQ(order_of_release("6.18.5"), LinuxOrder::target_last);
  EXPECT_EQ(order_of_release("4.19.0-cloud-amd64"), LinuxOrder::target_last);
  EXPECT_EQ(order_of_release("4.4.0"), LinuxOrder::sequential);
  EXPECT_EQ(order_of_release("7.0.0-rc1"), LinuxOrder::neighbourhood_last);
  EXPECT_FALSE(order_of_release(""));
  EXPECT_FALSE(order_of_release("six"));
  EXPECT_FALSE(order_of_release("6"));
  EXPECT_FALSE(order_of_release("6."));
}

TEST(Layout, WrapsAtWordsAndCountsCharacters) {
  EXPECT_EQ(wrapped("aa bb cc", 5), "aa bb\ncc");
  EXPECT_EQ(wrapped("µµ µµ µµ", 5, 0, 2), "µµ µµ\n  µµ");
  EXPECT_EQ(wrapped("averylongword b", 5), "averylongword\nb");
  EXPECT_EQ(wrapped("", 5), "");
  EXPECT_EQ(shown_width("±µ"), 2u);
  EXPECT_EQ(ascii("3 µs ± 1 × ☃"), "3 us +- 1 x ?");
  EXPECT_EQ(printable("a\tb\x7f", 60), "a?b?");
  EXPECT_EQ(printable("\xed\xa0\x80", 60), "???");  // a surrogate is no character
  EXPECT_EQ(printable("abcdefgh", 6), "abc...");
}

}  // namespace
}  // namespace folioscope
