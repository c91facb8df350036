// SPDX-License-Identifier: Apache-2.0
// Kills, full disks, read-only folders, two writers: whatever was committed is there, and nothing half-written stays.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "fixture.hpp"
#include "sql.hpp"
#include "terms/random.hpp"

namespace folioscope::record_test {
namespace {

namespace fs = std::filesystem;
using Durable = InFolder;

/// Runs `body` in a child that leaves without destructors or gtest; its exit status, or minus the signal that ended it.
template <class F>
int in_child(F&& body) {
  pid_t const child = fork();
  if (child == 0) {
    try {
      _exit(body());
    } catch (std::exception const& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
    }
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void begin_campaign(CapsuleWriter& writer) {
  std::vector<KernelContract> const kernels{some_kernel()};
  writer.begin({}, some_facts(), some_plan(), kernels, {});
}

/// Appends blocks from `id` on until it throws or is killed; `committed` hears of each block behind its commit.
template <class F>
[[noreturn]] void append_for_ever(CapsuleWriter& writer, std::uint32_t id, std::uint32_t samples, F&& committed) {
  for (;; ++id) {
    writer.add(some_placement(id));
    std::vector<Sample> many;
    for (std::uint32_t i = 0; i < samples; ++i) {
      many.push_back(some_samples(id)[0]);
      many.back().position = i;
    }
    writer.commit(some_block(id, id), many, some_readings(id));
    committed(id);
  }
}

TEST_F(Durable, AKillLosesAtMostTheBlockInFlight) {
  // More kills: FOLIOSCOPE_KILLS=1000.
  char const* const wanted = std::getenv("FOLIOSCOPE_KILLS");
  int const kills = wanted ? std::atoi(wanted) : 15;
  Random random(7);
  int recovered = 0;
  std::uint32_t known = 0;  // blocks that must be there
  for (int kill_no = 0; kill_no < kills; ++kill_no) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    pid_t const child = fork();
    if (child == 0) {
      close(told[0]);
      try {
        auto writer = CapsuleWriter::open(file(), "instance-1");
        auto const before = writer.unfinished();
        if (before)
          writer.continue_campaign(before->header.id);
        else
          begin_campaign(writer);
        auto const next = before && !before->blocks.empty() ? before->blocks.back().id + 1 : 0;
        append_for_ever(writer, next, 300, [&](std::uint32_t id) {
          if (write(told[1], &id, sizeof id) != sizeof id) _exit(98);
        });
      } catch (...) {
      }
      _exit(99);
    }
    close(told[1]);
    usleep(static_cast<useconds_t>(random.below(150'000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    for (std::uint32_t id = 0; read(told[0], &id, sizeof id) == sizeof id;) known = id + 1;
    close(told[0]);

    if (!fs::exists(file()) || fs::file_size(file()) == 0) continue;  // killed before its first commit
    if (known == 0) {                                                 // also in its first commit
      try {
        Capsule::open(file());
      } catch (Error const& error) {
        ASSERT_NE(std::string(error.what()).find(file().string() + ": empty"), std::string::npos) << error.what();
        continue;
      }
    }
    auto const capsule = Capsule::open(file());
    recovered += capsule.notes().empty() ? 0 : 1;
    if (capsule.headers().empty()) continue;
    Campaign const c = capsule.load(1);
    ASSERT_GE(c.blocks.size(), known);
    for (std::uint32_t i = 0; i < c.blocks.size(); ++i) ASSERT_EQ(c.blocks[i].id, i);
    ASSERT_EQ(c.samples.size(), c.blocks.size() * 300);
    ASSERT_FALSE(c.header.complete);
    known = static_cast<std::uint32_t>(c.blocks.size());
  }
  RecordProperty("blocks", static_cast<int>(known));
  RecordProperty("recovered", recovered);
}

/// The moment of a kill in the middle of a commit, made to order: pages of the transaction are in the file already, the
/// journal beside it.
void stop_in_mid_commit(fs::path const& capsule, fs::path const& to) {
  Sql sql(capsule);
  sql.run("PRAGMA cache_size=5; PRAGMA cache_spill=1; BEGIN; DELETE FROM block WHERE id = 0");
  sql.run(
      "WITH RECURSIVE r(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM r WHERE n < 5000) INSERT INTO sample SELECT "
      "campaign, block, n, "
      "cell, arm, copies, wall_ns, user_ns, system_ns, state_ns FROM sample, r WHERE block = 1 AND position = 0");
  fs::create_directory(to);
  fs::copy_file(capsule, to / "c");
  fs::copy_file(fs::path(capsule) += "-journal", to / "c-journal");
}

TEST_F(Durable, TheReaderUndoesAKilledCommitWithoutTouchingIt) {
  write_campaign(file());
  Campaign const whole = Capsule::open(file()).load(1);
  stop_in_mid_commit(file(), folder() / "killed");
  fs::path const killed = folder() / "killed" / "c";
  std::string const bytes = bytes_of(killed), journal = bytes_of(killed.string() + "-journal");
  ASSERT_NE(bytes, bytes_of(file()));

  auto const capsule = Capsule::open(killed);
  EXPECT_EQ(text_of(capsule.load(1)), text_of(whole));
  ASSERT_EQ(capsule.notes().size(), 1u);
  EXPECT_NE(capsule.notes()[0].find("its writer was killed"), std::string::npos);
  EXPECT_EQ(bytes_of(killed), bytes);
  EXPECT_EQ(bytes_of(killed.string() + "-journal"), journal);

  { auto const writer = CapsuleWriter::open(killed, "instance-1"); }
  EXPECT_FALSE(fs::exists(killed.string() + "-journal"));
  EXPECT_TRUE(Capsule::open(killed).notes().empty());
  EXPECT_EQ(text_of(Capsule::open(killed).load(1)), text_of(whole));
}

TEST_F(Durable, AJournalLostInCopyingIsSaid) {
  // A commit writes its pages in ascending order. Killed behind any of them, with the journal lost, the file is of two
  // ages.
  {
    auto writer = CapsuleWriter::open(file(), "instance-1");
    begin_campaign(writer);
    writer.add(some_placement(0));
    std::vector<Sample> many;
    for (std::uint32_t i = 0; i < 200; ++i) {
      many.push_back(some_samples(0)[0]);
      many.back().position = i;
    }
    std::vector<Point> const points(2, {"series", "label", 1, 2, 0, 0});
    writer.commit(some_block(0, 0), many, some_readings(0), points);
    fs::copy_file(file(), file("before"));
    for (Sample& s : many) s.block = 1;
    writer.add(some_placement(1));
    writer.commit(some_block(1, 1), many, some_readings(1), points);
    fs::copy_file(file(), file("after"));
  }
  std::string const before = bytes_of(file("before")), after = bytes_of(file("after"));
  std::string const old_text = text_of(Capsule::open(file("before")).load(1)),
                    new_text = text_of(Capsule::open(file("after")).load(1));
  ASSERT_GT(after.size(), before.size());
  std::size_t mixed = 0, said = 0;
  for (std::size_t written = 4096; written < after.size(); written += 4096) {
    std::string bytes = after.substr(0, written);
    if (written < before.size()) bytes += before.substr(written);
    ++mixed;
    write_bytes(file("mixed"), bytes);
    try {
      std::string const text = text_of(Capsule::open(file("mixed")).load(1));
      EXPECT_TRUE(text == old_text || text == new_text) << "behind page " << written / 4096;
    } catch (Error const& error) {
      said += std::string(error.what()).find("damaged") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(said, mixed / 2);
}

TEST_F(Durable, WithoutRoomForACopyTheRemedyIsNamed) {
  write_campaign(file());
  stop_in_mid_commit(file(), folder() / "killed");
  int const status = in_child([&] {
    setenv("TMPDIR", (folder() / "nowhere").c_str(), 1);
    std::string message;
    try {
      Capsule::open(folder() / "killed" / "c");
    } catch (Error const& error) {
      message = error.what();
    }
    return message.find("TMPDIR") != std::string::npos && message.find("c-journal") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(Durable, AReadOnlyFolderIsEnoughForReading) {
  write_campaign(file());
  Campaign const whole = Capsule::open(file()).load(1);
  stop_in_mid_commit(file(), folder() / "killed");
  fs::permissions(file(), fs::perms(0444));
  fs::permissions(folder() / "killed" / "c", fs::perms(0444));
  fs::permissions(folder() / "killed" / "c-journal", fs::perms(0444));
  fs::permissions(folder() / "killed", fs::perms(0555));
  fs::permissions(folder(), fs::perms(0555));
  int const status = in_child([&] {
    // Permissions bind everybody but root.
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 1;
    if (text_of(Capsule::open(file()).load(1)) != text_of(whole)) return 2;
    auto const killed = Capsule::open(folder() / "killed" / "c");
    if (killed.notes().size() != 1 || text_of(killed.load(1)) != text_of(whole)) return 3;
    try {
      CapsuleWriter::open(file(), "instance-1");
      return 4;
    } catch (Error const&) {
    }
    try {
      CapsuleWriter::open(file("new"), "instance-1");
      return 5;
    } catch (Error const&) {
    }
    return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(Durable, TwoWritersAreOneTooMany) {
  auto writer = CapsuleWriter::open(file(), "instance-1");
  auto const second = [&] { return error_of([&] { CapsuleWriter::open(file(), "instance-1"); }); };
  EXPECT_NE(second().find("another folioscope is writing it"), std::string::npos);
  begin_campaign(writer);
  EXPECT_NE(second().find("another folioscope is writing it"), std::string::npos);
  EXPECT_EQ(in_child([&] {
              try {
                CapsuleWriter::open(file(), "instance-1");
                return 1;
              } catch (Error const&) {
                return 0;
              }
            }),
            0);
  writer.finish("done", true);
  { CapsuleWriter const gone = std::move(writer); }
  CapsuleWriter::open(file(), "instance-1");
}

TEST_F(Durable, NothingStaysOfAWriterThatNeverBegan) {
  { auto const writer = CapsuleWriter::open(file(), "instance-1"); }
  EXPECT_EQ(files_there(), 0u);
  write_bytes(file(), "");
  { auto const writer = CapsuleWriter::open(file(), "instance-1"); }
  EXPECT_EQ(files_there(), 1u) << "what was there before stays";
}

TEST_F(Durable, TextThatIsNoUtf8IsReadAsReplacements) {
  {
    auto writer = CapsuleWriter::open(file(), "instance-1");
    begin_campaign(writer);
    std::vector<Point> const points{{"latency.idle", "\xff\xfe\xc5\xb2", 1, 1, {}, {}}};
    writer.add(points);
    writer.finish("done", true);
  }
  EXPECT_EQ(Capsule::open(file()).load(1).points.back().label, "\xef\xbf\xbd\xef\xbf\xbd\xc5\xb2");
}

/// Fills whatever limit is set on the folder's disk; 0 when everything is as it should be afterwards.
int fill_up(fs::path const& path) {
  std::uint32_t blocks = 0;
  std::string message;
  try {
    auto writer = CapsuleWriter::open(path, "instance-1");
    begin_campaign(writer);
    append_for_ever(writer, 0, 300, [&](std::uint32_t id) { blocks = id + 1; });
  } catch (Error const& error) {
    message = error.what();
  }
  if (message.find("no space left") == std::string::npos || message.find(path.string()) == std::string::npos) return 10;
  if (blocks == 0) return 11;
  if (fs::exists(path.string() + "-journal")) return 12;
  auto const capsule = Capsule::open(path);
  if (!capsule.notes().empty()) return 13;
  Campaign const c = capsule.load(1);
  if (c.blocks.size() != blocks || c.samples.size() != blocks * 300u || c.header.complete) return 14;
  return 0;
}

/// The same where not even the first campaign fits: no file stays.
int fill_up_at_once(fs::path const& path) {
  try {
    auto writer = CapsuleWriter::open(path, "instance-1");
    begin_campaign(writer);
    return 20;
  } catch (Error const&) {
  }
  return fs::exists(path) || fs::exists(path.string() + "-journal") ? 21 : 0;
}

int limit_files(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit const limit{bytes, bytes};
  return setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(Durable, AFileSizeLimitKeepsWhatWasCommitted) {
  EXPECT_EQ(in_child([&] { return limit_files(400'000) ? 1 : fill_up(file()); }), 0);
  EXPECT_EQ(in_child([&] { return limit_files(20'000) ? 1 : fill_up_at_once(file("b")); }), 0);
}

TEST_F(Durable, AFullDiskKeepsWhatWasCommitted) {
  constexpr int cannot_mount = 77;
  auto const on_small_disk = [&](char const* size, auto&& body) {
    return in_child([&] {
      if (unshare(CLONE_NEWNS) || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
          mount("small", folder().c_str(), "tmpfs", 0, size))
        return cannot_mount;
      return body();
    });
  };
  int const status = on_small_disk("size=600k", [&] { return fill_up(file()); });
  if (status == cannot_mount) GTEST_SKIP() << "mounting a small disk needs root";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(on_small_disk("size=24k", [&] { return fill_up_at_once(file()); }), 0);
}

TEST_F(Durable, TheDeviceThatIsAlwaysFullIsRefused) {
  EXPECT_THROW(CapsuleWriter::open("/dev/full", "instance-1"), Error);
  EXPECT_TRUE(fs::exists("/dev/full"));
}

}  // namespace
}  // namespace folioscope::record_test
