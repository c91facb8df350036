// SPDX-License-Identifier: Apache-2.0
// `folioscope linux` as its users run it: JSON alone on stdout, refusals as data, a capsule that the others read.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "program.hpp"
#include "record/capsule.hpp"
#include "terms/json.hpp"

namespace folioscope::test {
namespace {

#ifdef FOLIOSCOPE_MEASURE
TEST(Linux, FaultOrderGivesJsonAndACapsule) {
  Folder const folder;
  Ran const ran = run({"linux", "fault-order", "--json", "--budget", "2s", "--index", "0,5,15", "--out", "l.folioscope",
                       "--max-memory", "64M"},
                      folder.path());
  ASSERT_FALSE(ran.out.empty()) << ran.err;
  Json const json = parse_json(ran.out, "stdout");
  for (char const* key : {"fault_order", "paths"}) EXPECT_TRUE(json.contains(key)) << key;
  ASSERT_FALSE(json["paths"].items().empty());
  for (Json const& path : json["paths"].items()) {
    bool const measured = path["state"].as_string() == "measured";
    EXPECT_TRUE(measured || path["state"].as_string() == "refused");
    EXPECT_EQ(path["reason"].is_null(), measured) << path["name"].as_string().value_or("");
    EXPECT_EQ(path["per_folio_ns"].is_null(), !measured);
  }
  if (ran.status == 1) GTEST_SKIP() << "no huge pages here: " << ran.err;
  ASSERT_EQ(ran.status, 0) << ran.err;
  Capsule const capsule = Capsule::open(folder.path() / "l.folioscope");
  ASSERT_EQ(capsule.headers().size(), 1u);
  EXPECT_EQ(capsule.headers().front().kind, "linux");
  // How well the probe that looks after a fault finds states made on purpose, at the start and in every placement.
  Campaign const campaign = capsule.load(capsule.headers().front().id);
  EXPECT_TRUE(std::ranges::any_of(campaign.points, [](Point const& p) { return p.series == "probe.level"; }));
  EXPECT_TRUE(std::ranges::any_of(campaign.points, [](Point const& p) { return p.series == "latency.idle"; }));
  ASSERT_FALSE(campaign.placements.empty());
  for (Placement const& placement : campaign.placements) {
    Json const& probe = placement.evidence["probe"];
    EXPECT_FALSE(probe["levels"].items().empty());
    if (probe["levels"].items().size() > 1) EXPECT_FALSE(probe["made_on_purpose"].items().empty());
  }
  for (std::string const form : {"explain", "report"}) {
    Ran const read = run({form, "l.folioscope"}, folder.path());
    EXPECT_EQ(read.status, 0) << form << ": " << read.err;
  }
}

std::size_t linux_blocks(std::filesystem::path const& capsule) {
  try {
    return Capsule::open(capsule).load(1).blocks.size();
  } catch (Error const&) {
    return 0;  // not there yet, or being written
  }
}

TEST(Linux, AStoppedCampaignIsResumedByItsOwnPlan) {
  Folder const folder;
  auto const capsule = folder.path() / "s.folioscope";
  auto const stopped_after = [&](std::vector<std::string> const& words, std::size_t blocks) {
    pid_t const pid = start(words, folder.path());
    for (int waited = 0; waited < 600 && linux_blocks(capsule) <= blocks; ++waited) {
      siginfo_t ended{};
      if (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid) break;
      usleep(50'000);
    }
    kill(pid, SIGINT);
    return wait_for(pid);
  };
  int const status = stopped_after({"linux", "fault-order", "fallocate-tmpfs", "--index", "0,511", "--max-memory",
                                    "16M", "--budget", "10m", "--out", "s.folioscope"},
                                   0);
  if (status == 1) GTEST_SKIP() << "nothing of it can be measured here";
  ASSERT_EQ(status, 3);
  std::size_t const blocks = linux_blocks(capsule);
  EXPECT_EQ(run({"sweep", "--resume", "--out", "s.folioscope"}, folder.path()).status, 1) << "it is no sweep";
  EXPECT_EQ(stopped_after({"linux", "--resume", "--out", "s.folioscope"}, blocks), 3);
  EXPECT_GT(linux_blocks(capsule), blocks);
  EXPECT_EQ(Capsule::open(capsule).headers().size(), 1u) << "gone on with, not begun again";
}

TEST(Linux, ResumeWithoutACapsuleSaysSo) {
  expect_one_line_error(run({"linux", "--resume", "--out", "/nonexistent/x.folioscope"}), 1, {"no such capsule"});
}
#endif

}  // namespace
}  // namespace folioscope::test
