// SPDX-License-Identifier: Apache-2.0
// Counted fills and ratios, from made-up capsules (marked synthetic) with counts that are known: per line, with
// interval and trust, beside the times of the same orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "explain/explain.hpp"
#include "explain/export.hpp"
#include "explain/simulated.hpp"
#include "synthetic/counted.hpp"
#include "tests/explain/machines.hpp"

namespace folioscope {
namespace {

using synthetic::MadeUpEvent;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

double one(Cell const&) { return 1; }
double three_backwards(Cell const& c) { return c.order == "reverse" ? 3 : 1; }

Campaign counted(std::function<double(Cell const&)> fills, std::string scope = "user") {
  auto c = synthetic::campaign(synthetic::losing_machine());
  synthetic::count(
      c, {MadeUpEvent{"L2_REFILL", "L2", 0.97, std::move(fills), scope}, MadeUpEvent{"STALLS", "", 1, one, scope}});
  return c;
}

Explanation explained(Campaign const& c) { return explain(std::span(&c, 1)); }

std::uint32_t cell_of(Campaign const& c, std::string_view order, std::string_view kernel = "rep_stosb") {
  for (std::uint32_t i = 0; i < c.plan.cells.size(); ++i)
    if (c.plan.cells[i].cell.order == order && c.plan.cells[i].cell.kernel == kernel) return i;
  return ~0u;
}

Fill fill_of(Explanation const& e, std::uint32_t cell) {
  for (Fill const& f : e.counts.fills)
    if (f.cell == cell) return f;
  ADD_FAILURE() << "no fills of cell " << cell;
  return {};
}

std::string findings(Explanation const& e) {
  std::string all;
  for (auto const& f : e.advice.front().findings) all += f + "\n";
  return all;
}

TEST(Fills, ArePerLineClearedWithIntervalAndTrust) {
  auto const c = counted(three_backwards);
  auto const e = explained(c);
  auto const backwards = fill_of(e, cell_of(c, "reverse"));
  EXPECT_EQ(backwards.event, "L2_REFILL");
  EXPECT_EQ(backwards.level, "L2");
  EXPECT_EQ(backwards.trust, 0.97);
  EXPECT_EQ(backwards.per_line.n, 10u);
  EXPECT_NEAR(backwards.per_line.mean, 3, 0.05);
  ASSERT_TRUE(backwards.per_line.ci);
  EXPECT_LT(backwards.per_line.ci->low, 3);
  EXPECT_GT(backwards.per_line.ci->high, 3);
  for (Fill const& f : counts_of(std::span(&c, 1)).fills) EXPECT_EQ(f.event, "L2_REFILL") << "stalls are no lines";
}

TEST(Fills, CountEachCopyOnce) {
  auto c = counted(one);
  auto const cell = cell_of(c, "reverse");
  for (Sample& s : c.samples) s.copies = 4;
  for (Reading& r : c.readings) r.value *= 4;
  EXPECT_NEAR(fill_of(explained(c), cell).per_line.mean, 1, 0.02);
}

TEST(Fills, TakingTurnsIsScaledAndVanishedIsNone) {
  auto c = counted(one);
  auto const cell = cell_of(c, "reverse");
  for (Reading& r : c.readings) {
    r.value /= 2;
    r.running = r.running * 0.5;
  }
  EXPECT_NEAR(fill_of(explained(c), cell).per_line.mean, 1, 0.02);
  for (Reading& r : c.readings) r.running = Nanoseconds(0);
  EXPECT_TRUE(counts_of(std::span(&c, 1)).fills.empty());
}

TEST(Fills, OfAPlacementWhoseBackingWasLostDoNotCount) {
  auto c = counted(one);
  auto const cell = cell_of(c, "reverse");
  for (Reading& r : c.readings)
    if (r.block < 3 && r.cell == cell) r.value *= 100;
  c.refused.push_back({cell, 0, {"it", "lost", ""}});
  auto const f = fill_of(explained(c), cell);
  EXPECT_EQ(f.per_line.n, 9u);
  EXPECT_NEAR(f.per_line.mean, 1, 0.02);
}

TEST(Ratios, AreThoseOfTheGroup) {
  auto const c = counted(three_backwards);
  auto const e = explained(c);
  std::size_t seen = 0;
  for (CountRatio const& r : e.counts.ratios) {
    if (r.cell != cell_of(c, "reverse")) continue;
    ++seen;
    EXPECT_NEAR(r.value.mean, r.metric == "first a last" ? 6 : 3, 0.1) << r.metric;
    EXPECT_EQ(r.unit, "lines/line");
  }
  EXPECT_EQ(seen, 2u);
}

TEST(Findings, SayWhenMissesDoNotExplainTimes) {
  auto const text = findings(explained(counted(one)));
  EXPECT_THAT(text, AllOf(HasSubstr("The number of misses does not explain it, their overlap may"),
                          HasSubstr("reverse"), HasSubstr("L2_REFILL"), HasSubstr("trust 0.97")));
}

TEST(Findings, SayWhenFillsDiffer) {
  auto const text = findings(explained(counted(three_backwards)));
  EXPECT_THAT(text, AllOf(HasSubstr("its fills differ"), HasSubstr("L2_REFILL")));
}

TEST(Findings, SayNothingWhereNothingWasCountedOrCountsAreVague) {
  EXPECT_THAT(findings(explained(synthetic::campaign(synthetic::losing_machine()))), Not(HasSubstr("misses")));
  auto c = synthetic::campaign(synthetic::losing_machine());
  synthetic::count(c, {MadeUpEvent{"L2_REFILL", "L2", 1, one}}, 2.0);
  EXPECT_THAT(findings(explained(c)), Not(HasSubstr("misses")));
}

TEST(Findings, AFaultPathIsNotExplainedFromUserOnlyCounts) {
  auto c = counted(one, "user");
  c.header.kind = "linux";
  auto const e = explained(c);
  EXPECT_TRUE(e.counts.fills.empty());
  EXPECT_THAT(e.untested.at("fills"), HasSubstr("the program alone"));
  EXPECT_THAT(findings(e), Not(HasSubstr("misses")));
  auto both = counted(one, "user+kernel");
  both.header.kind = "linux";
  EXPECT_FALSE(explained(both).counts.fills.empty());
}

TEST(Json, HoldsFillsAsTheDesignHasThem) {
  auto const c = counted(three_backwards);
  Json const json = to_json(explained(c));
  ASSERT_FALSE(json["fills"].items().empty());
  Json const& f = json["fills"].items().front();
  for (char const* key : {"order", "kernel", "state", "backing", "footprint_bytes", "source", "event", "level",
                          "per_line", "trust", "ci", "scope"})
    EXPECT_TRUE(f.contains(key)) << key;
  EXPECT_EQ(f["source"].as_string(), "counted");
  EXPECT_EQ(f["ci"].items().size(), 2u);
  EXPECT_FALSE(json["counts"].items().empty());
  EXPECT_FALSE(json["untested"].contains("fills"));
  EXPECT_FALSE(json["untested"].contains("fills.counted"));
  auto linux_alone = synthetic::campaign(synthetic::losing_machine());
  linux_alone.header.kind = "linux";
  Json const bare = to_json(explained(linux_alone));
  EXPECT_TRUE(bare["fills"].is_null());
  EXPECT_TRUE(bare["untested"]["fills"].as_string());
}

TEST(Simulated, FillsStandBesideCountedOnesAndSaySo) {
  auto const c = counted(three_backwards);
  auto const e = explained(c);
  auto const simulated = [&](std::string const& order) -> Fill const* {
    for (Fill const& f : e.counts.fills)
      if (f.source == "simulated" && f.cell == cell_of(c, order)) return &f;
    return nullptr;
  };
  Fill const* const sequential = simulated("sequential");
  Fill const* const reverse = simulated("reverse");
  ASSERT_TRUE(sequential && reverse);
  EXPECT_GT(reverse->per_line.mean, 10 * sequential->per_line.mean) << "a page that is no neighbour starts a stream";
  EXPECT_FALSE(reverse->trust || reverse->per_line.ci) << "a model has neither";
  EXPECT_EQ(to_json(*reverse, c.plan.cells[reverse->cell].cell)["scope"].as_string(), "model");
}

TEST(Simulated, NothingOfHotCellsBypassingKernelsAndEmulators) {
  auto c = synthetic::campaign(synthetic::losing_machine());
  for (Fill const& f : explained(c).counts.fills) {
    auto const& cell = c.plan.cells[f.cell].cell;
    EXPECT_NE(cell.state, State::hot);
    EXPECT_FALSE(cell.kernel.starts_with("movnt")) << cell.kernel;
  }
  EXPECT_TRUE(explained(c).untested.contains("fills.counted"));
  c.facts = Facts({{std::string(fact::emulator), Json("qemu"), "test", ""}});
  EXPECT_TRUE(explained(c).counts.fills.empty());
}

TEST(Simulated, TheLastLevelReachesAsFarAsLatencySays) {
  auto c = synthetic::campaign(synthetic::losing_machine());
  c.facts = Facts();
  for (auto const& [level, bytes] : {std::pair{"L1d", 32_KiB}, {"L2", 1_MiB}, {"L3", 32_MiB}})
    c.facts.add(std::string(fact::cache_prefix) + level + ".size_bytes", bytes.value, "test");
  std::erase_if(c.points, [](Point const& p) { return p.series == "latency.idle"; });
  EXPECT_EQ(cache_model(c).levels.back().bytes, 32_MiB) << "nothing says otherwise";
  for (auto const& [bytes, ns] :
       {std::pair{16_KiB, 1.5}, {512_KiB, 4.0}, {1_MiB, 12.0}, {4_MiB, 20.0}, {8_MiB, 90.0}, {64_MiB, 180.0}})
    c.points.push_back({"latency.idle", "", static_cast<double>(bytes.value), ns, {}, {}});
  auto const levels = cache_model(c).levels;
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].name, "L1");
  EXPECT_EQ(levels[2].bytes, 4_MiB);
}

TEST(Export, HoldsFillsBesideRawReadings) {
  std::ostringstream out;
  auto const c = counted(three_backwards);
  export_json(std::span(&c, 1), out);
  Json const json = parse_json(out.str(), "export");
  Json const& campaign = json["campaigns"].items().front();
  EXPECT_EQ(campaign["readings"].items().size(), c.readings.size());
  ASSERT_FALSE(campaign["fills"].items().empty());
  EXPECT_EQ(campaign["fills"].items().front()["trust"].as_number(), 0.97);
}

TEST(Capsule, KeepsCountsAndTheirGroups) {
  auto const path = std::filesystem::path(testing::TempDir()) / "counted.folioscope";
  std::filesystem::remove(path);
  auto const c = counted(three_backwards);
  {
    auto writer = CapsuleWriter::open(path, "");
    writer.copy(c);
  }
  auto const capsule = Capsule::open(path);
  auto const back = capsule.load(capsule.headers().front().id);
  std::filesystem::remove(path);
  EXPECT_EQ(back.groups, c.groups);
  auto const before = explained(c), after = explained(back);
  ASSERT_EQ(after.counts.fills.size(), before.counts.fills.size());
  EXPECT_DOUBLE_EQ(after.counts.fills.front().per_line.mean, before.counts.fills.front().per_line.mean);
  EXPECT_EQ(after.counts.fills.front().trust, before.counts.fills.front().trust);
}

TEST(Hostile, DefinitionsThatMakeNoSenseGiveNoFigure) {
  auto c = counted(one);
  for (char const* groups :
       {R"([1, "x", {"group": 7}])", R"([{"group": "synthetic/fills", "events": "none"}])",
        R"([{"group": "synthetic/fills", "metrics": [{"name": "x", "of": ["nan*L2_REFILL"], "per": [{}]}]}])",
        R"({"group": []})"}) {
    c.groups = parse_json(groups, "test");
    auto const text = to_json(explained(c)).dump();
    EXPECT_THAT(text, Not(HasSubstr("nan")));
  }
}

}  // namespace
}  // namespace folioscope
