// SPDX-License-Identifier: Apache-2.0
// Events that lie, vanish, wrap, share or are refused, on a fake machine: each is named with its reason, none is read
// as 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "counters/trust.hpp"
#include "tests/counters/fake.hpp"

namespace folioscope {
namespace {

using fake::event;
using fake::group_of;
using fake::honest;
using fake::Opened;
using fake::steady;
using testing::HasSubstr;

EventStatus only(Counters const& counters) {
  EXPECT_EQ(counters.events.size(), 1u);
  return counters.events.front();
}

EventStatus of(fake::Behaviour behaviour, CounterEvent e = event("E", 1)) {
  Opened o;
  o.machine.events[1] = std::move(behaviour);
  return only(o.open({group_of({std::move(e)})}));
}

TEST(Trust, IsWhatWasCountedOfWhatHappened) {
  auto const status = of(honest(KnownTraffic::store, 0.9));
  EXPECT_TRUE(status.usable) << status.reason;
  ASSERT_TRUE(status.trust);
  EXPECT_DOUBLE_EQ(*status.trust, 0.9);
  EXPECT_EQ(status.scope, "user+kernel");
}

TEST(Trust, NamesDeadEvents) {
  auto const status = of([](auto, auto) { return steady(0); });
  EXPECT_FALSE(status.usable);
  EXPECT_THAT(status.reason, HasSubstr("dead"));
  EXPECT_EQ(status.trust, 0);
}

TEST(Trust, NamesDeadEventsThatHaveNoNumberToBeHeldAgainst) {
  auto const status = of([](auto, auto) { return steady(0); }, event("E", 1, KnownTraffic::store, std::nullopt));
  EXPECT_FALSE(status.usable);
  EXPECT_THAT(status.reason, HasSubstr("dead"));
}

TEST(Trust, NamesImpossibleEvents) {
  EXPECT_THAT(of([](auto, auto) { return steady(-5); }).reason, HasSubstr("impossible"));
  EXPECT_THAT(of([](auto, auto) { return steady(std::pow(2.0, 48)); }).reason, HasSubstr("impossible")) << "wrapped";
  EXPECT_THAT(of([](auto, double n) {
                return Count{n, Nanoseconds(1e6), Nanoseconds(2e6)};
              }).reason,
              HasSubstr("impossible"));
  EXPECT_THAT(of([](auto, auto) { return steady(std::nan("")); }).reason, HasSubstr("impossible"));
}

TEST(Trust, NamesEventsThatVanish) {
  Opened o;
  int reads = 0;  // it is there while it is tried alone, and gone when it is to be believed
  o.machine.events[1] = [&](auto, double n) { return ++reads == 1 ? std::optional(steady(n)) : std::nullopt; };
  EXPECT_THAT(only(o.open({group_of({event("E", 1)})})).reason, HasSubstr("vanished"));
  EXPECT_TRUE(o.counters.passes.empty());
}

TEST(Trust, NamesWhatCountsSomethingElse) {
  auto const status = of(honest(KnownTraffic::store, 5));
  EXPECT_FALSE(status.usable);
  EXPECT_THAT(status.reason, HasSubstr("untrusted"));
  EXPECT_EQ(status.trust, 5);
}

TEST(Trust, TellsNanosecondsFromCycles) {
  CounterEvent const e = event("CPU_CYCLES", 0x11, KnownTraffic::adds);
  Observation const clock{1e6, Count{350'000, Nanoseconds(350e3), Nanoseconds(350e3)}, Nanoseconds(350e3)};
  Observation const core{1e6, Count{1.01e6, Nanoseconds(350e3), Nanoseconds(350e3)}, Nanoseconds(350e3)};
  auto const no = judge_event(e, std::vector{clock, clock, clock});
  EXPECT_FALSE(no.usable);
  EXPECT_THAT(no.reason, HasSubstr("nanoseconds"));
  EXPECT_TRUE(judge_event(e, std::vector{core, core, core}).usable);
  // Where an add takes a nanosecond of an emulator's own clock, the count looks right and is still a clock.
  Observation const both{1e6, Count{1e6, Nanoseconds(1e6), Nanoseconds(1e6)}, Nanoseconds(1e6)};
  EXPECT_FALSE(judge_event(e, std::vector{both, both, both}).usable);
}

TEST(Trust, WithoutTrafficIsNotKnown) {
  auto const status = of([](auto, auto) { return steady(0); }, event("E", 1, KnownTraffic::none, std::nullopt));
  EXPECT_TRUE(status.usable);
  EXPECT_FALSE(status.trust);
}

TEST(Split, GroupsArePassesBeforeTheyWouldTakeTurns) {
  Opened o;
  std::vector<CounterEvent> events;
  for (std::uint64_t code = 1; code <= 7; ++code) {
    o.machine.events[code] = honest(KnownTraffic::store);
    events.push_back(event("E" + std::to_string(code), code));
  }
  o.machine.counters = 3;
  o.open({group_of(events)});
  ASSERT_EQ(o.counters.passes.size(), 3u);
  std::size_t read = 0;
  for (auto const& pass : o.counters.passes) {
    pass->start();
    auto const readings = pass->stop();
    EXPECT_LE(readings.size(), 3u);
    for (Reading const& r : readings) EXPECT_EQ(r.running, r.enabled) << r.event;
    read += readings.size();
  }
  EXPECT_EQ(read, 7u);
}

TEST(Split, AnEventWithoutACounterBlamesTheWatchdogOnlyWhereItRuns) {
  for (bool const dog : {true, false}) {
    Opened o;
    o.host.nmi_watchdog = dog;
    o.machine.events[1] = [](auto, double n) { return Count{n, Nanoseconds(1e6), Nanoseconds(0)}; };
    auto const status = only(o.open({group_of({event("E", 1)})}));
    EXPECT_FALSE(status.usable);
    EXPECT_EQ(status.reason.find("watchdog") != std::string::npos, dog) << status.reason;
    EXPECT_EQ(status.remedy.find("nmi_watchdog") != std::string::npos, dog) << status.remedy;
  }
}

TEST(Split, OneBadEventLeavesTheOthersCounting) {
  Opened o;
  o.machine.events[1] = honest(KnownTraffic::store);
  o.machine.events[2] = [](auto, auto) { return steady(0); };
  o.open({group_of({event("GOOD", 1), event("DEAD", 2)})});
  ASSERT_EQ(o.counters.passes.size(), 1u);
  o.counters.passes[0]->start();
  auto const readings = o.counters.passes[0]->stop();
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].event, "GOOD");
  EXPECT_EQ(readings[0].group, "own/test");
}

TEST(Ways, NamesComeFirstThenRawCodesThenLinuxItself) {
  Opened o;
  auto group = group_of({event("L1D_CACHE_REFILL", 3)});
  group.libpfm = "arm_n1";
  group.events[0].verified = "libpfm";
  o.machine.events[3] = honest(KnownTraffic::store);
  EXPECT_EQ(only(o.open({group})).opened_by, "PAPI");
  o.machine.knows_names = false;  // a library that lost the name
  EXPECT_EQ(only(o.open({group})).opened_by, "PAPI, raw code");
  EXPECT_EQ(o.machine.opened.back().native, "perf_raw::r3");
  // Raw codes go to whichever PMU Linux likes: with two kinds of core the event is opened on its own PMU.
  o.host.pmus = {{"armv8_cortex_a55", 8, {0, 1}}, {"armv8_cortex_a76", 9, {2, 3}}};
  o.host.cpu = 2;
  auto const status = only(o.open({group}));
  EXPECT_EQ(status.opened_by, "perf_event_open");
  EXPECT_EQ(status.pmu, "armv8_cortex_a76");
  EXPECT_EQ(o.machine.opened.back().type, 9u);
}

TEST(Uncore, IsSummedOverItsBoxesOnTheCpusOfTheirMask) {
  Opened o;
  o.host.pmus.push_back({"hisi_sccl1_hha2", 20, {0, 48}});
  o.host.pmus.push_back({"hisi_sccl1_hha3", 21, {0, 48}});
  o.host.pmus.push_back({"hisi_sccl1_ddrc0", 22, {0}});
  o.machine.events[0x1c] = honest(KnownTraffic::load, 0.25);
  auto const status = only(o.open({group_of({event("rd_ddr_64b", 0x1c, KnownTraffic::load)}, "hisi_sccl*_hha*")}));
  EXPECT_TRUE(status.usable) << status.reason;
  EXPECT_EQ(status.trust, 1) << "four boxes see a quarter each";
  EXPECT_EQ(status.scope, "socket");
  std::vector<std::pair<std::uint32_t, int>> where;
  for (std::size_t i = o.machine.opened.size() - 4; i < o.machine.opened.size(); ++i)
    where.emplace_back(o.machine.opened[i].type, o.machine.opened[i].cpu);
  EXPECT_THAT(where,
              testing::ElementsAre(std::pair(20u, 0), std::pair(20u, 48), std::pair(21u, 0), std::pair(21u, 48)));
}

TEST(Uncore, MissingBoxesAreNamed) {
  Opened o;
  o.host.hypervisor = "KVM";
  auto const status = only(o.open({group_of({event("rd", 1)}, "uncore_imc_*")}));
  EXPECT_FALSE(status.usable);
  EXPECT_THAT(status.reason, HasSubstr("uncore_imc_*"));
  EXPECT_THAT(status.remedy, HasSubstr("host"));
}

TEST(OtherCpus, AreNamedAndNeverOpened) {
  Opened o;
  auto const all = o.catalogue.groups();
  std::vector<CounterGroup> zen;
  for (CounterGroup const& g : all)
    if (g.microarchitecture == "zen4") zen.push_back(g);
  o.open(zen);
  for (EventStatus const& s : o.counters.events) {
    EXPECT_FALSE(s.usable);
    EXPECT_THAT(s.reason, HasSubstr("AMD Zen 4"));
    EXPECT_THAT(s.reason, HasSubstr("Neoverse-N1"));
  }
  EXPECT_TRUE(o.machine.opened.empty());
}

TEST(Readings, NegativeAndVanishedOnesAreNone) {
  Opened o;
  bool bad = false;
  o.machine.events[1] = [&](KnownTraffic, double n) { return steady(bad ? -3 : n); };
  o.machine.events[2] = [&](KnownTraffic, double n) { return bad ? std::optional<Count>() : steady(n); };
  o.open({group_of({event("A", 1), event("B", 2)})});
  ASSERT_EQ(o.counters.passes.size(), 1u);
  o.counters.passes[0]->start();
  EXPECT_EQ(o.counters.passes[0]->stop().size(), 2u);
  bad = true;
  o.counters.passes[0]->start();
  EXPECT_TRUE(o.counters.passes[0]->stop().empty());
}

}  // namespace
}  // namespace folioscope
