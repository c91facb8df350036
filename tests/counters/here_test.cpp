// SPDX-License-Identifier: Apache-2.0
// What this machine itself counts: software events exactly, threads started afterwards, and everything else refused
// with a reason where there is no PMU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "machine/machine.hpp"
#include "measure/counter_host.hpp"
#include "tests/counters/fake.hpp"

namespace folioscope {
namespace {

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Without the sanitizer, whose own memory would fault beside it.
__attribute__((no_sanitize_address)) void touch(std::size_t size, std::size_t step, int advice) {
  std::size_t const spare = 2 * step;
  void* const memory = mmap(nullptr, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto at = reinterpret_cast<std::uintptr_t>(memory);
  at = (at + step - 1) / step * step;
  madvise(reinterpret_cast<void*>(at), size, advice);
  for (std::size_t i = 0; i < size; i += step) *reinterpret_cast<char volatile*>(at + i) = 1;
  munmap(memory, size + spare);
}

struct Here {
  CounterHost host = counter_host(read_machine());
  CounterCatalogue catalogue = CounterCatalogue::read();
  Counters open(std::vector<std::string> const& words) {
    auto const groups = catalogue.choose(words, host);
    return open_counters(groups, catalogue, host);
  }
};

double value_of(std::vector<Reading> const& readings, std::string_view event) {
  for (Reading const& reading : readings)
    if (reading.event == event) return reading.value;
  ADD_FAILURE() << event << " was not read";
  return -1;
}

CounterReader* faults_of(Counters& counters) {
  return counters.passes.empty() ? nullptr : counters.passes.front().get();
}

TEST(Here, PageFaultsOfKnownTrafficAreExact) {
  Here here;
  auto counters = here.open({"faults"});
  if (!faults_of(counters)) GTEST_SKIP() << counters.events.front().reason;
  for (EventStatus const& e : counters.events)
    if (e.name == "PAGE-FAULTS" || e.name == "MINOR-FAULTS") {
      EXPECT_TRUE(e.usable) << e.reason;
      EXPECT_EQ(e.trust, 1);
    }
}

TEST(Here, PageFaultsEqualTheNumberComputed) {
  Here here;
  auto counters = here.open({"faults"});
  auto* const reader = faults_of(counters);
  if (!reader) GTEST_SKIP() << counters.events.front().reason;
  touch(500 * page(), page(), MADV_NOHUGEPAGE);
  reader->start();
  touch(1000 * page(), page(), MADV_NOHUGEPAGE);
  EXPECT_EQ(value_of(reader->stop(), "PAGE-FAULTS"), 1000) << "one a base page, none from before the start";
  std::ifstream mode("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(mode, modes);
  std::ifstream size("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  std::size_t folio = 0;
  if (modes.empty() || modes.find("[never]") != std::string::npos || !(size >> folio)) GTEST_SKIP() << "no huge pages";
  constexpr std::size_t folios = 8;
  reader->start();
  touch(folios * folio, folio, MADV_HUGEPAGE);
  auto const seen = value_of(reader->stop(), "PAGE-FAULTS");
  EXPECT_EQ(seen, folios) << "one a folio, whether it is huge or fell back: one byte of each is touched";
}

TEST(Here, ThreadsStartedAfterwardsCount) {
  Here here;
  auto counters = here.open({"faults"});
  auto* const reader = faults_of(counters);
  if (!reader) GTEST_SKIP() << counters.events.front().reason;
  reader->start();
  std::thread([] { touch(1000 * page(), page(), MADV_NOHUGEPAGE); }).join();
  EXPECT_GE(value_of(reader->stop(), "MINOR-FAULTS"), 1000);
}

TEST(Here, EveryEventIsUsableOrSaysWhyNot) {
  Here here;
  std::vector<CounterGroup const*> groups;
  for (CounterGroup const& g : here.catalogue.groups()) groups.push_back(&g);
  auto const counters = open_counters(groups, here.catalogue, here.host);
  for (EventStatus const& e : counters.events) {
    EXPECT_TRUE(e.usable || !e.reason.empty()) << e.group << " " << e.name;
    if (e.usable || !e.for_this_cpu || here.host.core_pmu()) continue;
    // Without a PMU a hardware event must not be blamed on what would not help.
    EXPECT_THAT(e.reason, testing::AnyOf(testing::HasSubstr("no PMU"), testing::HasSubstr("seccomp"),
                                         testing::HasSubstr("lists no PMU"), testing::HasSubstr("emulator"),
                                         testing::HasSubstr("no PMU driver"), testing::HasSubstr("socket-wide"),
                                         testing::HasSubstr("dead"), testing::HasSubstr("built without")))
        << e.group << " " << e.name;
    EXPECT_FALSE(e.remedy.starts_with("write 2")) << e.name << ": " << e.remedy;
  }
}

/// The field's machines, as files: what each says is found in the host.
TEST(FieldCases, TwoKindsOfCoreAreTwoPmus) {
  namespace fs = std::filesystem;
  auto const root = fs::path(testing::TempDir()) / "two-pmus";
  fs::remove_all(root);
  auto const write = [&](std::string const& name, std::string const& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text << "\n";
  };
  for (auto const* list : {"online", "possible", "present"})
    write(std::string("sys/devices/system/cpu/") + list, "0-7");
  std::string info;
  for (int cpu = 0; cpu < 8; ++cpu)
    info += "processor\t: " + std::to_string(cpu) +
            "\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: " + (cpu < 4 ? "0xd05" : "0xd0b") +
            "\nCPU variant\t: 0x1\nCPU revision\t: 0\nCPU architecture: 8\n\n";
  write("proc/cpuinfo", info);
  write("proc/sys/kernel/perf_event_paranoid", "-1");
  write("proc/sys/kernel/nmi_watchdog", "1");
  std::string const pmus = "sys/bus/event_source/devices/";
  write(pmus + "armv8_cortex_a55/cpus", "0-3");
  write(pmus + "armv8_cortex_a55/type", "8");
  write(pmus + "armv8_cortex_a76/cpus", "4-7");
  write(pmus + "armv8_cortex_a76/type", "9");
  CounterHost host = counter_host(read_machine(root));
  fs::remove_all(root);
  EXPECT_EQ(host.architecture, "aarch64");
  EXPECT_EQ(host.paranoid, -1);
  EXPECT_EQ(host.nmi_watchdog, true);
  EXPECT_TRUE(host.several_core_pmus());
  host.cpu = 5;
  ASSERT_TRUE(host.core_pmu());
  EXPECT_EQ(host.core_pmu()->type, 9u);
  host.cpu = 1;
  EXPECT_EQ(host.core_pmu()->type, 8u);
}

}  // namespace
}  // namespace folioscope
