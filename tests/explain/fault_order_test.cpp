// SPDX-License-Identifier: Apache-2.0
// The order behind a curve of fault times: made-up machines of every generation, with the noise of real ones.
#include "explain/fault_order.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "synthetic/synthetic.hpp"

namespace folioscope {
namespace {

using synthetic::Noise;
constexpr std::uint64_t pages = 512;

Plan fault_plan(bool with_replica = true) {
  Plan plan;
  plan.experiment = "linux";
  plan.base_page = 4_KiB;
  plan.folio = 2_MiB;
  Cell cell;
  cell.kernel = "linux_fault";
  cell.call = 2_MiB;
  cell.backing = {BackingKind::thp, {}};
  cell.footprint = 2_MiB;
  plan.cells.push_back({cell, {{0_B, 2_MiB}}});
  for (std::uint64_t k = 1; k <= 16; ++k) {
    Cell touched = cell;
    touched.order = "touch_first";
    touched.run = 4_KiB;
    touched.target = k == 16 ? pages - 1 : k * 32;
    plan.cells.push_back({touched, {{0_B, 2_MiB}}});
  }
  if (!with_replica) return plan;
  for (std::uint64_t k = 0; k <= 16; ++k) {
    Cell same = cell;
    same.kernel = "rep_stosb";
    same.call = 4_KiB;
    if (k < 16) {
      same.order = "target_last";
      same.run = 4_KiB;
      same.target = k * 32;
    }
    plan.cells.push_back({same, {{0_B, 2_MiB}}});
  }
  return plan;
}

/// Target-last on a machine where a page takes `up`, `down` or `two` ns by how its stream goes.
double target_last_ns(std::uint64_t n, double up, double down, double two) {
  auto const N = static_cast<double>(pages);
  auto const at = static_cast<double>(n);
  return 2 * n <= pages ? (N - 2 * at) * down + 2 * at * two : (2 * at - N) * up + 2 * (N - at) * two;
}

std::function<double(Cell const&)> target_last_machine(double up = 110, double down = 330, double two = 250) {
  return [=](Cell const& c) {
    bool const fault = c.kernel == "linux_fault";
    std::uint64_t const n = c.target.value_or(fault ? 0 : pages - 1);
    double const clear = target_last_ns(n, up, down, two);
    return fault ? 4000 + 1.05 * clear : clear;
  };
}

double flat_machine(Cell const& c) { return c.kernel == "linux_fault" ? 62000 : 58000; }

struct Setting {
  char const* name;
  Noise noise;
};
Setting const settings[] = {{"quiet", {.pass = 0.005}},
                            {"usual", {.pass = 0.02, .placement_cell = 0.005, .block_drift = 0.03}},
                            {"host faults", {.pass = 0.02, .spike_share = 0.02, .spike = 3}},
                            {"steal", {.pass = 0.02, .spike_share = 0.04, .spike = 0.5, .placement = 0.1}}};

FaultOrderFinding find(std::function<double(Cell const&)> ns, Noise const& noise,
                       std::optional<WitnessSeen> witness = {}, std::string release = "6.18.5", std::uint64_t seed = 1,
                       std::uint32_t placements = 24) {
  synthetic::Request request;
  request.plan = fault_plan();
  request.true_ns = std::move(ns);
  request.noise = noise;
  request.placements = placements;
  request.blocks_per_placement = 5;
  request.release = std::move(release);
  request.seed = seed;
  Campaign campaign = synthetic::campaign(request);
  campaign.header.kind = "linux";
  for (std::uint32_t i = 0; witness && i < witness->looks; ++i) {
    std::uint32_t const block = i % static_cast<std::uint32_t>(campaign.blocks.size());
    campaign.points.push_back({"fault.near", "thp", 0, witness->near_ns, 0u, block});
    campaign.points.push_back({"fault.last", "thp", 0, witness->last_ns, 0u, block});
    campaign.points.push_back({"fault.cached", "thp", 0, witness->cached_ns, 0u, block});
    campaign.points.push_back({"fault.cold", "thp", 0, witness->cold_ns, 0u, block});
  }
  auto found = fault_orders({&campaign, 1});
  EXPECT_EQ(found.size(), 1u);
  return found.front();
}

WitnessSeen const ended_near{.near_ns = 4, .last_ns = 30, .cached_ns = 2, .cold_ns = 130, .looks = 40};
WitnessSeen const ended_at_the_end{.near_ns = 30, .last_ns = 4, .cached_ns = 2, .cold_ns = 130, .looks = 40};
WitnessSeen const ended_near_after_the_end{.near_ns = 3, .last_ns = 5, .cached_ns = 2, .cold_ns = 130, .looks = 40};
WitnessSeen const nothing_near{.near_ns = 120, .last_ns = 125, .cached_ns = 2, .cold_ns = 130, .looks = 40};

class InNoise : public testing::TestWithParam<Setting> {};

TEST_P(InNoise, TargetLastIsRecognisedWithItsCure) {
  auto const f = find(target_last_machine(), GetParam().noise, ended_near);
  EXPECT_EQ(f.recognition.recognised, Recognised::target_last) << f.recognition.why;
  EXPECT_EQ(f.expected, "target_last");
  EXPECT_EQ(f.agrees, true);
  EXPECT_EQ(f.best_index, pages - 1);
  double const truth =
      target_last_machine()(fault_plan().cells[0].cell) / target_last_machine()(fault_plan().cells[16].cell);
  ASSERT_TRUE(f.gain.ci);
  EXPECT_NEAR(f.gain.ratio, truth, 0.1 * truth);
  EXPECT_LT(f.gain.ci->low, f.gain.ratio);
  EXPECT_GT(f.gain.ci->low, 1.5);
}

TEST_P(InNoise, AFlatCurveIsToldBySecondWitness) {
  struct Case {
    WitnessSeen witness;
    Recognised truth;
    char const* release;
  };
  for (Case const& c : {Case{ended_at_the_end, Recognised::sequential, "4.9.0"},
                        Case{ended_near_after_the_end, Recognised::neighbourhood_last, "7.0.1"},
                        Case{ended_near, Recognised::target_last, "6.1.0"}}) {
    auto const f = find(flat_machine, GetParam().noise, c.witness, c.release, 1, 60);
    EXPECT_EQ(f.recognition.recognised, c.truth) << GetParam().name << ": " << f.recognition.why;
    EXPECT_EQ(f.agrees, true);
    EXPECT_FALSE(f.best_index) << "no page is faster than another";
  }
}

TEST_P(InNoise, AMachineWhereOrderDoesNotMatterAndNothingIsNearIsNotGuessed) {
  for (std::optional<WitnessSeen> const& witness : {std::optional<WitnessSeen>(), std::optional(nothing_near)}) {
    auto const f = find(flat_machine, GetParam().noise, witness, "6.18.5", 2, 60);
    EXPECT_EQ(f.recognition.recognised, Recognised::cannot_tell);
    EXPECT_EQ(f.recognition.candidates, (std::vector<std::string>{"target_last", "sequential", "neighbourhood_last"}))
        << f.recognition.why;
    EXPECT_FALSE(f.agrees) << "nothing to agree with";
    EXPECT_FALSE(f.best_index);
  }
}

TEST_P(InNoise, TheReplicaTellsTheFault) {
  auto const f = find(target_last_machine(), GetParam().noise, ended_near);
  ASSERT_TRUE(f.replica);
  ASSERT_TRUE(f.replica->b_ci && f.replica->a_ci);
  EXPECT_LT(f.replica->median_error, 0.1);
  EXPECT_NEAR(f.replica->b, 1.05, 0.1);
  for (FaultPoint const& p : f.curve) EXPECT_TRUE(p.replica && p.replica_error) << p.index;
}

INSTANTIATE_TEST_SUITE_P(Settings, InNoise, testing::ValuesIn(settings), [](auto const& setting) {
  std::string name = setting.param.name;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
});

TEST(FaultOrder, CurvesOfNoKnownOrderAreOther) {
  auto const bump = [](Cell const& c) { return c.target == 192u ? 40000.0 : c.target == 320u ? 90000.0 : 60000.0; };
  auto const f = find(bump, settings[0].noise, ended_near);
  EXPECT_EQ(f.recognition.recognised, Recognised::other) << f.recognition.why;
  EXPECT_EQ(f.agrees, false);
}

TEST(FaultOrder, ACurveThatTheNearLinesContradictIsOther) {
  auto const f = find(target_last_machine(), settings[0].noise, ended_at_the_end);
  EXPECT_EQ(f.recognition.recognised, Recognised::other) << f.recognition.why;
}

TEST(FaultOrder, ACurveThatNoiseHidesIsNotCalledOther) {
  Noise const wild{.pass = 0.4, .spike_share = 0.2, .spike = 3, .placement_cell = 0.35};
  auto const f = find(target_last_machine(), wild, ended_near, "6.18.5", 1, 12);
  EXPECT_NE(f.recognition.recognised, Recognised::other) << f.recognition.why;
}

TEST(FaultOrder, WideIntervalsLeaveWhatTheNearLinesFit) {
  Noise const wild{.pass = 0.4, .spike_share = 0.2, .spike = 3, .placement_cell = 0.35};
  auto const f = find(flat_machine, wild, ended_near, "6.18.5", 1, 12);
  EXPECT_EQ(f.recognition.recognised, Recognised::cannot_tell) << f.recognition.why;
  EXPECT_EQ(f.recognition.candidates, (std::vector<std::string>{"target_last", "other"}));
  auto const untold = find(flat_machine, wild, nothing_near, "6.18.5", 1, 12);
  EXPECT_EQ(untold.recognition.candidates.size(), 4u) << untold.recognition.why;
}

/// Two levels, of which the probe found what was made there in all but one placement.
Campaign with_probe(double near_ns, double last_ns) {
  synthetic::Request request;
  request.plan = fault_plan(false);
  request.true_ns = flat_machine;
  request.placements = 12;
  request.blocks_per_placement = 1;
  Campaign c = synthetic::campaign(request);
  c.header.kind = "linux";
  c.points.push_back({"probe.level", "L2", 10, 4, {}, {}});
  c.points.push_back({"probe.level", "memory", NAN, 120, {}, {}});
  for (char const* label : {"L2 seen as L2", "memory seen as memory"})
    c.points.push_back({"probe.confusion", label, 240, 1, {}, {}});
  for (Placement& placement : c.placements) {
    bool const lost = placement.id == 0;
    Json rows = Json::array();
    for (char const* level : {"L2", "memory"}) {
      Json const seen = lost ? Json::object({{"L2", 24}, {"memory", 24}}) : Json::object({{level, 48}});
      rows.push(Json::object({{"made", level}, {"right", lost ? 0.5 : 1.0}, {"seen", seen}}));
    }
    placement.evidence.set("probe", Json::object({{"samples", 48}, {"made_on_purpose", std::move(rows)}}));
  }
  for (Block const& b : c.blocks) {
    bool const lost = b.placement == 0;
    c.points.push_back({"fault.near", "thp", 0, lost ? 120 : near_ns, 0u, b.id});
    c.points.push_back({"fault.last", "thp", 0, lost ? 4 : last_ns, 0u, b.id});
    c.points.push_back({"fault.cached", "thp", 0, 2, 0u, b.id});
    c.points.push_back({"fault.cold", "thp", 0, 120, 0u, b.id});
  }
  return c;
}

TEST(FaultOrder, LinesAfterAFaultAreAtLevelsOfTheCheckedProbe) {
  Campaign const c = with_probe(4, 110);
  auto const found = fault_orders({&c, 1});
  ASSERT_EQ(found.size(), 1u);
  FaultOrderFinding const& f = found.front();
  ASSERT_TRUE(f.probe);
  EXPECT_EQ(f.probe->least_right, 1);
  EXPECT_EQ(f.probe->left_out.size(), 1u) << "the placement in which it was lost";
  ASSERT_EQ(f.near_levels.size(), 2u);
  EXPECT_EQ(f.near_levels[0].level, "L2");
  EXPECT_EQ(f.near_levels[0].share, 1) << "without the placement in which the probe was lost";
  EXPECT_EQ(f.last_levels[1].share, 1);
  ASSERT_TRUE(f.last_levels[1].ci);
  EXPECT_LT(f.last_levels[1].ci->low, 1);
  EXPECT_NE(to_text(f).find("page 1 were in L2 in 100 %"), std::string::npos) << to_text(f);
  Json const json = to_json(f);
  EXPECT_EQ(json["witness"]["near_levels"].items().size(), 2u);
  EXPECT_EQ(json["probe"]["placements_left_out"].as_integer(), 1);
}

TEST(FaultOrder, ARecordWithoutAScaleHasNoLevels) {
  auto const f = find(flat_machine, settings[0].noise, ended_near);
  EXPECT_FALSE(f.probe);
  EXPECT_TRUE(f.near_levels.empty());
  EXPECT_EQ(nearness_sentence(f), "");
  EXPECT_TRUE(to_json(f)["probe"].is_null());
}

TEST(FaultOrder, FewPlacementsTellNothing) {
  auto const f = find(target_last_machine(), settings[0].noise, ended_near, "6.18.5", 1, 4);
  EXPECT_EQ(f.recognition.recognised, Recognised::cannot_tell);
  EXPECT_EQ(f.recognition.candidates.size(), 4u);
}

TEST(FaultOrder, ReleasesThatDisagreeAreSaid) {
  EXPECT_EQ(find(target_last_machine(), settings[0].noise, ended_near, "7.1.0").agrees, false);
  auto const unknown = find(target_last_machine(), settings[0].noise, ended_near, "custom");
  EXPECT_FALSE(unknown.expected);
  EXPECT_FALSE(unknown.agrees);
}

TEST(FaultOrder, JsonHasTheKeysOfTheContract) {
  Json const json = to_json(find(target_last_machine(), settings[1].noise, ended_near));
  for (char const* key : {"path", "backing", "recognised", "candidates", "expected_from_release", "best_index", "gain",
                          "ci", "replica_error_median", "curve"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["curve"].items().size(), 17u);
  EXPECT_EQ(parse_json(json.dump(), "here")["recognised"].as_string(), "target_last");
}

TEST(FaultOrder, SweepsHaveNone) {
  synthetic::Request request;
  request.plan = fault_plan();
  request.true_ns = flat_machine;
  Campaign const sweep = synthetic::campaign(request);
  EXPECT_TRUE(fault_orders({&sweep, 1}).empty());
}

}  // namespace
}  // namespace folioscope
