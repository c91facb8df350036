// SPDX-License-Identifier: Apache-2.0
#include "counters/reader.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

namespace folioscope {
namespace {

void touch(std::size_t pages) {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<char volatile*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
}

double value_of(std::vector<Reading> const& readings, std::string_view event) {
  for (Reading const& reading : readings)
    if (reading.event == event) return reading.value;
  ADD_FAILURE() << event << " was not read";
  return -1;
}

TEST(SoftwareCounters, EachGroupOpensOrSaysWhyNot) {
  for (CounterGroup const& group : counter_groups()) {
    auto reader = open_counters(group.name);
    if (!reader) {
      EXPECT_FALSE(reader.refusal().reason.empty());
      continue;
    }
    for (Refusal const& refusal : (*reader)->refused()) EXPECT_FALSE(refusal.reason.empty()) << refusal.subject;
    (*reader)->start();
    auto const readings = (*reader)->stop();
    EXPECT_FALSE(readings.empty());
    for (Reading const& reading : readings) {
      EXPECT_EQ(reading.group, group.name);
      EXPECT_GE(reading.value, 0) << reading.event;
      EXPECT_TRUE(reading.scope == "user" || reading.scope == "user+kernel") << reading.scope;
    }
  }
}

TEST(SoftwareCounters, CountTheFaultsBetweenStartAndStopAlone) {
  auto reader = open_counters("software");
  if (!reader) GTEST_SKIP() << reader.refusal().reason;
  touch(500);
  (*reader)->start();
  touch(100);
  auto const first = (*reader)->stop();
  touch(500);
  (*reader)->start();
  auto const second = (*reader)->stop();
  EXPECT_GE(value_of(first, "minor-faults"), 100);
  EXPECT_LT(value_of(first, "minor-faults"), 400);
  EXPECT_LT(value_of(second, "minor-faults"), 100) << "each reading starts anew";
}

TEST(SoftwareCounters, CountThreadsStartedAfterwards) {
  auto reader = open_counters("software");
  if (!reader) GTEST_SKIP() << reader.refusal().reason;
  (*reader)->start();
  std::thread([] { touch(1000); }).join();
  EXPECT_GE(value_of((*reader)->stop(), "minor-faults"), 1000);
}

TEST(SoftwareCounters, AnUnknownGroupNamesTheNearest) {
  try {
    open_counters("sofware");
    FAIL();
  } catch (UsageError const& error) {
    EXPECT_NE(std::string(error.what()).find("software"), std::string::npos);
  }
}

}  // namespace
}  // namespace folioscope
