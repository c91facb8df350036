// SPDX-License-Identifier: Apache-2.0
// Linux's settings, memory limits and keys from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if defined(FOLIOSCOPE_ZLIB)
#include <zlib.h>
#endif

#include "fake_tree.hpp"
#include "machine/build_config.hpp"
#include "machine/cgroup.hpp"
#include "machine/machine.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;

FakeTree& base(FakeTree& tree, std::string const& version = "#1 SMP PREEMPT_DYNAMIC Debian") {
  tree.cpus("0", "0").x86({0});
  return tree.write("/proc/version",
                    "Linux version 6.1.0-18-amd64 (builder@host) (gcc (Debian 12) #9) " + version + "\n");
}

std::string preemption(FakeTree const& tree) {
  return read_machine(tree.root()).facts.value(fact::preemption).as_string().value_or("unknown");
}

TEST(Linux, ReleaseFromTheVersionLine) {
  FakeTree tree;
  auto const machine = read_machine(base(tree, "#1 SMP").root());
  EXPECT_EQ(machine.facts.value(fact::linux_release), Json("6.1.0-18-amd64"));
  EXPECT_EQ(machine.linux_kernel, "rep_stosb");
}

TEST(Linux, PreemptionFromTheBestSource) {
  FakeTree tree;
  base(tree);
  EXPECT_EQ(preemption(tree), "unknown");
  tree.write("/boot/config-6.1.0-18-amd64", "# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_VOLUNTARY=y\n");
  EXPECT_EQ(preemption(tree), "voluntary");
  tree.write("/proc/cmdline", "root=/dev/sda preempt=none quiet\n");
  EXPECT_EQ(preemption(tree), "none");
  tree.write("/sys/kernel/debug/sched/preempt", "none voluntary (full) \n");
  EXPECT_EQ(preemption(tree), "full");
}

TEST(Linux, PreemptionOfFixedKernels) {
  for (auto const& [version, model] :
       {std::pair("#1 SMP PREEMPT_RT x", "realtime"), std::pair("#1 SMP PREEMPT x", "full"),
        std::pair("#1 SMP PREEMPT_LAZY x", "lazy"), std::pair("#1 SMP x", "unknown")}) {
    FakeTree tree;
    base(tree, version).write("/proc/cmdline", "preempt=voluntary\n");  // means nothing to them
    EXPECT_EQ(preemption(tree), model) << version;
  }
}

TEST(Linux, InitOnAlloc) {
  FakeTree tree;
  base(tree);
  auto const value = [&] { return read_machine(tree.root()).facts.value("linux.init_on_alloc"); };
  EXPECT_TRUE(value().is_null());
  tree.write("/boot/config-6.1.0-18-amd64", "CONFIG_MMU=y\nCONFIG_INIT_ON_ALLOC_DEFAULT_ON=y\n");
  EXPECT_EQ(value(), Json(true));
  tree.write("/proc/cmdline", "init_on_alloc=1 init_on_alloc=0 -- init_on_alloc=1\n");
  EXPECT_EQ(value(), Json(false));
  tree.write("/proc/cmdline", "init_on_alloc=on\n");
  EXPECT_EQ(value(), Json(true));
}

TEST(Linux, PageReporting) {
  FakeTree tree;
  base(tree);
  auto const value = [&] { return read_machine(tree.root()).facts.value("linux.page_reporting_order"); };
  EXPECT_TRUE(value().is_null());
  tree.write("/sys/module/page_reporting/parameters/page_reporting_order", "9\n");
  EXPECT_EQ(value(), Json(9));
  tree.write("/sys/module/page_reporting/parameters/page_reporting_order", "4294967295\n");
  EXPECT_TRUE(value().is_null());
}

#if defined(FOLIOSCOPE_ZLIB)
std::string gzipped(std::string text) {
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

TEST(BuildConfiguration, IsReadFromItsCompressedForm) {
  FakeTree tree;
  base(tree).write("/proc/config.gz", gzipped("# Linux\nCONFIG_PREEMPT_LAZY=y\n"));
  EXPECT_EQ(preemption(tree), "lazy");
}

TEST(BuildConfiguration, CutOrGrowingForeverIsUnknown) {
  auto const whole = gzipped(std::string(100000, 'x') + "CONFIG_A=y\n");
  EXPECT_EQ(gunzip(whole, 1 << 20).size(), 100011u);
  EXPECT_EQ(gunzip(whole, 1000), "");
  EXPECT_EQ(gunzip(whole.substr(0, whole.size() / 2), 1 << 20), "");
  EXPECT_EQ(gunzip("no gzip at all", 1 << 20), "");
  EXPECT_EQ(gunzip("", 1 << 20), "");
}
#endif

TEST(BuildConfiguration, AnOptionIsAWholeLine) {
  BuildConfig const config{"CONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not set\nCONFIG_LAST=y", "here"};
  EXPECT_TRUE(config.says_yes("CONFIG_PREEMPT_NONE"));
  EXPECT_FALSE(config.says_yes("CONFIG_PREEMPT"));
  EXPECT_TRUE(config.says_yes("CONFIG_LAST"));
  EXPECT_FALSE(config.says_yes("CONFIG_NONE"));
}

TEST(Cgroup, Version2TakesTheTightestParent) {
  FakeTree tree;
  tree.write("/proc/self/cgroup", "0::/a/b\n");
  tree.write("/sys/fs/cgroup/a/b/memory.max", "max\n").write("/sys/fs/cgroup/a/b/memory.current", "1000\n");
  EXPECT_FALSE(read_cgroup_limit(SystemFiles(tree.root())));
  tree.write("/sys/fs/cgroup/a/memory.max", "1000000\n").write("/sys/fs/cgroup/a/memory.current", "400000\n");
  tree.write("/sys/fs/cgroup/a/memory.stat", "anon 100000\ninactive_file 300000\n");
  auto const limit = read_cgroup_limit(SystemFiles(tree.root()));
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->limit, Bytes(1000000));
  EXPECT_EQ(limit->headroom, Bytes(900000));
  EXPECT_EQ(limit->source, "/sys/fs/cgroup/a");
}

TEST(Cgroup, Version1AndItsNoLimit) {
  FakeTree tree;
  tree.write("/proc/self/cgroup", "5:cpu,memory:/x\n0::/\n");
  tree.write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(read_cgroup_limit(SystemFiles(tree.root())));
  tree.write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "5000\n")
      .write("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "9000\n");
  auto const limit = read_cgroup_limit(SystemFiles(tree.root()));
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->headroom, Bytes(0));
}

TEST(Cgroup, NamespacesHideThePath) {
  FakeTree tree;
  tree.write("/proc/self/cgroup", "0::/../../elsewhere\n").write("/sys/fs/cgroup/memory.max", "4096\n");
  ASSERT_TRUE(read_cgroup_limit(SystemFiles(tree.root())));
}

TEST(Cgroup, BoundsAvailableMemory) {
  FakeTree tree;
  base(tree).write("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable:  900 kB\n");
  EXPECT_EQ(read_machine(tree.root()).memory_available, Bytes(900 * 1024));
  tree.write("/proc/self/cgroup", "0::/\n").write("/sys/fs/cgroup/memory.max", "4096\n");
  EXPECT_EQ(read_machine(tree.root()).memory_available, Bytes(4096));
}

TEST(Keys, ModelIsMadeOfHardwareOnly) {
  FakeTree tree;
  base(tree).cache(0, 0, 1, "Data", "32K", "64", "0");
  auto const key = read_machine(tree.root()).model_key;
  tree.thp("[always] madvise never", "2097152")
      .write("/proc/sys/kernel/hostname", "other\n")
      .write("/proc/version", "Linux version 7.0\n");
  tree.write("/proc/self/status", "Cpus_allowed_list: 0\n")
      .write("/proc/meminfo", "MemTotal: 77 kB\n")
      .write("/etc/machine-id", "x\n");
  EXPECT_EQ(read_machine(tree.root()).model_key, key);
  tree.cache(0, 0, 1, "Data", "48K", "64", "0");
  EXPECT_NE(read_machine(tree.root()).model_key, key);
  tree.cache(0, 0, 1, "Data", "32K", "64", "0").cpus("0", "0-1");
  EXPECT_NE(read_machine(tree.root()).model_key, key);
}

TEST(Keys, InstanceFallsBackAndSaysSo) {
  FakeTree tree;
  base(tree).write("/proc/sys/kernel/hostname", "alpha\n");
  auto const read = [&] { return read_machine(tree.root()); };
  auto const by_name = read();
  EXPECT_THAT(by_name.facts.find(fact::instance_key)->note, HasSubstr("look alike"));
  tree.write("/sys/class/dmi/id/product_uuid", "4c4c4544-0042-3510-8051-b7c04f564432\n");
  auto const by_uuid = read();
  EXPECT_EQ(by_uuid.facts.find(fact::instance_key)->source, "/sys/class/dmi/id/product_uuid");
  tree.write("/etc/machine-id", "uninitialized\n");
  EXPECT_EQ(read().instance_key, by_uuid.instance_key);
  tree.write("/etc/machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
  auto const by_id = read();
  EXPECT_EQ(by_id.facts.find(fact::instance_key)->source, "/etc/machine-id");
  tree.write("/proc/sys/kernel/hostname", "beta\n");
  EXPECT_EQ(read().instance_key, by_id.instance_key);
  EXPECT_EQ(std::set<std::string>({by_name.instance_key, by_uuid.instance_key, by_id.instance_key}).size(), 3u);
  for (Fact const& f : by_id.facts.all()) EXPECT_THAT(f.value.dump(), testing::Not(HasSubstr("3d1219c7"))) << f.key;
}

TEST(PlatformFacts, StealAndFirmware) {
  FakeTree tree;
  base(tree).write("/proc/stat", "cpu  100 0 100 700 0 0 0 100 0 0\ncpu0 1\n");
  tree.write("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n").write("/sys/class/dmi/id/product_name", "c7i.large\n");
  auto const facts = read_machine(tree.root()).facts;
  EXPECT_EQ(facts.value("platform.steal_seconds"), Json(1.0));
  EXPECT_EQ(facts.value("platform.steal_share"), Json(0.1));
  EXPECT_EQ(facts.value("platform.product"), Json("Amazon EC2 c7i.large"));
  EXPECT_EQ(facts.value(fact::hypervisor), Json());
}

TEST(PlatformFacts, EmulatedBoardFromItsDeviceTree) {
  FakeTree tree;
  tree.cpus("0", "0").arm({0}, "0xd08");
  tree.write("/proc/device-tree/compatible", std::string("linux,dummy-virt\0", 17));
  tree.write("/proc/device-tree/cpus/cpu@0/compatible", std::string("arm,cortex-a72\0", 15));
  auto const machine = read_machine(tree.root());
  EXPECT_EQ(machine.emulator, "QEMU TCG");
  EXPECT_THAT(machine.facts.find(fact::emulator)->note, HasSubstr("no results"));
}

TEST(PlatformFacts, GravitonIsNamedOnAmazonsMachines) {
  FakeTree tree;
  tree.cpus("0", "0").arm({0}, "0xd40").write("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  EXPECT_EQ(read_machine(tree.root()).facts.value("platform.processor"), Json("AWS Graviton3"));
}

}  // namespace
}  // namespace folioscope
