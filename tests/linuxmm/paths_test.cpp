// SPDX-License-Identifier: Apache-2.0
// Every path of the catalogue: what it plans, what it refuses, and that it runs or says why not.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "linuxmm/path.hpp"
#include "linuxmm/processes.hpp"
#include "linuxmm/tmpfs_mount.hpp"
#include "linuxmm/together.hpp"

namespace folioscope {
namespace {

class EachPath : public testing::TestWithParam<LinuxPath const*> {
 protected:
  static Machine const& machine() {
    static Machine const here = read_machine();
    return here;
  }
  static LinuxRequest small() {
    LinuxRequest request;
    request.max_memory = 16_MiB;
    request.threads = {1};
    request.indices = {0, 5, 511};
    return request;
  }
  LinuxPath const* path() const { return GetParam(); }
};

TEST(Room, OfAllPathsTogetherStaysBelowWhatThereIs) {
  Machine machine;
  machine.memory_available = 200_MiB;  // a cgroup's headroom, say
  LinuxRequest request;
  request.paths = linux_paths().size();
  constexpr std::uint64_t held = 10;  // files of tmpfs and the replica of fault-order are a share each
  EXPECT_LE(room_of(machine, request) * held, 168_MiB);
  EXPECT_GE(room_of(machine, request), 16_MiB);
  request.max_memory = 64_MiB;
  EXPECT_LE(room_of(machine, request) * held, 64_MiB);
  request.max_memory = 4_GiB;
  EXPECT_LE(room_of(machine, request) * held, 168_MiB) << "what is not there is not given";
  request.paths = 1;
  EXPECT_EQ(room_of(machine, request), 84_MiB) << "one path alone may have more";
  machine.memory_available = 20_MiB;
  EXPECT_EQ(room_of(machine, request), 0_MiB);
}

TEST_P(EachPath, PlansCellsOrSaysWhyNot) {
  LinuxPath const* const only = path();
  LinuxPlan const planned = plan_linux({&only, 1}, machine(), {});
  EXPECT_FALSE(planned.plan.cells.empty() && planned.plan.refusals.empty());
  std::set<Cell> cells;
  for (PlannedCell const& planned_cell : planned.plan.cells) {
    EXPECT_TRUE(cells.insert(planned_cell.cell).second) << "twice: " << describe(planned_cell.cell);
    EXPECT_FALSE(planned_cell.visits.empty());
    if (planned_cell.cell.kernel.starts_with("linux_")) {
      EXPECT_EQ(planned.plan.options.at("path of " + planned_cell.cell.kernel), path()->name);
    }
  }
  for (Refusal const& r : planned.plan.refusals) {
    EXPECT_TRUE(r.subject.starts_with(path()->name)) << r.subject;
    EXPECT_FALSE(r.reason.empty()) << r.subject;
    EXPECT_FALSE(r.remedy.empty()) << r.subject;
  }
}

TEST_P(EachPath, RefusesWhereLinuxHasNoHugePages) {
  LinuxPath const* const only = path();
  Machine bare = machine();
  bare.thp_mode = "never";
  bare.folio.reset();
  for (MthpSize& m : bare.mthp) m.mode = "never";
  bare.hugetlb.clear();
  LinuxPlan const planned = plan_linux({&only, 1}, bare, {});
  EXPECT_TRUE(planned.plan.cells.empty());
  ASSERT_FALSE(planned.plan.refusals.empty());
  for (Refusal const& r : planned.plan.refusals) {
    EXPECT_FALSE(r.reason.empty()) << r.subject;
    EXPECT_FALSE(r.remedy.empty()) << r.subject;
  }
}

TEST_P(EachPath, RefusesMemoryThatMayNotBeUsed) {
  LinuxPath const* const only = path();
  LinuxRequest request = small();
  request.max_memory = 64_KiB;
  LinuxPlan planned = plan_linux({&only, 1}, machine(), request);
  Clock const clock = read_clock();
  if (planned.plan.cells.empty()) return;
  // Some see it only when they map.
  auto const subject = path()->subject(planned.parts[0].plan, machine(), clock, request);
  EXPECT_FALSE(subject->newly_refused().empty());
}

TEST_P(EachPath, RunsEachCellOrSaysWhyNot) {
  LinuxPath const* const only = path();
  LinuxRequest const request = small();
  LinuxPlan planned = plan_linux({&only, 1}, machine(), request);
  if (planned.plan.cells.empty()) GTEST_SKIP() << planned.plan.refusals.front().reason;
  Clock const clock = read_clock();
  Random random(1);
  planned.parts[0].plan.budget = Nanoseconds(1e9);
  auto const subject = path()->subject(planned.parts[0].plan, machine(), clock, request);
  subject->place(0, random);
  for (std::size_t cell = 0; cell < planned.plan.cells.size(); ++cell) {
    auto const sample = subject->run(cell, Arm::first, random);
    auto const seen = subject->seen();
    if (!sample) {
      EXPECT_FALSE(sample.refusal().reason.empty());
      continue;
    }
    EXPECT_GT(sample->wall.value, 0) << describe(planned.plan.cells[cell].cell);
    EXPECT_GE(sample->user.value, 0);
    EXPECT_GE(sample->system.value, 0);
    for (Point const& p : seen) EXPECT_GE(p.y, 0) << p.series;
  }
  subject->leave();
  EXPECT_GT(subject->core_clock(), 0);
}

std::string word(testing::TestParamInfo<LinuxPath const*> const& info) {
  std::string name(info.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, EachPath, testing::ValuesIn(linux_paths().begin(), linux_paths().end()), word);

TEST(Processes, TimesAllOfThem) {
  Clock const clock = read_clock();
  std::vector<unsigned> const cpus{0, 0};
  ProcessWork const work{[](std::size_t) { return 0; }, [](std::size_t) { return Worked{}; }};
  auto const timed = time_processes(cpus, clock, work);
  ASSERT_TRUE(timed) << timed.refusal().reason;
  EXPECT_EQ(timed->error, 0);
  EXPECT_GE(timed->sample.wall.value, 0);
}

TEST(Processes, AKilledTaskIsARefusal) {
  Clock const clock = read_clock();
  std::vector<unsigned> const cpus{0};
  for (int const kind : {SIGKILL, SIGBUS}) {
    ProcessWork const work{[](std::size_t) { return 0; },
                           [kind](std::size_t) {
                             std::signal(kind, SIG_DFL);  // sanitizers catch some
                             return Worked{raise(kind)};
                           }};
    auto const timed = time_processes(cpus, clock, work);
    ASSERT_FALSE(timed) << kind;
    EXPECT_NE(timed.refusal().reason.find("killed by signal"), std::string::npos) << timed.refusal().reason;
    EXPECT_FALSE(timed.refusal().remedy.empty());
  }
}

TEST(Processes, AnErrorOfOneIsReported) {
  Clock const clock = read_clock();
  std::vector<unsigned> const cpus{0};
  ProcessWork const work{[](std::size_t) { return ENOMEM; }, [](std::size_t) { return Worked{}; }};
  auto const timed = time_processes(cpus, clock, work);
  ASSERT_TRUE(timed);
  EXPECT_EQ(timed->error, ENOMEM);
}

/// In a child, since what it takes away is not given back.
template <class Try>
int in_a_child(Try const& attempt) {
  pid_t const child = fork();
  if (child == 0) _exit(attempt());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(OwnTmpfs, GivesAFileOrARefusal) {
  auto const file = file_in_own_tmpfs("always");
  if (file)
    EXPECT_GE(file->get(), 0);
  else
    EXPECT_FALSE(file.refusal().remedy.empty());
  auto const none = file_in_own_tmpfs("sometimes");
  ASSERT_FALSE(none);
  EXPECT_FALSE(none.refusal().reason.empty());
}

TEST(OwnTmpfs, RefusesWhereNoProcessCanBeMade) {
  int const outcome = in_a_child([] {
    if (setgid(65534) != 0 || setuid(65534) != 0) return 2;
    rlimit const none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    auto const file = file_in_own_tmpfs("always");
    return !file && !file.refusal().reason.empty() && !file.refusal().remedy.empty() ? 0 : 1;
  });
  if (outcome == 2) GTEST_SKIP() << "only root can become nobody";
  EXPECT_EQ(outcome, 0);
}

}  // namespace
}  // namespace folioscope
