// SPDX-License-Identifier: Apache-2.0
// Published ratios beside measured ones; tables of users, right, wrong and hostile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "explain/explain.hpp"
#include "explain/machines.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

using namespace synthetic;
using testing::HasSubstr;
using Where = MeasuredBeside::Where;

std::string const head =
    "[[source]]\nname = 's'\ntitle = 't'\nwhere = 'a list'\ndate = '2025-01'\nmachine = 'some machine'\n";

std::string figure_of(std::string const& rest,
                      std::string const& names = "workload = 'w'\narm = 'x (more)'\nover = 'y'\n") {
  return "[[figure]]\nsource = 's'\n" + names + rest;
}

std::string const measurable = "cell = 'reverse'\ncommand = 'folioscope sweep'\n";
std::string const times = "value = 3\nover_value = 1\nunit = 's'\n";

ForeignRow row_about(std::span<ForeignRow const> rows, std::string const& workload, std::string const& arm) {
  for (ForeignRow const& row : rows)
    if (row.figure.workload == workload && row.figure.arm.starts_with(arm)) return row;
  ADD_FAILURE() << workload << ": " << arm;
  return {};
}

TEST(Foreign, WhatIsBuiltInSaysWhatWasPublished) {
  auto const all = foreign_figures();
  EXPECT_GE(all.size(), 20u);
  for (ForeignFigure const& f : all) {
    EXPECT_GT(f.ratio, 0.1) << row_words(f);
    EXPECT_LT(f.ratio, 5) << row_words(f);
    EXPECT_NE(f.command.empty(), f.unseen.empty()) << row_words(f);
  }
  EXPECT_NEAR(all.front().ratio, 176.8 / 58, 1e-9) << "the puzzle: repeated measurements count by their mean";
}

TEST(Foreign, RatesAndPercentagesBecomeRatiosOfTimes) {
  auto const of = [](std::string const& figures) {
    return parse_foreign(head + figure_of(figures + measurable), "own.toml").at(0).ratio;
  };
  EXPECT_DOUBLE_EQ(of(times), 3);
  EXPECT_DOUBLE_EQ(of("value = [2, 4]\nover_value = [1, 2]\nunit = 's'\n"), 2);
  EXPECT_DOUBLE_EQ(of("value = 10\nover_value = 20\nunit = 'GB/s'\nrate = true\n"), 2)
      << "half the rate, twice the time";
  EXPECT_DOUBLE_EQ(of("faster_percent = 25\n"), 0.8);
}

TEST(Foreign, StandsBesideTheCellsOfTheSameContrast) {
  Campaign const c = published_campaign();
  Explanation const e = explain({&c, 1});
  for (char const* workload : {"clear N=1", "clear N=100", "clear N=512"}) {
    ForeignRow const order = row_about(e.foreign, workload, "target last");
    ASSERT_EQ(order.here.size(), 1u) << workload;
    EXPECT_NEAR(order.here[0].ratio.ratio, 3.0, 0.05);
    EXPECT_EQ(published_lies(order, order.here[0]), order.figure.ratio > 3 ? "above" : "below");
    ForeignRow const call = row_about(e.foreign, workload, "one call");
    ASSERT_EQ(call.here.size(), 1u) << workload;
    EXPECT_NEAR(call.here[0].ratio.ratio, 1.0, 0.02);
  }
  ForeignRow const faults = row_about(e.foreign, "anon-w-seq-mt, THP", "target last");
  EXPECT_TRUE(faults.here.empty());
  EXPECT_EQ(faults.why, "run folioscope linux anon-w-seq-mt with the same --out");
  EXPECT_THAT(to_text(e), HasSubstr("Published ratios, time ÷ time"));
  EXPECT_THAT(to_mail(e), HasSubstr("3.05 published"));
  Json const json = to_json(e)["foreign"];
  ASSERT_EQ(json.items().size(), e.foreign.size()) << "rows that nothing stands beside stay";
  for (Json const& row : json.items())
    EXPECT_NE(row["measured"].items().empty(), row["not_measured_here"].is_null()) << row.dump();
}

TEST(Foreign, LinuxsOwnFaultsStandBesidePublishedOnes) {
  std::vector<Campaign> campaigns;
  for (char const* name : {"amd-genoa-guest-linux.folioscope", "amd-genoa-guest-quick.folioscope"})
    campaigns.push_back(Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / name).load(1));
  ForeignRow const row = row_about(explain(campaigns).foreign, "2 MiB faults", "target last");
  ASSERT_EQ(row.here.size(), 2u) << "one machine: its Linux, and user space";
  EXPECT_EQ(row.here[0].where, Where::linux);
  EXPECT_EQ(row.here[1].where, Where::user_space);
  EXPECT_NEAR(row.here[0].ratio.ratio, 2.42, 0.15);
}

TEST(Foreign, APathThatIsClearedInAnotherOrderIsNoCounterpart) {
  std::vector<Campaign> campaigns;
  for (char const* name : {"amd-genoa-guest-linux.folioscope"})
    campaigns.push_back(Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / name).load(1));
  std::vector<Runs> runs;
  runs.emplace_back(campaigns[0]);
  LinuxRatio ratio;
  ratio.path = "anon-w-seq, 2 tasks";
  ratio.order = "neighbourhood_last";
  ratio.shown = Estimate{};
  ratio.shown.ratio = 1;
  ratio.shown.n = 12;
  std::vector<LinuxRatio> ratios{ratio};
  ForeignRow row = row_about(foreign_rows(campaigns, runs, ratios, {}), "anon-w-seq, 72 processes", "target last");
  EXPECT_TRUE(row.here.empty());
  EXPECT_THAT(row.why, HasSubstr("another order (neighbourhood_last)"));
  ratios[0].order = "target_last";
  row = row_about(foreign_rows(campaigns, runs, ratios, {}), "anon-w-seq, 72 processes", "target last");
  EXPECT_EQ(row.here.size(), 1u);
  ratios[0].path = "anon-w-seq-mt, 2 tasks";
  row = row_about(foreign_rows(campaigns, runs, ratios, {}), "anon-w-seq, 72 processes", "target last");
  EXPECT_TRUE(row.here.empty()) << "threads are another path than processes";
}

TEST(Foreign, AnEmulatorsTimesStandBesideNothing) {
  Request r = losing_machine();
  r.emulator = "qemu";
  Campaign const c = campaign(r);
  for (ForeignRow const& row : explain({&c, 1}).foreign) EXPECT_TRUE(row.here.empty()) << row_words(row.figure);
}

TEST(Foreign, AUsersTableJoinsAndComesFirst) {
  Campaign const c = campaign(losing_machine());
  auto const own = parse_foreign(head + figure_of(times + measurable), "own.toml");
  Explanation const e = explain({&c, 1}, own);
  EXPECT_EQ(e.foreign.size(), foreign_figures().size() + 1);
  ASSERT_EQ(e.foreign.front().here.size(), 1u);
  EXPECT_NEAR(e.foreign.front().here[0].ratio.ratio, 3.1, 0.2);
  EXPECT_THAT(to_text(e), HasSubstr("w: x ÷ y"));
}

struct Wrong {
  std::string text;
  char const* says;
};

TEST(Foreign, WrongTablesAreOneLineThatSaysWhereAndWhat) {
  std::string const good = figure_of(times + measurable);
  std::vector<Wrong> const wrong{
      {"", "holds no figure"},
      {head, "holds no figure"},
      {"a = 1\n", "unknown key 'a'"},
      {"[[figure]\n", "own.toml"},
      {"source = 1\n" + good, "no source 's'"},
      {"figure = 3\n", "holds no figure"},
      {"figure = [1]\n", "is no table"},
      {good, "no source 's'"},
      {head + head + good, "a second source 's'"},
      {head + good + good, "stands there twice"},
      {head + figure_of(times + measurable + "colour = 'red'\n"), "unknown key 'colour'"},
      {head + figure_of(times), "needs either a cell or a path"},
      {head + figure_of(times + measurable + "unseen = 'why'\n"), "needs either a cell or a path"},
      {head + figure_of(times + "cell = 'reverse'\n"), "'command' must be a text"},
      {head + figure_of(times + "cell = 'reverse runn=4K'\ncommand = 'c'\n"), "'runn=4K'"},
      {head + figure_of(times + "cell = 'reverse state=banana'\ncommand = 'c'\n"), "'banana' is no state"},
      {head + figure_of(times + "cell = 'reverse threads=-1'\ncommand = 'c'\n"), "'-1' is no threads"},
      {head + figure_of(times + "cell = 'reverse footprint=99999999999999999999'\ncommand = 'c'\n"), "is no footprint"},
      {head + figure_of(times + "cell = 'target_last target=N/7'\ncommand = 'c'\n"), "'N/7' is no target"},
      {head + figure_of(times + "cell = [3]\ncommand = 'c'\n"), "must name a cell"},
      {head + figure_of(times + "over_cell = 'sequential'\nlinux = 'populate'\ncommand = 'c'\n"), "nothing to divide"},
      {head + figure_of(measurable), "'value' holds what is no positive number"},
      {head + figure_of("value = 0\nover_value = 1\nunit = 's'\n" + measurable), "no positive number"},
      {head + figure_of("value = -3\nover_value = 1\nunit = 's'\n" + measurable), "no positive number"},
      {head + figure_of("value = nan\nover_value = 1\nunit = 's'\n" + measurable), "no positive number"},
      {head + figure_of("value = inf\nover_value = 1\nunit = 's'\n" + measurable), "no positive number"},
      {head + figure_of("value = []\nover_value = 1\nunit = 's'\n" + measurable), "has 0 numbers"},
      {head + figure_of("value = 3\nover_value = 1\n" + measurable), "'unit' must be a text"},
      {head + figure_of("faster_percent = -100\n" + measurable), "no percentage"},
      {head + figure_of("faster_percent = 3\nvalue = 3\n" + measurable), "say it twice"},
      {head + figure_of(times + measurable, "workload = 'w'\narm = ''\nover = 'y'\n"), "'arm' must be a text"},
      {head + figure_of(times + measurable, "workload = 7\narm = 'x'\nover = 'y'\n"), "'workload' must be a text"},
  };
  for (Wrong const& w : wrong) {
    try {
      parse_foreign(w.text, "own.toml");
      ADD_FAILURE() << "was taken: " << w.text;
    } catch (Error const& e) {
      std::string const message = e.what();
      EXPECT_THAT(message, HasSubstr(w.says)) << w.text;
      EXPECT_THAT(message, HasSubstr("own.toml"));
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

TEST(Foreign, HostileWordsAreMadeHarmless) {
  auto const own = parse_foreign(
      head + figure_of(times + measurable, "workload = \"a\\u001b[2J\\nb\"\narm = 'x'\nover = 'y'\n"), "own.toml");
  Campaign const c = campaign(losing_machine());
  std::string const text = to_text(explain({&c, 1}, own));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("a?[2J?b: x ÷ y"));
}

TEST(Foreign, FilesAreReadWholeOrRefused) {
  namespace fs = std::filesystem;
  fs::path const folder = fs::path(testing::TempDir()) / "foreign";
  fs::create_directories(folder);
  auto const written = [&](char const* name, std::string const& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  auto const refused = [](std::string const& path, std::span<ForeignFigure const> others = {}) -> std::string {
    try {
      load_foreign(path, others);
    } catch (Error const& e) {
      return e.what();
    }
    return "taken";
  };
  std::string const good = written("good.toml", head + figure_of(times + measurable));
  auto const first = load_foreign(good);
  EXPECT_EQ(first.size(), 1u);
  EXPECT_THAT(refused(good, first), HasSubstr("is in another table already"));
  EXPECT_THAT(refused(written("large.toml", std::string((1 << 20) + 1, '#'))), HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(refused(written("empty.toml", "")), HasSubstr("is empty"));
  EXPECT_THAT(refused(folder.string()), HasSubstr("cannot be read"));
  EXPECT_THAT(refused((folder / "none").string()), HasSubstr("cannot be read"));
  ForeignFigure const known = foreign_figures().front();
  std::string const again = "[[source]]\nname = '" + known.source.name +
                            "'\ntitle = 't'\nwhere = 'w'\ndate = 'd'\nmachine = 'm'\n[[figure]]\nsource = '" +
                            known.source.name + "'\nworkload = '" + known.workload + "'\narm = '" + known.arm +
                            "'\nover = '" + known.over + "'\n" + times + measurable;
  EXPECT_THAT(refused(written("again.toml", again)), HasSubstr("is built in already"));
}

}  // namespace
}  // namespace folioscope
