// SPDX-License-Identifier: Apache-2.0
// Machines met in the field, one a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_tree.hpp"
#include "machine/machine.hpp"

namespace folioscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Every key whose fact is unknown must say why, and no unknown may pose as 0 or -1.
void expect_reasons(Machine const& machine) {
  for (Fact const& f : machine.facts.all()) {
    if (f.value.is_null() && f.key != fact::hypervisor && f.key != fact::emulator) {
      EXPECT_FALSE(f.note.empty()) << f.key;
    }
    if (f.key != "perf.event_paranoid") {
      EXPECT_NE(f.value, Json(-1)) << f.key;
    }
    EXPECT_FALSE(f.source.empty()) << f.key;
    if (f.key.ends_with("_bytes") && f.key.starts_with("cache.")) {
      EXPECT_NE(f.value, Json(0)) << f.key;
    }
  }
}

TEST(FieldCases, ArmVmWithoutCacheFolder) {
  FakeTree tree;
  tree.cpus("0-3", "0-3").arm(range(0, 3), "0xd0c");
  for (unsigned cpu : range(0, 3)) tree.siblings(cpu, std::to_string(cpu));
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.architecture, "aarch64");
  EXPECT_EQ(machine.vendor, "Arm");
  EXPECT_EQ(machine.model, "Neoverse-N1");
  EXPECT_EQ(machine.facts.value("cpu.midr"), Json("0x413fd0c1"));
  EXPECT_THAT(machine.caches, IsEmpty());
  for (auto const* key : {"cache.L1d.size_bytes", "cache.L2.size_bytes", "cache.L3.size_bytes"}) {
    ASSERT_TRUE(machine.facts.find(key)) << key;
    EXPECT_TRUE(machine.facts.value(key).is_null());
  }
  EXPECT_TRUE(machine.facts.value(fact::base_page).is_null());
  EXPECT_FALSE(machine.folio);
  EXPECT_EQ(machine.linux_kernel, "");
  EXPECT_TRUE(machine.facts.value(fact::linux_kernel).is_null());
  expect_reasons(machine);
}

TEST(FieldCases, CacheSizeFilesMissing) {
  FakeTree tree;
  tree.cpus("0-1", "0-1").arm(range(0, 1), "0xd0c");
  for (unsigned cpu : range(0, 1)) {
    auto const self = std::to_string(cpu);
    tree.cache(cpu, 0, 1, "Data", "", "64", self)
        .cache(cpu, 1, 1, "Instruction", "", "64", self)
        .cache(cpu, 2, 2, "Unified", "", "", self);
  }
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.caches, SizeIs(3));
  for (auto const& cache : machine.caches) EXPECT_FALSE(cache.size);
  EXPECT_EQ(machine.caches[0].line, 64_B);
  EXPECT_FALSE(machine.caches[2].line);
  EXPECT_TRUE(machine.facts.value("cache.L2.size_bytes").is_null());
  EXPECT_EQ(machine.facts.value("cache.L1d.line_bytes"), Json(64));
  expect_reasons(machine);
}

TEST(FieldCases, CacheSizeZeroIsUnknown) {
  FakeTree tree;
  tree.cpus("0", "0").x86({0}).cache(0, 0, 1, "Data", "0K", "0", "0");
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.caches, SizeIs(1));
  EXPECT_FALSE(machine.caches[0].size);
  EXPECT_FALSE(machine.caches[0].line);
  expect_reasons(machine);
}

TEST(FieldCases, NodesWithoutMemory) {
  FakeTree tree;
  tree.cpus("0-47", "0-47").x86(range(0, 47));
  tree.node(0, "0-5,24-29", 0)
      .node(1, "6-11,30-35", 65850368)
      .node(2, "12-17,36-41", 66019328)
      .node(3, "18-23,42-47", 0);
  for (unsigned cpu : range(0, 47)) tree.siblings(cpu, std::to_string(cpu % 24) + "," + std::to_string(cpu % 24 + 24));
  auto const machine = read_machine(tree.root());
  auto const* nodes = machine.facts.find("numa.nodes");
  ASSERT_TRUE(nodes);
  ASSERT_THAT(nodes->value.items(), SizeIs(4));
  EXPECT_EQ(nodes->value.items()[0]["memoryless"], Json(true));
  EXPECT_EQ(nodes->value.items()[1]["memory_bytes"], Json(std::int64_t{65850368} * 1024));
  EXPECT_EQ(nodes->value.items()[1]["memoryless"], Json(false));
  EXPECT_THAT(nodes->note, HasSubstr("node0 node3"));
  EXPECT_THAT(machine.facts.value("cpu.smt_siblings").items(), SizeIs(24));
  EXPECT_EQ(machine.facts.value("cpu.smt_siblings").items()[0], Json("0,24"));
}

TEST(FieldCases, MoreThan1024Cpus) {
  FakeTree tree;
  tree.cpus("0-1279", "0-1279").x86(range(0, 1279));
  tree.write("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t2,4,1200-1279\n");
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.allowed_cpus, SizeIs(82));
  EXPECT_EQ(machine.allowed_cpus.front(), 2u);
  EXPECT_EQ(machine.allowed_cpus.back(), 1279u);
  EXPECT_EQ(machine.facts.value(fact::cpus_allowed), Json("2,4,1200-1279"));
  ASSERT_THAT(machine.kinds, SizeIs(1));
  EXPECT_THAT(machine.kinds[0].cpus, SizeIs(1280));
}

TEST(FieldCases, AllowedAndOnlineDiffer) {
  FakeTree tree;
  tree.cpus("0-2,4", "0-7").x86({0, 1, 2, 4}).write("/proc/self/status", "Cpus_allowed_list:\t2-7\n");
  EXPECT_THAT(read_machine(tree.root()).allowed_cpus, ElementsAre(2, 4));
}

TEST(FieldCases, BigLittleByPmuAlone) {
  FakeTree tree;
  tree.cpus("0-7", "0-7").pmu("armv8_cortex_a55", "8", "0-3").pmu("armv8_cortex_a76", "9", "4-7");
  for (unsigned cpu : range(0, 7)) {
    tree.cache(cpu, 0, 1, "Data", cpu < 4 ? "32K" : "64K", "64", std::to_string(cpu));
    tree.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/cpuinfo_max_freq",
               cpu < 4 ? "1800000\n" : "2400000\n");
  }
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.architecture, "aarch64");
  ASSERT_THAT(machine.kinds, SizeIs(2));
  EXPECT_EQ(machine.kinds[0].name, "armv8_cortex_a55");
  EXPECT_THAT(machine.kinds[1].cpus, ElementsAre(4, 5, 6, 7));
  auto const& kinds = machine.facts.value("cpu.kinds").items();
  EXPECT_EQ(kinds[0]["l1d_bytes"], Json(32768));
  EXPECT_EQ(kinds[1]["max_frequency_khz"], Json(2400000));
  EXPECT_EQ(kinds[1]["pmu"], Json("armv8_cortex_a76"));
  EXPECT_EQ(machine.caches.at(0).size, 32_KiB);
  EXPECT_EQ(machine.facts.value("caches_of_kinds.cpu0.L1d.size_bytes"), Json(32768));
  EXPECT_EQ(machine.facts.value("caches_of_kinds.cpu4.L1d.size_bytes"), Json(65536));
}

TEST(FieldCases, WhatOneCpuDoesNotTellMakesNoKind) {
  FakeTree tree;
  tree.cpus("0-3", "0-3").arm(range(0, 3), "0xd0c");
  for (unsigned cpu : range(0, 3)) {
    if (cpu != 2) tree.midr(cpu, 0x413fd0c1);
    tree.cache(cpu, 0, 1, "Data", cpu == 0 ? "" : cpu == 1 ? "0K" : "64K", "64", std::to_string(cpu));
  }
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.kinds, SizeIs(1));
  EXPECT_THAT(machine.kinds[0].cpus, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(machine.facts.value("cpu.kinds").items()[0]["l1d_bytes"], Json(65536));
}

TEST(FieldCases, BigLittleByMidr) {
  FakeTree tree;
  tree.cpus("0-3", "0-3").arm({0, 1, 2, 3}, "0xd05");
  for (unsigned cpu : range(0, 1)) tree.midr(cpu, 0x412fd050);
  for (unsigned cpu : range(2, 3)) tree.midr(cpu, 0x414fd0b1);
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.kinds, SizeIs(2));
  EXPECT_EQ(machine.kinds[0].name, "Cortex-A55");
  EXPECT_EQ(machine.kinds[1].name, "Cortex-A76");
  EXPECT_EQ(machine.model, "Cortex-A55 + Cortex-A76");
}

TEST(FieldCases, IntelHybridByPmu) {
  FakeTree tree;
  tree.cpus("0-3", "0-3").x86(range(0, 3)).pmu("cpu_core", "4", "0-1").pmu("cpu_atom", "10", "2-3");
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.kinds, SizeIs(2));
  EXPECT_EQ(machine.kinds[1].name, "cpu_atom");
}

TEST(FieldCases, SoftwarePmusOnly) {
  FakeTree tree;
  tree.cpus("0-1", "0-1").x86({0, 1}).pmu("software", "1").pmu("tracepoint", "2").pmu("breakpoint", "5");
  tree.write("/proc/sys/kernel/perf_event_paranoid", "2\n").write("/proc/sys/kernel/nmi_watchdog", "0\n");
  auto const machine = read_machine(tree.root());
  auto const* listed = machine.facts.find("pmu.listed");
  ASSERT_TRUE(listed);
  EXPECT_THAT(listed->value.items(), SizeIs(3));
  EXPECT_THAT(listed->note, HasSubstr("no PMU of a core"));
  EXPECT_EQ(machine.facts.value("perf.event_paranoid"), Json(2));
  EXPECT_EQ(machine.facts.value("perf.nmi_watchdog"), Json(0));
}

TEST(FieldCases, NegativeParanoidLevelIsKnown) {
  FakeTree tree;
  tree.cpus("0", "0").x86({0}).write("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  EXPECT_EQ(read_machine(tree.root()).facts.value("perf.event_paranoid"), Json(-1));
}

TEST(FieldCases, ThpNever) {
  FakeTree tree;
  tree.cpus("0-1", "0-1").x86({0, 1}).thp("always madvise [never]", "2097152");
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.thp_mode, "never");
  EXPECT_EQ(machine.folio, 2_MiB);
}

TEST(FieldCases, ThpNotBuilt) {
  FakeTree tree;
  tree.cpus("0-1", "0-1").x86({0, 1});
  tree.write("/proc/meminfo", "MemTotal:        3885396 kB\nHugePages_Total:       0\nHugepagesize:       2048 kB\n");
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.thp_mode, "");
  EXPECT_TRUE(machine.facts.value("thp.enabled").is_null());
  EXPECT_EQ(machine.folio, 2_MiB);
  EXPECT_EQ(machine.facts.value("memory.total_bytes"), Json(std::int64_t{3885396} * 1024));
  EXPECT_FALSE(machine.memory_available);
  expect_reasons(machine);
}

TEST(FieldCases, BasePagesOf64K) {
  FakeTree tree;
  tree.cpus("0-3", "0-3").arm(range(0, 3), "0xd0c").thp("[always] madvise never", "536870912");
  for (unsigned long size : {64ul, 2048ul, 524288ul, 16777216ul}) tree.pool(size, "0", "0");
  tree.write("/proc/meminfo", "MemTotal:       16384000 kB\nHugepagesize:     524288 kB\n");
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.base_page, 64_KiB);
  EXPECT_EQ(machine.folio, 512_MiB);
  EXPECT_EQ(machine.facts.value("pages.contpte_bytes"), Json(2 << 20));
  EXPECT_THAT(machine.hugetlb, SizeIs(4));
  EXPECT_EQ(machine.hugetlb.back().size, 16_GiB);
}

TEST(FieldCases, BasePagesOf16K) {
  FakeTree tree;
  tree.cpus("0", "0").arm({0}, "0x022", "fp asimd", "0x61").thp("[always] madvise never", "33554432");
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.base_page, 16_KiB);
  EXPECT_EQ(machine.folio, 32_MiB);
  EXPECT_EQ(machine.facts.value("pages.contpte_bytes"), Json(2 << 20));
  EXPECT_EQ(machine.model, "Icestorm (M1)");
}

TEST(FieldCases, OnlyOneMthpSize) {
  FakeTree tree;
  tree.cpus("0-3", "0-3").x86(range(0, 3)).thp("always madvise [never]", "2097152");
  for (unsigned size : {16u, 32u, 128u, 2048u}) tree.mthp(size, "always inherit madvise [never]");
  tree.mthp(64, "[always] inherit madvise never");
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.mthp, SizeIs(5));
  EXPECT_EQ(machine.mthp[2].size, 64_KiB);
  EXPECT_EQ(machine.mthp[2].mode, "always");
  EXPECT_EQ(machine.facts.value("mthp.64K"), Json("always"));
  EXPECT_EQ(machine.facts.value("mthp.2M"), Json("never"));
}

TEST(FieldCases, PoolsPerNode) {
  FakeTree tree;
  tree.cpus("0", "0").x86({0}).pool(2048, "10", "3").node(0, "0", 1024).node(1, "", 1024);
  tree.write("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages", "10\n");
  tree.write("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages", "3\n");
  auto const machine = read_machine(tree.root());
  ASSERT_THAT(machine.hugetlb, SizeIs(1));
  EXPECT_EQ(machine.hugetlb[0].total, 10u);
  EXPECT_EQ(machine.hugetlb[0].free, 3u);
  auto const pool = machine.facts.value("hugetlb.2M");
  ASSERT_THAT(pool["nodes"].items(), SizeIs(1));
  EXPECT_EQ(pool["nodes"].items()[0]["free"], Json(3));
  EXPECT_THAT(machine.facts.find("numa.nodes")->note, HasSubstr("without CPUs: node1"));
}

}  // namespace
}  // namespace folioscope
