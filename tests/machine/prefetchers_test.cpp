// SPDX-License-Identifier: Apache-2.0
// The msr device is a sparse file here: the same eight bytes at the same offsets.
#include "machine/prefetchers.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "fake_tree.hpp"
#include "machine/registers.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class PrefetchersTest : public testing::Test {
 protected:
  PrefetchersTest() {
    machine.architecture = "x86_64";
    machine.vendor = "GenuineIntel";
    machine.allowed_cpus = {0, 2};
    for (unsigned cpu : {0u, 1u, 2u}) {
      tree.write("/cpu/" + std::to_string(cpu) + "/msr", "");
      put(cpu, 0x1a4, 0x10);  // a bit that is none of ours
    }
  }
  std::filesystem::path device(unsigned cpu) const { return devices / std::to_string(cpu) / "msr"; }
  void put(unsigned cpu, std::uint32_t number, std::uint64_t value) const {
    int const fd = ::open(device(cpu).c_str(), O_WRONLY);
    ASSERT_EQ(::pwrite(fd, &value, sizeof value, number), 8);
    ::close(fd);
  }
  std::string now(unsigned cpu, std::uint32_t number = 0x1a4) const {
    return read_register({device(cpu).string(), number}).value_or("none");
  }

  FakeTree tree;
  std::filesystem::path const devices = tree.root() / "cpu", journal = tree.root() / "state/journal";
  Machine machine;
};

constexpr char const* untouched = "0x0000000000000010";

TEST_F(PrefetchersTest, OneByOneOffAndOnAgain) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "Intel's and AMD's switches";
#endif
  auto const switches = prefetcher_switches(machine, devices);
  ASSERT_TRUE(switches) << switches.refusal().reason;
  ASSERT_EQ(switches->size(), 4u);
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    for (PrefetcherSwitch const& s : *switches) {
      std::vector<PrefetcherSwitch> const one{s};
      if (!turn_off(one, machine, changes, devices).empty()) return 1;
      std::string const wanted = "0x00000000000000" + std::string(s.bit == 0   ? "11"
                                                                  : s.bit == 1 ? "12"
                                                                  : s.bit == 2 ? "14"
                                                                               : "18");
      if (now(0) != wanted || now(2) != wanted) return 2;
      if (now(1) != untouched) return 3;  // not allowed: not ours
      if (!turn_on(one, machine, changes, devices).empty() || now(0) != untouched) return 4;
    }
    return turn_off(*switches, machine, changes, devices).empty() && now(2) == "0x000000000000001f" ? 0 : 5;
  });
  EXPECT_EQ(end.status, 0);
  EXPECT_THAT(end.not_restored, IsEmpty());
  for (unsigned cpu : {0u, 1u, 2u}) EXPECT_EQ(now(cpu), untouched) << cpu;
}

TEST_F(PrefetchersTest, AKilledRunGivesThemBack) {
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    auto const setting = register_setting(device(0), 0x1a4);
    if (!changes.set(setting, "0x000000000000001f") || now(0) != "0x000000000000001f") return 1;
    ::kill(::getpid(), SIGKILL);
    return 2;
  });
  EXPECT_EQ(end.status, 128 + SIGKILL);
  EXPECT_EQ(now(0), untouched);
}

TEST_F(PrefetchersTest, NothingIsTouchedWithoutTheUsersWord) {
  run_guarded(false, journal, [&](Changes& changes) {
    PrefetcherSwitch const one[]{{"l2_stream", "GenuineIntel", 0x1a4, 0, ""}};
    auto const refusals = turn_off(one, machine, changes, devices);
    EXPECT_EQ(refusals.size(), 2u);
    EXPECT_THAT(refusals.at(0).remedy, HasSubstr("--allow-system-changes"));
    return 0;
  });
  EXPECT_EQ(now(0), untouched);
}

TEST_F(PrefetchersTest, ARegisterThatDoesNotKeepItsValueIsSaid) {
  PrefetcherSwitch const one[]{{"l2_stream", "GenuineIntel", 0x1a4, 0, ""}};
  std::filesystem::remove(device(2));
  std::filesystem::create_symlink("/dev/zero", device(2));  // takes what is written and reads 0
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    auto const refusals = turn_off(one, machine, changes, devices);
    return refusals.size() == 1 && refusals[0].reason.find("does not keep") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(end.status, 0);
}

TEST_F(PrefetchersTest, RefusalsNameTheReason) {
  auto const reason = [&](Machine const& m) {
    auto const switches = prefetcher_switches(m, devices);
    return switches ? std::string("granted") : switches.refusal().reason;
  };
  Machine m = machine;
  m.facts.add(std::string(fact::hypervisor), "kvm", "made up");
  EXPECT_THAT(reason(m), HasSubstr("guest"));
  m = machine;
  m.emulator = "qemu";
  EXPECT_THAT(reason(m), HasSubstr("emulator"));
  m = machine;
  m.architecture = "aarch64";
  EXPECT_THAT(reason(m), HasSubstr("architecture"));
  m = machine;
  m.vendor = "HygonGenuine";
  EXPECT_THAT(reason(m), HasSubstr("HygonGenuine"));
  std::filesystem::remove(device(0));
#if defined(__x86_64__)
  EXPECT_THAT(reason(machine), HasSubstr("cannot be read"));
#endif
}

TEST(Registers, OnlyTheirOwnFormIsOne) {
  EXPECT_EQ(register_in("/dev/cpu/0/msr#0x1a4")->number, 0x1a4u);
  EXPECT_EQ(register_in("/dev/cpu/0/msr#0xc0000108")->device, "/dev/cpu/0/msr");
  for (char const* path : {"/sys/kernel/mm/x", "/a#b", "/a#12", "/a#0x", "/a#0x1ffffffff"})
    EXPECT_FALSE(register_in(path)) << path;
  EXPECT_TRUE(write_register({"/nonexistent", 1}, "0x1"));
  EXPECT_TRUE(write_register({"/dev/null", 1}, "one"));
}

}  // namespace
}  // namespace folioscope
