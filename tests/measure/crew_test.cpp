// SPDX-License-Identifier: Apache-2.0
#include "measure/crew.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <set>

#include "machine/machine.hpp"

namespace folioscope {
namespace {

std::vector<unsigned> allowed() {
  std::vector<unsigned> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

TEST(Crew, RunsEachMemberOnItsOwnCpu) {
  auto const cpus = allowed();
  auto crew = Crew::hire(cpus);
  ASSERT_TRUE(crew) << crew.refusal().reason;
  EXPECT_EQ(crew->size(), cpus.size());
  std::vector<int> seen(cpus.size(), -1);
  for (int repeat = 0; repeat < 100; ++repeat)
    crew->inside().run(cpus.size(), [&](std::size_t i) { seen[i] = sched_getcpu(); });
  EXPECT_EQ(std::vector<unsigned>(seen.begin(), seen.end()), cpus);
}

TEST(Crew, RunsOnlyAsManyAsWanted) {
  auto const cpus = allowed();
  auto crew = Crew::hire(cpus);
  ASSERT_TRUE(crew) << crew.refusal().reason;
  for (std::size_t count = cpus.size(); count >= 1; --count) {
    std::atomic<std::size_t> ran = 0;
    std::vector<char> each(cpus.size(), 0);
    crew->inside().run(count, [&](std::size_t i) {
      ++ran;
      each[i] = 1;
      crew->inside().barrier.wait(static_cast<std::uint32_t>(count));
    });
    EXPECT_EQ(ran, count);
    for (std::size_t i = 0; i < cpus.size(); ++i) EXPECT_EQ(each[i], i < count);
  }
}

TEST(Crew, OneMemberIsTheCallingThread) {
  auto const before = allowed();
  {
    auto crew = Crew::hire(std::span(before).first(1));
    ASSERT_TRUE(crew) << crew.refusal().reason;
    std::thread::id ran;
    crew->inside().run(1, [&](std::size_t) { ran = std::this_thread::get_id(); });
    EXPECT_EQ(ran, std::this_thread::get_id());
    EXPECT_EQ(allowed(), std::vector<unsigned>{before[0]});
  }
  EXPECT_EQ(allowed(), before) << "the affinity of the hiring thread comes back";
}

TEST(Crew, AForbiddenCpuIsARefusalAndChangesNothing) {
  auto const before = allowed();
  for (std::vector<unsigned> cpus : {std::vector<unsigned>{1u << 20}, {before[0], 1u << 20}}) {
    auto crew = Crew::hire(cpus);
    ASSERT_FALSE(crew);
    EXPECT_EQ(crew.refusal().subject, "cpu 1048576");
    EXPECT_FALSE(crew.refusal().reason.empty());
    EXPECT_EQ(allowed(), before);
  }
}

TEST(Crew, RefusesNoCpuAndTheSameTwice) {
  EXPECT_FALSE(Crew::hire({}));
  unsigned const cpu = allowed().at(0);
  EXPECT_FALSE(Crew::hire(std::vector{cpu, cpu}));
}

TEST(CpuSet, NamesCpusBeyondTheFixedSet) {
  CpuSet const set = CpuSet::only(5000);
  EXPECT_TRUE(set.holds_only(5000));
  EXPECT_FALSE(set.holds_only(4999));
  EXPECT_FALSE(set.holds_only(1u << 20));
}

}  // namespace
}  // namespace folioscope
