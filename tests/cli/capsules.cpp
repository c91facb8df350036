// SPDX-License-Identifier: Apache-2.0
// Capsules as the command line meets them: made by real sweeps, damaged on purpose, stopped in the middle.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "program.hpp"
#include "record/capsule.hpp"

namespace folioscope::test {
namespace {

namespace fs = std::filesystem;

TEST(Capsules, AFileThatIsNoneIsNamed) {
  Folder const folder;
  auto const text = folder.write("notes.folioscope",
                                 "not a capsule at all, but long enough to be looked at by SQLite and refused there\n");
  auto const empty = folder.write("empty.folioscope", "");
  for (std::string const command : {"explain", "report"}) {
    expect_one_line_error(run({command, text.string()}, folder.path()), 1, {"notes.folioscope"});
    expect_one_line_error(run({command, empty.string()}, folder.path()), 1, {"empty.folioscope"});
    expect_one_line_error(run({command, (folder.path() / "absent.folioscope").string()}, folder.path()), 1,
                          {"absent.folioscope"});
  }
  EXPECT_FALSE(fs::exists(folder.path() / "report.html"));
}

TEST(Capsules, ATableOfPublishedFiguresThatIsNoneIsNamed) {
  Folder const folder;
  auto const wrong = folder.write("own.toml", "[[figure]]\nsource = 'nobody'\n");
  for (std::string const command : {"explain", "report"}) {
    expect_one_line_error(run({command, "any.folioscope", "--foreign", wrong.string()}, folder.path()), 1,
                          {"own.toml, figure 1", "nobody"});
    expect_one_line_error(run({command, "any.folioscope", "--foreign", "absent.toml"}, folder.path()), 1,
                          {"absent.toml"});
  }
}

#ifdef FOLIOSCOPE_MEASURE
/// A real but small sweep: base pages and 64 KiB, so that it runs on any machine.
std::vector<std::string> small(std::string const& out, std::string const& budget = "3s") {
#if defined(__x86_64__)
  std::string const kernel = "mov_r64";
#else
  std::string const kernel = "stp_x";
#endif
  return {"sweep",      "--kernels", kernel,      "--orders", "sequential,reverse", "--footprints", "64K",
          "--backings", "base",      "--targets", "0",        "--budget",           budget,         "--max-memory",
          "256M",       "--out",     out};
}

/// As small(), but never precise enough to end before its budget.
std::vector<std::string> endless(Folder const& folder, std::string const& out) {
  auto const experiment = folder.write("endless.toml",
                                       "description = \"goes on\"\nprecision = 0.000001\nmax_placements = 100000\n"
                                       "[[cells]]\norders = \"sequential\"\n");
  auto arguments = small(out, "60s");
  arguments.insert(arguments.end(), {"--experiment", experiment.string()});
  return arguments;
}

/// Until blocks are on disk.
void wait_for_blocks(fs::path const& capsule, std::size_t more_than = 0) {
  for (int i = 0; i < 600; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    try {
      if (fs::exists(capsule) && Capsule::open(capsule).load(1).blocks.size() > more_than) return;
    } catch (std::exception const&) {
    }
  }
}

class Swept : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new Folder;
    ran_ = new Ran(run(small("a.folioscope"), folder_->path()));
  }
  static void TearDownTestSuite() {
    delete ran_;
    delete folder_;
  }
  static fs::path capsule() { return folder_->path() / "a.folioscope"; }
  static Folder* folder_;
  static Ran* ran_;
};
Folder* Swept::folder_ = nullptr;
Ran* Swept::ran_ = nullptr;

TEST_F(Swept, LeavesOneFileAndAVerdict) {
  ASSERT_EQ(ran_->status, 0) << ran_->err;
  EXPECT_FALSE(ran_->out.empty());
  std::size_t files = 0;
  for (auto const& entry : fs::directory_iterator(folder_->path()))
    files += entry.path().filename().string().starts_with("a.folioscope");
  EXPECT_EQ(files, 1u) << "side files are left";
}

TEST_F(Swept, ExplainsAsTextJsonAndMail) {
  for (std::string const form : {"", "--json", "--mail"}) {
    std::vector<std::string> arguments{"explain", capsule().string()};
    if (!form.empty()) arguments.push_back(form);
    Ran const ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(ran.err.empty()) << ran.err;
    EXPECT_NE(ran.out.find("reverse"), std::string::npos) << form;
  }
}

TEST_F(Swept, OpensInAReadOnlyFolder) {
  Folder const folder;
  fs::copy(capsule(), folder.path() / "a.folioscope");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(run({"explain", (folder.path() / "a.folioscope").string()}).status, 0);
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_F(Swept, ExportsEveryFormat) {
  for (std::string const form : {"--csv", "--json", "--gbench"}) {
    Ran const ran = run({"export", capsule().string(), form});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_GT(ran.out.size(), 200u);
    expect_one_line_error(run({"export", capsule().string(), form}, ".", "/dev/full"), 1, {"stdout"});
  }
}

TEST_F(Swept, WhatPrintsEndsQuietlyWhenItsReaderLeaves) {
  for (auto const& words :
       {std::vector<std::string>{"export", capsule().string(), "--csv"}, {"explain", capsule().string()}}) {
    Ran const ran = run(words, ".", no_reader);
    EXPECT_EQ(ran.status, 128 + SIGPIPE) << "a cut output is no success";
    EXPECT_TRUE(ran.err.empty()) << ran.err;
  }
}

TEST_F(Swept, ADeadStdoutIsOneLineWithARemedy) {
  for (auto const& words : {std::vector<std::string>{"explain", capsule().string()},
                            {"compare", capsule().string(), capsule().string()},
                            {"machine"},
                            {"list", "counters", "--json"}})
    expect_one_line_error(run(words, ".", "/dev/full"), 1, {"stdout", "redirection"});
}

TEST_F(Swept, APageNeverReplacesMeasurements) {
  Folder const folder;
  auto const copy = folder.path() / "copy.folioscope";
  fs::copy(capsule(), copy);
  expect_one_line_error(run({"report", copy.string(), "-o", copy.string()}), 2, {"copy.folioscope", "capsule"});
  expect_one_line_error(run({"report", capsule().string(), "-o", copy.string()}), 2, {"copy.folioscope"});
  EXPECT_EQ(Capsule::open(copy).headers().size(), 1u);
}

TEST_F(Swept, ACapsuleWithoutCampaignsIsNoResult) {
  Folder const folder;
  auto const bare = folder.path() / "bare.folioscope";
  fs::copy(capsule(), bare);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(bare.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "DELETE FROM campaign", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  auto const merged = folder.path() / "merged.folioscope";
  for (auto const& words : {std::vector<std::string>{"explain", bare.string()},
                            {"report", bare.string()},
                            {"merge", bare.string(), "-o", merged.string()}})
    expect_one_line_error(run(words, folder.path()), 1, {"bare.folioscope", "no campaign"});
  EXPECT_FALSE(fs::exists(merged));
}

TEST_F(Swept, ResumeTakesNoOtherPlan) {
  for (auto const& words :
       {std::vector<std::string>{"--kernels", "nothing"}, {"--seed", "5"}, {"--experiment", "bill"}}) {
    std::vector<std::string> all{"sweep", "--resume", "--out", capsule().string()};
    all.insert(all.end(), words.begin(), words.end());
    expect_one_line_error(run(all), 2, {words.front(), "plan"});
  }
}

TEST_F(Swept, ResumeOnPagesOfAnotherSizeIsRefused) {
  Folder const folder;
  auto const other = folder.path() / "other.folioscope";
  fs::copy(capsule(), other);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(other.c_str(), &db), SQLITE_OK);
  char const* change =
      "UPDATE campaign SET complete=0, plan=json_set(plan, '$.base_page_bytes', 1048576, '$.folio_bytes', 536870912)";
  ASSERT_EQ(sqlite3_exec(db, change, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  auto const blocks = Capsule::open(other).load(1).blocks.size();
  expect_one_line_error(run({"sweep", "--resume", "--out", other.string()}), 1,
                        {"other.folioscope", "1 MiB", "512 MiB"});
  EXPECT_EQ(Capsule::open(other).load(1).blocks.size(), blocks);
}

TEST_F(Swept, ATruncatedCapsuleIsAnErrorAndIsNotTouched) {
  Folder const folder;
  auto const cut = folder.path() / "cut.folioscope";
  fs::copy(capsule(), cut);
  fs::resize_file(cut, fs::file_size(cut) / 2);
  auto const before = fs::last_write_time(cut);
  expect_one_line_error(run({"explain", cut.string()}), 1, {"cut.folioscope"});
  expect_one_line_error(run(small(cut.string())), 1, {"cut.folioscope"});
  EXPECT_EQ(fs::last_write_time(cut), before);
}

TEST_F(Swept, ANewerSchemaIsAnError) {
  Folder const folder;
  auto const newer = folder.path() / "newer.folioscope";
  fs::copy(capsule(), newer);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(newer.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version=1000000", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  expect_one_line_error(run({"explain", newer.string()}), 1, {"newer"});
}

TEST_F(Swept, AppendsToTheSameMachineAndRefusesAnother) {
  Folder const folder;
  auto const mine = folder.path() / "mine.folioscope";
  fs::copy(capsule(), mine);
  EXPECT_EQ(run(small(mine.string(), "2s")).status, 0);
  EXPECT_EQ(Capsule::open(mine).headers().size(), 2u);
  auto const foreign = folder.path() / "foreign.folioscope";
  fs::copy(capsule(), foreign);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(foreign.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "UPDATE fact SET value='\"another\"' WHERE key='identity.instance_key'", nullptr, nullptr, nullptr);
  sqlite3_exec(db, "UPDATE campaign SET instance_key='another'", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  auto const size = fs::file_size(foreign);
  expect_one_line_error(run(small(foreign.string(), "2s")), 1, {"foreign.folioscope", "machine"});
  EXPECT_EQ(fs::file_size(foreign), size);
}

TEST_F(Swept, MergesAndComparesWithItself) {
  Folder const folder;
  auto const merged = (folder.path() / "merged.folioscope").string();
  EXPECT_EQ(run({"merge", capsule().string(), capsule().string(), "-o", merged}).status, 0);
  EXPECT_EQ(Capsule::open(merged).headers().size(), 1u) << "the same campaign is kept once";
  EXPECT_EQ(run({"compare", capsule().string(), merged, "--fail-on", "slower:3%"}).status, 0);
  expect_one_line_error(run({"compare", capsule().string(), merged, "--fail-on", "sideways"}), 2, {"sideways"});
  expect_one_line_error(run({"merge", capsule().string(), "-o", merged}), 2, {"merged.folioscope"});
}

TEST_F(Swept, ResumeOfACompleteCapsuleSaysSo) {
  expect_one_line_error(run({"sweep", "--resume", "--out", capsule().string()}), 1, {"complete"});
}

TEST(Sweep, AnUnwritableOutIsAnErrorBeforeMeasuring) {
  expect_one_line_error(run(small("/nonexistent/folder/x.folioscope")), 1, {"/nonexistent/folder"});
  expect_one_line_error(run(small("/dev/full")), 1, {"/dev/full"});
}

TEST(Sweep, AStopSignalKeepsTheBlocksAndResumeContinues) {
  for (int const signal : {SIGINT, SIGTERM}) {
    Folder const folder;
    pid_t const pid = start(endless(folder, "s.folioscope"), folder.path());
    auto const capsule = folder.path() / "s.folioscope";
    wait_for_blocks(capsule);
    kill(pid, signal);
    EXPECT_EQ(wait_for(pid), 3);
    auto const blocks = Capsule::open(capsule).load(1).blocks.size();
    EXPECT_GT(blocks, 0u);
    EXPECT_FALSE(Capsule::open(capsule).headers()[0].complete);
    EXPECT_EQ(run({"explain", capsule.string()}).status, 0);
    pid_t const again = start({"sweep", "--resume", "--out", "s.folioscope"}, folder.path());
    wait_for_blocks(capsule, blocks);
    kill(again, SIGINT);
    int const status = wait_for(again);
    EXPECT_EQ(status, 3);
    Campaign const resumed = Capsule::open(capsule).load(1);
    EXPECT_GT(resumed.blocks.size(), blocks);
    for (std::size_t i = 0; i < resumed.blocks.size(); ++i)
      EXPECT_EQ(resumed.blocks[i].id, i) << "blocks are counted on";
  }
}

TEST(Sweep, AStopTwiceInARowIsOneWish) {
  Folder const folder;
  pid_t const pid = start(endless(folder, "twice.folioscope"), folder.path());
  auto const capsule = folder.path() / "twice.folioscope";
  wait_for_blocks(capsule);
  for (int i = 0; i < 3; ++i) kill(pid, SIGTERM);
  EXPECT_EQ(wait_for(pid), 3);
  EXPECT_GT(Capsule::open(capsule).load(1).blocks.size(), 0u);
  EXPECT_FALSE(fs::exists(capsule.string() + "-journal"));
}

TEST(Sweep, AStopBeforeTheFirstBlockLeavesNothing) {
  Folder const folder;
  // So much memory to touch that no block can have begun when the signal comes.
  pid_t const pid =
      start({"sweep", "--footprints", "512", "--backings", "base", "--out", "early.folioscope"}, folder.path());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(pid, SIGINT);
  int const status = wait_for(pid);
  // On a machine so slow that the handlers were not there yet the signal itself ends the program.
  EXPECT_TRUE(status == 3 || status == 128 + SIGINT) << status;
  EXPECT_FALSE(fs::exists(folder.path() / "early.folioscope")) << "512 folios were touched in 300 ms";
}

TEST(Sweep, ADeadStderrStopsNothing) {
  Folder const folder;
  auto const out = folder.path() / "silent.folioscope";
  EXPECT_EQ(run(small(out.string()), folder.path(), {}, "/dev/full").status, 0);
  Campaign const campaign = Capsule::open(out).load(1);
  EXPECT_TRUE(campaign.header.complete);
  EXPECT_GT(campaign.blocks.size(), 0u);
  EXPECT_EQ(run({"explain", "absent.folioscope"}, folder.path(), {}, "/dev/full").status, 1);
  EXPECT_EQ(run({"sweep", "--nonsense"}, folder.path(), {}, "/dev/full").status, 2);
}

TEST(Sweep, NamesThatSqliteWouldReadOtherwiseAreFiles) {
  Folder const folder;
  EXPECT_EQ(run(small(":memory:"), folder.path()).status, 0);
  EXPECT_EQ(Capsule::open(folder.path() / ":memory:").headers().size(), 1u);
}

TEST(Sweep, AKillLosesAtMostTheBlockInFlight) {
  Folder const folder;
  pid_t const pid = start(endless(folder, "k.folioscope"), folder.path());
  auto const capsule = folder.path() / "k.folioscope";
  wait_for_blocks(capsule);
  kill(pid, SIGKILL);
  EXPECT_EQ(wait_for(pid), 128 + SIGKILL);
  ASSERT_TRUE(fs::exists(capsule));
  Campaign const campaign = Capsule::open(capsule).load(1);
  std::size_t cells = campaign.plan.cells.size();
  EXPECT_GT(campaign.blocks.size(), 0u);
  EXPECT_GE(campaign.samples.size(), campaign.blocks.size() * cells);
  EXPECT_EQ(run({"explain", capsule.string()}).status, 0);
}
#endif

}  // namespace
}  // namespace folioscope::test
