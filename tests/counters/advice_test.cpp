// SPDX-License-Identifier: Apache-2.0
// Every errno that Linux, a container or a hypervisor may answer, injected: the reason is the right one, and the remedy
// would help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "counters/advice.hpp"
#include "counters/perf_source.hpp"
#include "tests/counters/fake.hpp"

namespace folioscope {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

CounterHost guest() {
  CounterHost host = fake::bare_metal();
  host.pmus = {{"software", 1, {}}, {"tracepoint", 2, {}}, {"breakpoint", 5, {}}};
  host.hypervisor = "KVM";
  return host;
}

Refusal core(Answers const& answers, CounterHost const& host) {
  return refuse_event("E", answers, PmuKind::core, host);
}

TEST(Advice, AGuestWithoutPmuIsSaidToBeOne) {
  for (int error : {ENOENT, EOPNOTSUPP, ENODEV}) {
    auto const r = core({error, error}, guest());
    EXPECT_THAT(r.reason, HasSubstr("no PMU in this guest (KVM)"));
    EXPECT_THAT(r.remedy, HasSubstr("pmu=on"));
    EXPECT_THAT(r.reason + r.remedy, Not(HasSubstr("paranoid")));
  }
}

TEST(Advice, LoweringParanoidIsNeverSaidInVain) {
  // Unprivileged in a guest without PMU: kernel counting is forbidden, user-only counting finds nothing.
  auto const r = core({ENOENT, EACCES}, guest());
  EXPECT_THAT(r.reason, HasSubstr("no PMU in this guest"));
  EXPECT_THAT(r.reason, HasSubstr("perf_event_paranoid is 2"));
  EXPECT_THAT(r.reason, HasSubstr("would not help"));
  EXPECT_THAT(r.remedy, HasSubstr("pmu=on"));
  EXPECT_THAT(r.remedy, Not(HasSubstr("paranoid")));
  // Where even user-only counting is forbidden nothing can be asked, and Linux lists no PMU.
  CounterHost strict = guest();
  strict.paranoid = 3;
  auto const s = core({EACCES, EACCES}, strict);
  EXPECT_THAT(s.reason, HasSubstr("perf_event_paranoid is 3"));
  EXPECT_THAT(s.reason, HasSubstr("no PMU in this guest"));
  EXPECT_THAT(s.remedy, HasSubstr("alone will not help"));
}

TEST(Advice, ParanoidIsBlamedWhereItIsTheReason) {
  CounterHost host = fake::bare_metal();
  host.paranoid = 4;
  auto const r = core({EACCES, EACCES}, host);
  EXPECT_THAT(r.reason, HasSubstr("perf_event_paranoid is 4"));
  EXPECT_THAT(r.remedy, HasSubstr("CAP_PERFMON"));
  EXPECT_THAT(r.remedy, HasSubstr("write 2 or less"));
}

TEST(Advice, SeccompIsBlamedWhereItIsSeccomp) {
  CounterHost host = fake::bare_metal();
  host.seccomp = 2;
  for (int error : {EPERM, ENOSYS}) {
    auto const r = core({error, error}, host);
    EXPECT_THAT(r.reason, HasSubstr("seccomp"));
    EXPECT_THAT(r.remedy, HasSubstr("container"));
    EXPECT_THAT(r.remedy, Not(HasSubstr("paranoid")));
  }
  host.seccomp = 0;
  EXPECT_THAT(core({ENOSYS, ENOSYS}, host).reason, HasSubstr("built without"));
  EXPECT_THAT(core({EPERM, EPERM}, host).remedy, HasSubstr("CAP_PERFMON"));
  host.perfmon = true;
  EXPECT_THAT(core({EPERM, EPERM}, host).remedy, Not(HasSubstr("CAP_PERFMON")));
  host.emulator = "QEMU user mode";
  EXPECT_THAT(core({ENOSYS, ENOSYS}, host).reason, HasSubstr("emulator"));
}

TEST(Advice, UncoreEventsNeedPrivilege) {
  CounterHost host = fake::bare_metal();
  for (int error : {EACCES, EPERM}) {
    auto const r = refuse_event("E", {error, {}}, PmuKind::uncore, host);
    EXPECT_THAT(r.reason, HasSubstr("socket-wide"));
    EXPECT_THAT(r.remedy, HasSubstr("write 0"));
  }
}

TEST(Advice, AnUnknownCpuOnBareMetalIsSaidToBeOne) {
  CounterHost host = fake::bare_metal();
  host.pmus = {{"software", 1, {}}};
  host.cpu_name = "Zhaoxin KX-9";
  auto const r = core({ENOENT, ENOENT}, host);
  EXPECT_THAT(r.reason, HasSubstr("Zhaoxin KX-9"));
  EXPECT_THAT(r.reason, Not(HasSubstr("guest")));
}

TEST(Advice, AListedPmuThatRefusesAnEventIsNotCalledMissing) {
  auto const r = core({ENOENT, ENOENT}, fake::bare_metal());
  EXPECT_THAT(r.reason, HasSubstr("listed, and refuses this event"));
}

TEST(Advice, TakenCountersAndDescriptors) {
  CounterHost host = fake::bare_metal();
  host.nmi_watchdog = true;
  EXPECT_THAT(core({EBUSY, {}}, host).remedy, HasSubstr("nmi_watchdog"));
  host.nmi_watchdog = false;
  EXPECT_THAT(core({EBUSY, {}}, host).reason, HasSubstr("another program"));
  EXPECT_THAT(core({EMFILE, {}}, host).remedy, HasSubstr("ulimit"));
  EXPECT_THAT(core({E2BIG, {}}, host).reason, HasSubstr("failed"));
}

TEST(Advice, EveryAnswerHasAReason) {
  for (int error = 1; error < 134; ++error)
    for (auto kind : {PmuKind::core, PmuKind::software, PmuKind::uncore})
      for (auto const& host : {guest(), fake::bare_metal(), CounterHost{}})
        EXPECT_FALSE(refuse_event("E", {error, error}, kind, host).reason.empty());
}

TEST(Advice, UserOnlyCountsSayHowTheKernelsWouldBeHad) {
  fake::Opened o;
  o.machine.events[1] = fake::honest(KnownTraffic::store);
  o.machine.kernel_errors[1] = EACCES;
  auto const& status = o.open({fake::group_of({fake::event("E", 1)})}).events.front();
  EXPECT_TRUE(status.usable);
  EXPECT_EQ(status.scope, "user");
  EXPECT_THAT(status.remedy, HasSubstr("write 1 or less"));
}

TEST(Privileges, AreReadFromStatus) {
  CounterHost host;
  read_privileges(host, "Name:\tx\nSeccomp:\t2\nCapEff:\t0000000000000000\n");
  EXPECT_EQ(host.seccomp, 2u);
  EXPECT_FALSE(host.perfmon);
  read_privileges(host, "CapEff:\t0000004000000000\n");
  EXPECT_TRUE(host.perfmon) << "CAP_PERFMON is bit 38";
  EXPECT_FALSE(host.seccomp);
  read_privileges(host, "CapEff:\t0000000000200000\nSeccomp:\tmany\n");
  EXPECT_TRUE(host.perfmon) << "CAP_SYS_ADMIN is bit 21";
}

/// Linux's call itself replaced: what reaches it is as wanted, and its errno comes back.
TEST(PerfSource, AsksForUserOnlyWorkOfThisThreadAndItsChildren) {
  std::vector<perf_event_attr> asked;
  std::vector<std::pair<int, int>> where;
  PerfSource const source([&](perf_event_attr const& a, int pid, int cpu) {
    asked.push_back(a);
    where.emplace_back(pid, cpu);
    return -EACCES;
  });
  EventRequest request;
  request.type = 8;
  request.code = 0x17;
  EXPECT_EQ(source.probe(request), EACCES);
  request.scope = CountScope::user_and_kernel;
  source.probe(request);
  request.scope = CountScope::socket;
  request.cpu = 48;
  source.probe(request);
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0].type, 8u);
  EXPECT_EQ(asked[0].config, 0x17u);
  EXPECT_TRUE(asked[0].exclude_kernel && asked[0].inherit);
  EXPECT_FALSE(asked[1].exclude_kernel);
  EXPECT_FALSE(asked[2].inherit || asked[2].exclude_kernel || asked[2].exclude_hv);
  EXPECT_EQ(where, (std::vector<std::pair<int, int>>{{0, -1}, {0, -1}, {-1, 48}}));
}

}  // namespace
}  // namespace folioscope
