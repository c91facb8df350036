// SPDX-License-Identifier: Apache-2.0
// What must hold on whatever machine the tests run. No figure here decides by time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>

#include "machine/clock.hpp"
#include "machine/cpu_list.hpp"
#include "machine/files.hpp"
#include "machine/machine.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

Machine const& live() {
  static Machine const machine = read_machine();
  return machine;
}

TEST(Live, KnowsWhatAProgramAlwaysKnows) {
  EXPECT_EQ(live().base_page.value, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_FALSE(live().architecture.empty());
  EXPECT_FALSE(live().model_key.empty());
  EXPECT_FALSE(live().instance_key.empty());
  ASSERT_FALSE(live().allowed_cpus.empty());
  EXPECT_EQ(intersection(live().allowed_cpus, affinity()), live().allowed_cpus);
}

TEST(Live, FactsHaveSourcesAndUnknownOnesReasons) {
  for (Fact const& f : live().facts.all()) {
    EXPECT_FALSE(f.source.empty()) << f.key;
    if (f.value.is_null()) {
      EXPECT_FALSE(f.note.empty()) << f.key;
    }
  }
  for (auto key :
       {fact::architecture, fact::model_key, fact::instance_key, fact::linux_release, fact::base_page, fact::emulator})
    EXPECT_TRUE(live().facts.find(key)) << key;
}

TEST(Live, FactsOfOneSubjectStandTogether) {
  std::vector<std::string> subjects;
  for (Fact const& f : live().facts.all()) {
    auto const subject = f.key.substr(0, f.key.find('.'));
    if (subjects.empty() || subjects.back() != subject) subjects.push_back(subject);
  }
  auto sorted = subjects;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

TEST(Live, CachesAscendAndArePlausible) {
  unsigned level = 0;
  for (auto const& cache : live().caches) {
    EXPECT_GE(cache.level, level);
    level = cache.level;
    if (cache.size) {
      EXPECT_GE(cache.size->value, 1024u);
    }
    EXPECT_FALSE(cache.source.empty());
  }
}

TEST(Live, KeysAreStable) {
  auto const again = read_machine();
  EXPECT_EQ(again.model_key, live().model_key);
  EXPECT_EQ(again.instance_key, live().instance_key);
}

TEST(Live, NarrowerAffinityIsSeenAndChangesNoKey) {
  if (live().allowed_cpus.size() < 2) GTEST_SKIP() << "one CPU";
  unsigned const last = live().allowed_cpus.back();
  if (last >= CPU_SETSIZE) GTEST_SKIP() << "more CPUs than this test's set holds";
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  auto const machine = read_machine();
  ::sched_setaffinity(0, sizeof before, &before);
  EXPECT_THAT(machine.allowed_cpus, testing::ElementsAre(last));
  EXPECT_EQ(machine.model_key, live().model_key);
}

#if defined(__x86_64__)
TEST(Live, VectorFeaturesAreUsableOnlyWithLinux) {
  // A feature that Linux's own list has must be usable here too.
  auto const text = SystemFiles().start_of("/proc/cpuinfo", 1 << 14).value_or("");
  auto const flags = " " + value_of_key(text, "flags").value_or("") + " ";
  if (live().emulator) GTEST_SKIP() << "the program may see another CPU than Linux";
  for (auto const* name : {"sse2", "avx2", "avx512f", "clzero", "movdir64b"}) {
    if (flags.find(" " + std::string(name) + " ") == std::string::npos) continue;
    EXPECT_TRUE(live().features.status.at(name).usable) << name;
  }
}
#endif

TEST(Clock, IsCalibratedAgainstTheRawClock) {
  auto const clock = read_clock();
  EXPECT_GT(clock.ns_per_tick, 0.01);
  EXPECT_LT(clock.ns_per_tick, 1000);
  EXPECT_GE(clock.tick.value, clock.ns_per_tick * 0.999);
  EXPECT_TRUE(std::isfinite(clock.tick.value));
  EXPECT_EQ(clock.source, current_clocksource());
}

TEST(Clock, TicksDoNotGoBack) {
  auto last = ticks();
  for (int i = 0; i < 100000; ++i) {
    auto const now = ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, ChainOfAddsIsNotFolded) {
  // Optimised away it would take no time at all; no CPU adds dependently faster than 20 times a nanosecond.
  auto const add = ns_per_add(read_clock());
  EXPECT_GT(add, 0.05);
  EXPECT_TRUE(std::isfinite(add));
}

}  // namespace
}  // namespace folioscope
