// SPDX-License-Identifier: Apache-2.0
// Trees that lie, are broken, or try to lead out of themselves.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "fake_tree.hpp"
#include "machine/cpu_list.hpp"
#include "machine/files.hpp"
#include "machine/machine.hpp"

namespace folioscope {
namespace {

using testing::IsEmpty;

/// Every file that the survey looks at.
std::vector<std::string> const paths = {"/proc/cpuinfo",
                                        "/proc/meminfo",
                                        "/proc/stat",
                                        "/proc/version",
                                        "/proc/cmdline",
                                        "/proc/config.gz",
                                        "/proc/self/status",
                                        "/proc/self/cgroup",
                                        "/proc/self/smaps",
                                        "/proc/sys/kernel/osrelease",
                                        "/proc/sys/kernel/version",
                                        "/proc/sys/kernel/hostname",
                                        "/proc/sys/kernel/perf_event_paranoid",
                                        "/proc/sys/kernel/nmi_watchdog",
                                        "/proc/sys/kernel/random/boot_id",
                                        "/etc/machine-id",
                                        "/proc/device-tree/compatible",
                                        "/proc/device-tree/cpus/cpu@0/compatible",
                                        "/proc/device-tree/serial-number",
                                        "/sys/devices/system/cpu/online",
                                        "/sys/devices/system/cpu/present",
                                        "/sys/devices/system/cpu/cpu0/cache/index0/level",
                                        "/sys/devices/system/cpu/cpu0/cache/index0/type",
                                        "/sys/devices/system/cpu/cpu0/cache/index0/size",
                                        "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size",
                                        "/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
                                        "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
                                        "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
                                        "/sys/devices/system/cpu/cpu0/cpu_capacity",
                                        "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
                                        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                                        "/sys/devices/system/node/node0/cpulist",
                                        "/sys/devices/system/node/node0/meminfo",
                                        "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages",
                                        "/sys/kernel/mm/transparent_hugepage/enabled",
                                        "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
                                        "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled",
                                        "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
                                        "/sys/kernel/mm/hugepages/hugepages-99999999999999999999kB/nr_hugepages",
                                        "/sys/kernel/debug/sched/preempt",
                                        "/sys/bus/event_source/devices/cpu/type",
                                        "/sys/bus/event_source/devices/cpu/cpus",
                                        "/sys/class/dmi/id/sys_vendor",
                                        "/sys/class/dmi/id/product_name",
                                        "/sys/class/dmi/id/product_uuid",
                                        "/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/memory.current",
                                        "/sys/module/page_reporting/parameters/page_reporting_order"};

void expect_sane(Machine const& machine) {
  for (Fact const& f : machine.facts.all()) {
    // What goes to a terminal or a capsule is printable text.
    for (char const c : f.value.dump()) EXPECT_TRUE(c >= ' ' && c <= '~') << f.key;
    EXPECT_LT(f.value.dump().size(), 1u << 17) << f.key;
  }
  EXPECT_LT(machine.allowed_cpus.size(), most_cpus + 1u);
}

TEST(Hostile, EveryFileFullOfTheSameNonsense) {
  std::string binary;
  for (int i = 0; i < 4096; ++i) binary += static_cast<char>(i * 37);
  for (std::string const& content :
       {std::string(), std::string("\n"), std::string("-1"), std::string("0"), std::string("18446744073709551615"),
        std::string("99999999999999999999999999"), std::string("["), std::string("][ ) ("), std::string(": : :\n:\n"),
        std::string("0-4294967295"), std::string("Node 0 MemTotal: 99999999999999999999 kB"), std::string("0::"),
        std::string(5, '\0'), binary, std::string(1 << 20, '9'), std::string(1 << 20, ',')}) {
    SCOPED_TRACE(content.substr(0, 20));
    FakeTree tree;
    for (auto const& path : paths) tree.write(path, content);
    expect_sane(read_machine(tree.root()));
  }
}

TEST(Hostile, NamesThatLinuxWouldNeverGive) {
  FakeTree tree;
  tree.pmu("cpu", "4").pmu("\xc3\xa9t\xc3\xa9", "5").pmu("\xff\xfe", "6").pmu("del\x7f", "7").pmu("bell\a", "8");
  auto const machine = read_machine(tree.root());
  expect_sane(machine);
  Fact const* const listed = machine.facts.find("pmu.listed");
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->value.dump(), R"([{"name":"cpu","type":4,"cpus":null}])");
}

TEST(Hostile, FoldersWhereFilesShouldBe) {
  FakeTree tree;
  for (auto const& path : paths) tree.write(path + "/x", "1");
  expect_sane(read_machine(tree.root()));
}

TEST(Hostile, FilesWhereFoldersShouldBe) {
  FakeTree tree;
  tree.write("/sys", "1").write("/proc", "1").write("/etc", "1");
  auto const machine = read_machine(tree.root());
  expect_sane(machine);
  EXPECT_THAT(machine.allowed_cpus, IsEmpty());
  EXPECT_EQ(machine.architecture, "");
}

TEST(Hostile, EmptyTreeAsksThisHostNothing) {
  FakeTree tree;
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.architecture, "");
  EXPECT_THAT(machine.allowed_cpus, IsEmpty());
  EXPECT_THAT(machine.caches, IsEmpty());
  EXPECT_THAT(machine.features.status, IsEmpty());
  EXPECT_FALSE(machine.memory_available);
  EXPECT_FALSE(machine.folio);
  for (auto const* key : {"libc.version", "clock.ns_per_tick", "clock.ns_per_add", "cpu.packages"})
    EXPECT_FALSE(machine.facts.find(key)) << key;
  for (Fact const& f : machine.facts.all()) {
    if (f.key.starts_with("identity.") || f.key.ends_with(".sizes")) continue;
    EXPECT_TRUE(f.value.is_null()) << f.key << " " << f.value.dump();
  }
}

TEST(Hostile, MissingRootIsNotTheLiveMachine) {
  for (auto const* root : {"/nonexistent/folder", "nonexistent-folder"}) {
    auto const machine = read_machine(root);
    EXPECT_EQ(machine.architecture, "") << root;
    EXPECT_THAT(machine.allowed_cpus, IsEmpty());
  }
}

TEST(Hostile, LinksDoNotLeadOut) {
  FakeTree tree;
  FakeTree elsewhere;
  elsewhere.write("/secret", "7\n");
  tree.link("/absolute", (elsewhere.root() / "secret").native());
  tree.link("/climbing", "../" + (elsewhere.root().filename() / "secret").native());
  tree.write("/real", "5\n").link("/inside", "real").link("/loop", "loop");
  SystemFiles const files(tree.root());
  EXPECT_EQ(files.number("/inside"), 5u);
  for (auto const* path : {"/absolute", "/climbing", "/loop", "/../secret", "/../../../../etc/passwd"}) {
    EXPECT_FALSE(files.text(path)) << path;
    EXPECT_FALSE(files.exists(path)) << path;
  }
}

TEST(Hostile, ARootWithALongerNeighbour) {
  FakeTree tree;
  tree.write("/a/x", "1").write("/ab/x", "2");
  EXPECT_FALSE(SystemFiles(tree.root() / "a").text("/../ab/x"));
}

TEST(Hostile, PipesDoNotBlock) {
  FakeTree tree;
  tree.write("/proc/x", "");
  ASSERT_EQ(::mkfifo((tree.root() / "proc/cpuinfo").c_str(), 0600), 0);
  EXPECT_FALSE(SystemFiles(tree.root()).text("/proc/cpuinfo"));
}

TEST(Hostile, HugeFilesAreNotRead) {
  FakeTree tree;
  tree.write("/proc/meminfo", "MemTotal: 1 kB\n");
  std::filesystem::resize_file(tree.root() / "proc/meminfo", std::uintmax_t{1} << 40);  // sparse
  EXPECT_FALSE(SystemFiles(tree.root()).text("/proc/meminfo"));
  EXPECT_TRUE(SystemFiles(tree.root()).start_of("/proc/meminfo", 10));
  EXPECT_TRUE(read_machine(tree.root()).facts.value("memory.total_bytes").is_null());
}

TEST(Files, Numbers) {
  EXPECT_EQ(parse_number("0x413fd0c1"), 0x413fd0c1u);
  EXPECT_EQ(parse_number("42"), 42u);
  for (auto const* bad : {"", "0x", "+1", "-1", " 1", "1 ", "1.5", "0xg", "18446744073709551616"})
    EXPECT_FALSE(parse_number(bad)) << bad;
}

TEST(Files, Brackets) {
  EXPECT_EQ(bracketed("always [madvise] never"), "madvise");
  for (auto const* bad : {"", "always", "[", "[]", "]x["}) EXPECT_FALSE(bracketed(bad)) << bad;
}

std::string note_of(Machine const& machine, std::string_view key) {
  for (Fact const& f : machine.facts.all())
    if (f.key == key) return f.note;
  return {};
}

TEST(Hostile, NonsenseIsNotCalledMissing) {
  for (char const* size : {"0", "-1", "2097153", "much"}) {
    FakeTree tree;
    tree.cpus("0-1", "0-1").x86({0, 1}).thp("[always] madvise never", size);
    tree.write("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: plenty kB\n");
    auto const machine = read_machine(tree.root());
    EXPECT_EQ(machine.folio, 2_MiB) << size;
    EXPECT_EQ(note_of(machine, fact::folio),
              "hpage_pmd_size says " + std::string(size) + ", which is no size of a huge page");
    EXPECT_EQ(note_of(machine, "memory.free_for_programs_bytes"), "the MemAvailable line holds no size");
  }
  FakeTree tree;
  tree.cpus("0-1", "0-1").x86({0, 1}).write("/proc/meminfo", "MemTotal: 1000 kB\n");
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(note_of(machine, fact::folio), "hpage_pmd_size is missing");
  EXPECT_EQ(note_of(machine, "memory.free_for_programs_bytes"), "no MemAvailable line");
}

}  // namespace
}  // namespace folioscope
