// SPDX-License-Identifier: Apache-2.0
// Every group file makes sense; what does not is refused by name; the right groups are chosen for a CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "terms/error.hpp"
#include "tests/counters/fake.hpp"

namespace folioscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char const* good = R"(
question = "How?"
kind = "fills"
pmu = "core"
source = "me"
[[events]]
name = "A"
code = 0x17
verified = "unverified"
level = "L2"
traffic = "store"
per_unit = 1
not = "anything else"
[[metrics]]
name = "a per line"
of = ["A"]
per = ["line"]
unit = "lines/line"
)";

std::string with(std::string_view from, std::string_view to) {
  std::string text = good;
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string complaint(std::string const& text) {
  try {
    parse_counter_group(text, "own", "mine", "mine.toml");
  } catch (Error const& error) {
    return error.what();
  }
  return "none";
}

TEST(Groups, AFileSaysWhatItCounts) {
  auto const g = parse_counter_group(good, "own", "mine", "mine.toml");
  EXPECT_EQ(g.id(), "own/mine");
  ASSERT_EQ(g.events.size(), 1u);
  EXPECT_EQ(g.events[0].code, 0x17u);
  EXPECT_EQ(g.events[0].traffic, KnownTraffic::store);
  EXPECT_EQ(g.metrics[0].per.size(), 0u) << "the lines cleared";
  EXPECT_EQ(to_json(g)["events"].items().front()["code"].as_string(), "0x17");
}

TEST(Groups, WhatMakesNoSenseIsRefusedByName) {
  EXPECT_THAT(complaint(with("question", "qestion")), HasSubstr("did you mean 'question'"));
  EXPECT_THAT(complaint(with("\"fills\"", "\"fils\"")), HasSubstr("'fils' is no kind"));
  EXPECT_THAT(complaint(with("code = 0x17", "")), HasSubstr("has no 'code'"));
  EXPECT_THAT(complaint(with("\"unverified\"", "\"trust me\"")), HasSubstr("no verified"));
  EXPECT_THAT(complaint(with("verified = \"unverified\"", "")), HasSubstr("verified by libpfm"));
  EXPECT_THAT(complaint(with("\"store\"", "\"stroe\"")), HasSubstr("no traffic"));
  EXPECT_THAT(complaint(with("per_unit = 1", "per_unit = -1")), HasSubstr("per_unit"));
  EXPECT_THAT(complaint(with("traffic = \"store\"", "")), HasSubstr("per_unit"));
  EXPECT_THAT(complaint(with("not = \"anything else\"", "")), HasSubstr("'not'"));
  EXPECT_THAT(complaint(with("of = [\"A\"]", "of = [\"B\"]")), HasSubstr("no event of the group"));
  EXPECT_THAT(complaint(with("of = [\"A\"]", "of = [\"x*A\"]")), HasSubstr("no event of the group"));
  EXPECT_THAT(complaint(with("per = [\"line\"]", "per = []")), HasSubstr("no ratio"));
  EXPECT_THAT(complaint("question = "), HasSubstr("mine.toml"));
  EXPECT_THAT(complaint(with("[[metrics]]", "[[metrix]]")), HasSubstr("unknown key"));
}

TEST(Groups, EachBuiltInOneIsWhole) {
  auto const catalogue = CounterCatalogue::read();
  ASSERT_GT(catalogue.groups().size(), 50u);
  for (CounterGroup const& g : catalogue.groups()) {
    SCOPED_TRACE(g.id());
    EXPECT_NE(g.question.find('?'), std::string::npos);
    for (CounterEvent const& e : g.events)
      EXPECT_GT(e.not_meant.size(), 5u) << e.name << " must say what it does not mean";
    if (g.kind == "fills") {
      EXPECT_TRUE(std::ranges::any_of(g.events, [](auto const& e) { return !e.level.empty(); }) || g.uncore())
          << "no event says which level its lines come into";
    }
    for (CounterMetric const& m : g.metrics) EXPECT_THAT(m.unit, HasSubstr("/"));
    if (g.microarchitecture != "software") {
      EXPECT_NE(catalogue.title_of(g), "any CPU") << "the folder needs its entry in microarchitectures.toml";
    }
  }
}

TEST(Catalogue, HoldsAGroupForEachQuestionOfEachCpu) {
  std::map<std::string, std::set<std::string>> kinds;
  auto const catalogue = CounterCatalogue::read();
  for (CounterGroup const& g : catalogue.groups()) kinds[g.microarchitecture].insert(g.kind);
  for (Microarchitecture const& m : catalogue.microarchitectures()) {
    if (m.name == "software") continue;
    for (char const* kind : {"fills", "elision", "translation", "core"})
      EXPECT_THAT(kinds[m.name], Contains(kind)) << m.name;
  }
}

CounterHost x86(std::string vendor, unsigned family, unsigned model) {
  CounterHost host;
  host.architecture = "x86_64";
  host.vendor = std::move(vendor);
  host.family = family;
  host.model = model;
  host.cpu_name = "a CPU";
  return host;
}

std::set<std::string> folders(CounterHost const& host) {
  std::set<std::string> out;
  auto const catalogue = CounterCatalogue::read();
  for (CounterGroup const& g : catalogue.groups())
    if (catalogue.is_for(g, host)) out.insert(g.microarchitecture);
  return out;
}

TEST(Catalogue, KnowsWhichGroupsAreForACpu) {
  using Set = std::set<std::string>;
  EXPECT_EQ(folders(x86("AuthenticAMD", 0x19, 0x11)), (Set{"software", "zen4"}));
  EXPECT_EQ(folders(x86("AuthenticAMD", 0x19, 0x01)), (Set{"software", "zen3"}));
  EXPECT_EQ(folders(x86("AuthenticAMD", 0x17, 0x31)), (Set{"software", "zen2"}));
  EXPECT_EQ(folders(x86("AuthenticAMD", 0x17, 0x01)), (Set{"software"}));
  EXPECT_EQ(folders(x86("GenuineIntel", 6, 85)), (Set{"skylake-x", "software"}));
  EXPECT_EQ(folders(x86("GenuineIntel", 6, 106)), (Set{"ice-lake-server", "software"}));
  EXPECT_EQ(folders(x86("GenuineIntel", 6, 143)), (Set{"sapphire-rapids", "software"}));
  EXPECT_EQ(folders(x86("HygonGenuine", 0x18, 1)), (Set{"software"}));
  EXPECT_EQ(folders(fake::bare_metal()), (Set{"armv8", "neoverse-n1", "software"}));
  auto arm = fake::bare_metal();
  arm.midr = 0x480fd010;
  EXPECT_EQ(folders(arm), (Set{"armv8", "kunpeng-920", "software"}));
  arm.midr.reset();
  EXPECT_EQ(folders(arm), (Set{"armv8", "software"}));
}

std::vector<std::string> chosen(std::vector<std::string> const& words, CounterHost const& host) {
  auto const catalogue = CounterCatalogue::read();
  std::vector<std::string> out;
  for (CounterGroup const* g : catalogue.choose(words, host)) out.push_back(g->id());
  return out;
}

TEST(Choice, ANameMeansThisCpusGroup) {
  auto const zen4 = x86("AuthenticAMD", 0x19, 0x11);
  EXPECT_EQ(chosen({"fills"}, zen4), (std::vector<std::string>{"zen4/fills"}));
  EXPECT_EQ(chosen({"faults"}, zen4), (std::vector<std::string>{"software/faults"}));
  EXPECT_EQ(chosen({"software"}, zen4).size(), 2u);
  EXPECT_THAT(chosen({"all"}, zen4), testing::IsSupersetOf({"zen4/fills", "software/faults"}));
  EXPECT_EQ(chosen({"fills", "zen4/fills"}, zen4).size(), 1u) << "once";
  EXPECT_EQ(chosen({"fills"}, fake::bare_metal()), (std::vector<std::string>{"neoverse-n1/fills"}))
      << "the core's own before the architecture's";
  auto unknown = fake::bare_metal();
  unknown.midr = 0x990f0000;
  EXPECT_EQ(chosen({"fills"}, unknown), (std::vector<std::string>{"armv8/fills"}));
}

TEST(Choice, UnknownWordsNameTheNearest) {
  auto const zen4 = x86("AuthenticAMD", 0x19, 0x11);
  try {
    chosen({"zen4/filsl"}, zen4);
    FAIL();
  } catch (UsageError const& error) {
    EXPECT_THAT(error.what(), HasSubstr("zen4/fills"));
  }
  try {
    chosen({"fills"}, x86("HygonGenuine", 0x18, 1));
    FAIL();
  } catch (UsageError const& error) {
    EXPECT_THAT(error.what(), HasSubstr("no group 'fills' for this CPU"));
  }
}

TEST(OwnGroups, AFolderAddsAndReplaces) {
  namespace fs = std::filesystem;
  auto const folder = fs::path(testing::TempDir()) / "own-groups";
  fs::remove_all(folder);
  fs::create_directories(folder / "zen4");
  std::ofstream(folder / "mine.toml") << good;
  std::ofstream(folder / "zen4" / "fills.toml") << good;
  std::size_t const before = CounterCatalogue::read().groups().size();
  auto const catalogue = CounterCatalogue::read(folder);
  EXPECT_EQ(catalogue.groups().size(), before + 1);
  auto const replaced = *std::ranges::find(catalogue.groups(), "zen4/fills", &CounterGroup::id);
  EXPECT_EQ(replaced.question, "How?");
  auto const mine = *std::ranges::find(catalogue.groups(), "own/mine", &CounterGroup::id);
  EXPECT_TRUE(catalogue.is_for(mine, fake::bare_metal()));
  EXPECT_THROW(CounterCatalogue::read(folder / "not there"), Error);
  fs::create_directories(folder / "none");
  EXPECT_THROW(CounterCatalogue::read(folder / "none"), Error);
  std::ofstream(folder / "zen4" / "broken.toml") << "question";
  EXPECT_THROW(CounterCatalogue::read(folder), Error);
  fs::remove_all(folder);
}

TEST(Matches, AStarIsAnyRunOfDigitsAndLetters) {
  EXPECT_TRUE(matches("uncore_cha_*", "uncore_cha_17"));
  EXPECT_TRUE(matches("hisi_sccl*_hha*", "hisi_sccl1_hha2"));
  EXPECT_FALSE(matches("hisi_sccl*_hha*", "hisi_sccl1_ddrc0"));
  EXPECT_FALSE(matches("uncore_imc_*", "uncore_imc_free_running_0"));
  EXPECT_FALSE(matches("uncore_cha_*", "uncore_cha"));
  EXPECT_TRUE(matches("cpu", "cpu"));
}

}  // namespace
}  // namespace folioscope
