// SPDX-License-Identifier: Apache-2.0
// Machines built to have one mechanism each are told apart; so are one with two, one with none, and one too noisy to
// tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "explain/explain.hpp"
#include "explain/layout.hpp"
#include "explain/mechanism_text.hpp"
#include "explain/model_words.hpp"
#include "synthetic/mechanism_machines.hpp"

namespace folioscope {
namespace {

using namespace synthetic;
using testing::HasSubstr;

struct Case {
  char const* machine;
  Mechanics mechanics;
  std::set<std::string> stand;  ///< exactly these
};

/// Prefetching that must see ten KiB; what it leaves to demand misses is limited by their number, and more than eight
/// streams lose it, too: three sides of one machine.
constexpr Mechanics losing_prefetch{.unseen_ns_per_line = 4, .lines_to_run_up = 160};

std::vector<Case> const& cases() {
  static std::vector<Case> const all{
      {"indifferent", {}, {}},
      {"lost prefetch", losing_prefetch, {"lost_prefetch", "miss_concurrency", "stream_trackers"}},
      {"write streaming",
       {.allocating_ns_per_line = 4, .lines_to_stream = 128},
       {"write_streaming", "miss_concurrency"}},
      {"direction", {.downward_ns_per_page = 150}, {"direction"}},
      {"start-up latency", {.start_ns = 150, .hidden_by_prefetch = 0.8}, {"startup_latency"}},
      {"few trackers", {.many_streams_ns_per_turn = 110}, {"stream_trackers"}},
      {"page walks", {.walk_ns = 120}, {"translation"}},
      {"dear calls", {.call_ns = 60}, {"call_overhead"}},
      // One call a folio saves as much by either; which lines are read would tell.
      {"long calls to be set up", {.set_up_ns = 60}, {"call_set_up", "allocation_elision"}},
      {"dear fences", {.fence_ns = 100}, {"fence_overhead"}},
      {"elision by length", {.elided = 0.3}, {"allocation_elision"}},
      {"zero over zero", {.zero_saves = 0.2}, {"zero_elision"}},
      {"two mechanisms", {.walk_ns = 120, .fence_ns = 100}, {"translation", "fence_overhead"}},
      {"lost prefetch, saturated by two threads",
       {.unseen_ns_per_line = 4, .lines_to_run_up = 160, .most_bytes_per_ns = 40},
       {"lost_prefetch", "miss_concurrency", "stream_trackers", "bandwidth_saturation"}},
      // What is prefetched takes half a folio to begin: in no order of pieces does it, and the miss buffers are left.
      {"miss buffers", {.unseen_ns_per_line = 4, .lines_to_run_up = 16384}, {"miss_concurrency"}},
      {"a reason of its own", {.far_down_ns = 150}, {}},
      {"a reason of its own, saturated by two threads",
       {.far_down_ns = 150, .most_bytes_per_ns = 40},
       {"bandwidth_saturation"}},
  };
  return all;
}

std::vector<Mechanism> mechanisms_of(Campaign const& campaign) {
  Explanation const e = explain({&campaign, 1});
  EXPECT_EQ(e.mechanisms.size(), 1u);
  return e.mechanisms.at(0).mechanisms;
}

std::string figures(Mechanism const& m) {
  std::string text = m.name + " " + to_string(m.status) + " " + m.why;
  for (auto const& f : m.findings) text += "\n    " + finding_words(f) + " " + f.why;
  return text;
}

class Discriminates : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Discriminates, ExactlyTheMechanismsThatTheMachineHas) {
  Case const& c = cases()[GetParam()];
  std::set<std::string> stand;
  std::string all;
  for (Mechanism const& m : mechanisms_of(mechanism_campaign(c.mechanics))) {
    if (m.status == MechanismStatus::supported) stand.insert(m.name);
    all += "  " + figures(m) + "\n";
    if (m.name == "cond_resched" || m.name == "dram_rows")
      EXPECT_EQ(m.status, MechanismStatus::untested) << figures(m);
    else
      EXPECT_NE(m.status, MechanismStatus::untested) << figures(m);
    if (m.status == MechanismStatus::contradicted)
      EXPECT_TRUE(
          std::ranges::any_of(m.findings, [](auto const& f) { return f.outcome == ContrastFinding::Outcome::refuted; }))
          << "contradicted by nothing: " << figures(m);
  }
  EXPECT_EQ(stand, c.stand) << c.machine << "\n" << all;
}

INSTANTIATE_TEST_SUITE_P(Machines, Discriminates, ::testing::Range<std::size_t>(0, 17));

TEST(Mechanisms, AllMachinesAreTried) { EXPECT_EQ(cases().size(), 17u); }

TEST(Mechanisms, AnIndifferentMachineContradictsWhatWouldMakeOrderMatter) {
  for (Mechanism const& m : mechanisms_of(mechanism_campaign({}))) {
    if (m.name == "cond_resched" || m.name == "dram_rows") continue;
    EXPECT_EQ(m.status, MechanismStatus::contradicted) << figures(m);
  }
}

TEST(Mechanisms, TooNoisyToTellClaimsNothingOfOrders) {
  std::size_t open = 0;
  for (Mechanism const& m : mechanisms_of(mechanism_campaign(losing_prefetch, {.pass = 0.1, .placement_cell = 1.2}))) {
    if (m.name != "stream_trackers") {
      EXPECT_NE(m.status, MechanismStatus::supported) << figures(m);
    }
    open += m.status == MechanismStatus::inconclusive;
  }
  EXPECT_GE(open, 7u);
}

TEST(Mechanisms, TooFewPlacementsSayNothing) {
  Campaign c = mechanism_campaign(losing_prefetch);
  std::erase_if(c.blocks, [](Block const& b) { return b.placement >= 6; });
  for (Mechanism const& m : mechanisms_of(c))
    EXPECT_TRUE(m.status == MechanismStatus::inconclusive || m.status == MechanismStatus::untested) << figures(m);
}

TEST(Mechanisms, CountedRowsSettleWhatTimesCannot) {
  Campaign c = mechanism_campaign({.start_ns = 150});
  for (std::uint32_t block = 0; block < c.blocks.size(); ++block)
    for (std::uint32_t cell = 0; cell < c.plan.cells.size(); ++cell) {
      Cell const& what = c.plan.cells[cell].cell;
      if (what.kernel != "rep_stosb" || (what.order != "random" && what.order != "sequential")) continue;
      double const lines = static_cast<double>(what.footprint.value) / 64;
      c.readings.push_back({block, cell, "rows", "umc_act_cmd.all", lines * (what.order == "random" ? 0.9 : 0.2),
                            Nanoseconds(1e5), Nanoseconds(1e5), "socket"});
    }
  for (Mechanism const& m : mechanisms_of(c))
    if (m.name == "dram_rows") {
      EXPECT_EQ(m.status, MechanismStatus::supported) << figures(m);
      EXPECT_EQ(m.findings.at(0).source, "counted");
      EXPECT_NEAR(m.findings.at(0).value, 4.5, 1e-6);
    }
}

TEST(Mechanisms, AQuickSweepNamesTheExperimentThatWouldTell) {
  Campaign c = mechanism_campaign(losing_prefetch);
  std::erase_if(c.samples, [&](Sample const& s) {
    std::string const order = c.plan.cells[s.cell].cell.order;
    return order == "gapped@2" || order == "streams@2";
  });
  for (Mechanism const& m : mechanisms_of(c))
    if (m.name == "lost_prefetch") {
      EXPECT_EQ(m.status, MechanismStatus::untested);
      EXPECT_THAT(m.why, HasSubstr("sweep --experiment mechanism"));
    }
}

TEST(Mechanisms, AnEmulatorsTimesAreHeldAgainstNothing) {
  Campaign c = mechanism_campaign(losing_prefetch);
  Facts facts;
  for (Fact const& f : c.facts.all())
    if (f.key != fact::emulator) facts.add(f.key, f.value, f.source, f.note);
  facts.add(std::string(fact::emulator), "qemu", "made up");
  c.facts = facts;
  Explanation const e = explain({&c, 1});
  EXPECT_TRUE(e.mechanisms.empty());
  EXPECT_TRUE(to_json(e)["mechanisms"].is_null());
  EXPECT_TRUE(to_json(e)["untested"]["mechanisms"].is_string());
  EXPECT_TRUE(to_json(e)["predictions"].is_null());
}

/// Software prefetching at one distance may come too late and at another in time: all that were measured count.
TEST(Mechanisms, PrefetchingIsJudgedByTheDistanceThatHelpsMost) {
  Campaign c = mechanism_campaign({.start_ns = 150, .hidden_by_prefetch = 0.8});
  for (Sample& s : c.samples)
    if (c.plan.cells[s.cell].cell.prefetch == 1_KiB) s.wall = Nanoseconds(s.wall.value * 2);
  for (Mechanism const& m : mechanisms_of(c))
    if (m.name == "startup_latency") {
      EXPECT_EQ(m.status, MechanismStatus::supported) << figures(m);
      EXPECT_THAT(m.findings.back().quantity, HasSubstr("the least of"));
      ASSERT_TRUE(m.findings.back().cell);
      EXPECT_NE(c.plan.cells[*m.findings.back().cell].cell.prefetch, 1_KiB);
    } else if (m.name == "write_streaming") {
      EXPECT_EQ(m.status, MechanismStatus::contradicted) << "one distance that helps refutes it: " << figures(m);
    }
}

ContrastFinding finding_from(std::vector<Mechanism> const& all, std::string const& name, std::string const& source) {
  for (Mechanism const& m : all)
    for (ContrastFinding const& f : m.findings)
      if (m.name == name && f.source == source) return f;
  return {};
}

TEST(Mechanisms, ProbedLinesAreEvidence) {
  Campaign c = mechanism_campaign(losing_prefetch);
  EXPECT_EQ(finding_from(mechanisms_of(c), "lost_prefetch", "probed").outcome, ContrastFinding::Outcome::missing);
  c.points.push_back({"probe.level", "L2", 10, 4, {}, {}});
  c.points.push_back({"probe.level", "memory", NAN, 120, {}, {}});
  for (Block const& b : c.blocks)
    for (std::uint32_t cell = 0; cell < c.plan.cells.size(); ++cell) {
      Cell const& what = c.plan.cells[cell].cell;
      bool const one = what.kernel == "rep_stosb" && what.footprint == 2_MiB && what.state == State::cold;
      if (!one || what.prefetch.value != 0 || (what.order != "reverse" && what.order != "sequential")) continue;
      for (int page = 0; page < 10; ++page)  // half of them, whichever the order
        c.points.push_back({"probe.page", (page + b.id) % 2 ? "L2" : "memory", page * 1.0, 4, cell, b.id});
    }
  auto const all = mechanisms_of(c);
  EXPECT_EQ(finding_from(all, "lost_prefetch", "probed").outcome, ContrastFinding::Outcome::holds);
  EXPECT_EQ(finding_from(all, "write_streaming", "probed").outcome, ContrastFinding::Outcome::refuted);
}

TEST(Mechanisms, TheRunningLinuxIsAWitnessOfItsMachine) {
  std::vector<Campaign> campaigns;
  for (char const* name : {"amd-genoa-guest-mechanism.folioscope", "amd-genoa-guest-linux.folioscope"})
    campaigns.push_back(Capsule::open(std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "tests/fixtures" / name).load(1));
  auto const all = explain(campaigns).mechanisms.at(0).mechanisms;
  ContrastFinding const f = finding_from(all, "lost_prefetch", "Linux");
  EXPECT_NE(f.outcome, ContrastFinding::Outcome::missing) << f.why;  // a short campaign: its interval is wide
  EXPECT_NE(f.outcome, ContrastFinding::Outcome::refuted) << f.value << " " << f.why;
  EXPECT_NEAR(f.value, 1, 0.25) << "Linux's own faults lose as user space does";
  EXPECT_EQ(f.campaign, 1u);
  EXPECT_GT(finding_from(all, "translation", "Linux").value, 0.85) << "its large mapping does not save it";
  campaigns[1].facts = Facts(std::vector<Fact>{{std::string(fact::instance_key), "another", "made up", ""}});
  EXPECT_EQ(finding_from(explain(campaigns).mechanisms.at(0).mechanisms, "lost_prefetch", "Linux").outcome,
            ContrastFinding::Outcome::missing);
}

/// Prefetchers off on bare metal: sequential is then as slow as any order, or order matters for another reason.
TEST(Mechanisms, TheCausalTestSpeaksOnceItWasRun) {
  auto const contrast = [](Mechanics const& without) {
    std::vector<Campaign> both{mechanism_campaign(losing_prefetch), mechanism_campaign(without)};
    both[1].plan.options["prefetchers_off"] = "all";
    Explanation const e = explain(both);
    EXPECT_EQ(e.mechanisms.size(), 1u);
    EXPECT_THAT(to_text(e), HasSubstr("Prefetchers off (all): time ÷ sequential of reverse with rep_stosb"));
    EXPECT_EQ(to_json(e)["recommendation"]["campaign"].as_integer(), 0);
    for (FittedSetting const& s : e.model.settings) EXPECT_EQ(s.campaign, 0u) << "not of this machine as it is";
    Mechanism const& m = e.mechanisms.at(0).mechanisms.at(0);
    EXPECT_EQ(m.name, "lost_prefetch");
    return std::pair(m.status, m.findings.back().outcome);
  };
  EXPECT_EQ(contrast({.unseen_ns_per_line = 4, .lines_to_run_up = 1e9}),
            std::pair(MechanismStatus::supported, ContrastFinding::Outcome::holds));
  EXPECT_EQ(contrast({.start_ns = 150}), std::pair(MechanismStatus::contradicted, ContrastFinding::Outcome::refuted));
}

TEST(Mechanisms, TextFitsAScreenAndMailItsColumns) {
  Campaign const c = mechanism_campaign(losing_prefetch);
  Explanation const e = explain({&c, 1});
  std::string const text = to_text(e, 100);
  EXPECT_THAT(text, HasSubstr("supported: Lost prefetch across pages"));
  EXPECT_THAT(text, HasSubstr("no fit saw"));
  EXPECT_LE(std::ranges::count(text, '\n'), 50) << text;
  std::size_t begin = 0;
  std::string const mail = to_mail(e);
  for (std::size_t end; (end = mail.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(end - begin, 72u) << mail.substr(begin, end - begin);
}

TEST(Mechanisms, JsonShowsEveryContrastsCellsAndFigures) {
  Campaign const c = mechanism_campaign(losing_prefetch);
  Json const json = to_json(explain({&c, 1}));
  std::size_t evidence = 0, against = 0;
  for (Json const& m : json["mechanisms"].items()) {
    EXPECT_TRUE(m["name"].is_string());
    for (char const* key : {"evidence", "against"})
      for (Json const& f : m[key].items()) {
        (key[0] == 'e' ? evidence : against) += 1;
        EXPECT_TRUE(f["cell"]["order"].is_string());
        EXPECT_EQ(f["ci"].items().size(), 2u);
        EXPECT_TRUE(f["value"].is_number());
        EXPECT_GE(f["n"].as_integer(), 10);
      }
  }
  EXPECT_GT(evidence, 10u);
  EXPECT_GT(against, 8u);
}

TEST(Predictions, AreHeldAgainstBaselinesAndAgainstMeasuringAgain) {
  auto const errors = [](double model, double repeat, double sequential, double nearest) {
    return ModelErrors{{9, model, model}, {9, repeat, repeat}, {9, sequential, sequential}, {9, nearest, nearest}};
  };
  ModelErrors const good = errors(0.03, 0.02, 0.4, 0.05), bad = errors(0.2, 0.02, 0.4, 0.3);
  EXPECT_EQ(worth_words(good, good), "");
  EXPECT_THAT(worth_words(bad, bad), HasSubstr("do not lean"));
  // An order that matters nowhere: nothing can be seen to beat that it does not.
  ModelErrors const tied = errors(0.008, 0.011, 0.005, 0.008);
  EXPECT_THAT(worth_words(tied, good), HasSubstr("beats both"));
  EXPECT_THAT(worth_words(tied, errors(0.06, 0.02, 0.4, 0.05)), HasSubstr("do not lean"));
  EXPECT_THAT(worth_words(tied, {}), HasSubstr("nothing to beat"));
  EXPECT_THAT(worth_words(errors(0.02, 0.011, 0.005, 0.03), good), HasSubstr("do not lean"));
}

}  // namespace
}  // namespace folioscope
