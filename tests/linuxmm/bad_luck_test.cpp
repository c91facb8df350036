// SPDX-License-Identifier: Apache-2.0
// What goes wrong on real machines: each path that it meets is refused with reason and remedy, and the others go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "linuxmm/passes.hpp"
#include "linuxmm/path.hpp"
#include "linuxmm/tmpfs_mount.hpp"

namespace folioscope {
namespace {

/// A Linux with everything, so that what a test takes away is all that is missing.
Machine lucky() {
  Machine m = read_machine();
  m.thp_mode = "madvise";
  m.folio = m.base_page * (m.base_page.value / 8);
  m.memory_available = 16_GiB;
  m.hugetlb = {{.size = *m.folio, .total = 128, .free = 128}};
  return m;
}

std::set<std::string_view> paths_with_cells(LinuxPlan const& planned) {
  std::set<std::string_view> names;
  for (LinuxPlan::Part const& part : planned.parts)
    if (!part.plan.cells.empty()) names.insert(part.path->name);
  return names;
}

void expect_reasons(LinuxPlan const& planned, std::set<std::string_view> const& unlucky) {
  std::set<std::string_view> said;
  for (Refusal const& r : planned.plan.refusals) {
    EXPECT_FALSE(r.reason.empty()) << r.subject;
    EXPECT_FALSE(r.remedy.empty()) << r.subject;
    for (std::string_view const name : unlucky)
      if (r.subject.starts_with(name)) said.insert(name);
  }
  EXPECT_EQ(said, unlucky);
}

TEST(BadLuck, WithoutThpWhatNeedsNoneGoesOn) {
  Machine machine = lucky();
  machine.thp_mode = "never";
  auto const planned = plan_linux(linux_paths(), machine, {});
  expect_reasons(planned, {"fault-order thp", "populate", "anon-w-seq", "anon-w-seq-mt", "returned-memory"});
  auto const left = paths_with_cells(planned);
  for (char const* name : {"fault-order", "fallocate-hugetlb", "anon-w-seq-hugetlb", "fallocate-tmpfs"})
    EXPECT_TRUE(left.contains(name)) << name;
}

TEST(BadLuck, AnEmptyHugetlbPoolEndsHugetlbAlone) {
  Machine machine = lucky();
  machine.hugetlb.front().free = machine.hugetlb.front().total = 0;
  auto const planned = plan_linux(linux_paths(), machine, {});
  expect_reasons(planned, {"fault-order hugetlb", "fallocate-hugetlb", "anon-w-seq-hugetlb"});
  auto const left = paths_with_cells(planned);
  for (char const* name : {"fault-order", "populate", "anon-w-seq", "anon-w-seq-mt", "fallocate-tmpfs"})
    EXPECT_TRUE(left.contains(name)) << name;
  for (PlannedCell const& planned_cell : planned.plan.cells)
    EXPECT_NE(planned_cell.cell.backing.kind, BackingKind::hugetlb);
}

TEST(BadLuck, UnderACgroupLimitThePathsShareWhatThereIs) {
  Machine machine = lucky();
  for (Bytes const limit : {64_MiB, 256_MiB}) {
    machine.memory_available = limit;
    auto const planned = plan_linux(linux_paths(), machine, {});
    std::uint64_t most = 0;
    for (PlannedCell const& c : planned.plan.cells)
      if (c.cell.backing.kind != BackingKind::hugetlb) most = std::max(most, c.cell.footprint.value * c.cell.threads);
    EXPECT_LE(most, limit.value / 4) << "or it would be killed";
    EXPECT_TRUE(paths_with_cells(planned).contains("anon-w-seq"));
  }
  machine.memory_available = 1_MiB;
  auto const planned = plan_linux(linux_paths(), machine, {});
  expect_reasons(planned, {"populate", "anon-w-seq", "anon-w-seq-mt", "fallocate-tmpfs", "returned-memory"});
}

TEST(BadLuck, APathThatFailsEachTimeEndsAndTheOthersGoOn) {
  Machine const machine = read_machine();
  Plan plan;
  plan.base_page = machine.base_page;
  plan.folio = 2_MiB;
  for (char const* kernel : {"linux_unlucky", "linux_lucky"}) {
    Cell cell;
    cell.kernel = kernel;
    cell.footprint = cell.call = 2_MiB;
    plan.cells.push_back({cell, {{0_B, 2_MiB}}});
  }
  Passes subject(plan, machine, read_clock(), [](PassPlace const& place) -> Granted<Passed> {
    if (place.cell.kernel == "linux_unlucky") return Refusal{{}, "a task was killed by signal 9", "free memory"};
    Passed passed;
    passed.sample.wall = Nanoseconds(1);
    return passed;
  });
  Random random(1);
  std::vector<RefusedCell> refused;
  for (int block = 0; block < 5; ++block)
    for (std::size_t cell : {0u, 1u}) {
      EXPECT_EQ(static_cast<bool>(subject.run(cell, Arm::first, random)), cell == 1);
      for (RefusedCell& r : subject.newly_refused()) refused.push_back(std::move(r));
    }
  ASSERT_EQ(refused.size(), 1u) << "told once";
  EXPECT_EQ(refused.front().cell, 0u);
  EXPECT_EQ(refused.front().refusal.remedy, "free memory");
}

bool write_to(char const* path, std::string const& text) {
  int const file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool const written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

/// In a child, inside a user namespace of its own in which no further one may be made.
int without_user_namespaces() {
  std::string const users = "0 " + std::to_string(geteuid()) + " 1", groups = "0 " + std::to_string(getegid()) + " 1";
  if (unshare(CLONE_NEWUSER) != 0) return 2;
  write_to("/proc/self/setgroups", "deny");
  if (!write_to("/proc/self/uid_map", users) || !write_to("/proc/self/gid_map", groups)) return 2;
  if (!write_to("/proc/sys/user/max_user_namespaces", "0")) return 2;
  auto const file = file_in_own_tmpfs("always");
  if (file) return 1;
  bool const told = file.refusal().reason.find("user namespace") != std::string::npos &&
                    file.refusal().remedy.find("max_user_namespaces") != std::string::npos;
  return told ? 0 : 1;
}

TEST(BadLuck, WithoutUserNamespacesTheTmpfsIsRefused) {
  pid_t const child = fork();
  if (child == 0) _exit(without_user_namespaces());
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no user namespace to begin with";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ResumedPlan, HasThePartsOfThePlanThatWasRecorded) {
  Machine const machine = lucky();
  LinuxPlan const planned = plan_linux(linux_paths(), machine, {});
  LinuxPlan const again = resumed_plan(planned.plan, machine, "a.folioscope");
  std::set<std::string_view> names;
  std::size_t cells = 0;
  for (LinuxPlan::Part const& part : again.parts) {
    EXPECT_EQ(part.first, cells);
    EXPECT_TRUE(names.insert(part.path->name).second) << "in one piece: " << part.path->name;
    for (PlannedCell const& c : part.plan.cells) EXPECT_EQ(c.cell, planned.plan.cells[cells++].cell);
  }
  EXPECT_EQ(cells, planned.plan.cells.size());
  EXPECT_EQ(names, paths_with_cells(planned));
}

TEST(ResumedPlan, WhatNobodyWouldHavePlannedIsAnError) {
  Machine const machine = lucky();
  LinuxPath const* const path = &find_linux_path("fallocate-hugetlb");
  Plan const good = plan_linux({&path, 1}, machine, {}).plan;
  ASSERT_FALSE(good.cells.empty());
  auto const expect_error = [&](auto spoil) {
    Plan bad = good;
    spoil(bad);
    EXPECT_THROW(static_cast<void>(resumed_plan(bad, machine, "a.folioscope")), Error);
  };
  expect_error([](Plan& p) { p.cells[0].cell.backing.size.reset(); });
  expect_error([](Plan& p) { p.cells[0].cell.backing.size = 3_B; });
  expect_error([](Plan& p) { p.cells[0].cell.footprint = 0_B; });
  expect_error([](Plan& p) { p.cells[0].cell.footprint = Bytes(std::uint64_t{1} << 60); });
  expect_error([](Plan& p) { p.cells[0].cell.threads = 0; });
  expect_error([](Plan& p) { p.cells[0].cell.threads = 1u << 30; });
  expect_error([](Plan& p) { p.cells[0].cell.target = 1u << 20; });
  expect_error([](Plan& p) { p.base_page = 0_B; });
  expect_error([](Plan& p) { p.folio = 64_KiB; });
  expect_error([](Plan& p) { p.options["path of " + p.cells[0].cell.kernel] = "another"; });
}

}  // namespace
}  // namespace folioscope
