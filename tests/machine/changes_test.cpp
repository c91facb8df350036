// SPDX-License-Identifier: Apache-2.0
// Settings are files here; children and guardians are killed for real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "fake_tree.hpp"
#include "machine/changes.hpp"
#include "machine/journal.hpp"

namespace folioscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ChangesTest : public testing::Test {
 protected:
  ChangesTest() {
    // Children of killed guardians become this process's own, so that their end can be waited for.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    tree.write("/thp", "always [madvise] never\n").write("/pages", "0\n");
  }
  std::string content(char const* name) const {
    std::ifstream file(tree.root() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Runs what would end or replace this process in one of its own; its wait status.
  template <class Work>
  int apart(Work work) const {
    pid_t const pid = ::fork();
    if (pid == 0) ::_exit(work());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }
  static void wait_for_orphans() {
    while (::wait(nullptr) > 0) {
    }
  }
  /// Waits until somebody writes a line into the pipe; nothing when all writers are gone.
  static bool line_from(int fd) {
    char c = 0;
    while (::read(fd, &c, 1) == 1)
      if (c == '\n') return true;
    return false;
  }

  FakeTree tree;
  std::filesystem::path const thp = tree.root() / "thp", pages = tree.root() / "pages",
                              journal = tree.root() / "state/journal";
};

TEST_F(ChangesTest, NothingIsChangedUnlessAllowed) {
  auto const end = run_guarded(false, journal, [&](Changes& changes) {
    EXPECT_FALSE(changes.allowed());
    auto const changed = changes.set(thp, "always");
    EXPECT_FALSE(changed);
    EXPECT_THAT(changed.refusal().remedy, HasSubstr("--allow-system-changes"));
    return 7;
  });
  EXPECT_EQ(end.status, 7);
  EXPECT_EQ(content("thp"), "always [madvise] never\n");
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST_F(ChangesTest, OrderlyEndRestores) {
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    auto const changed = changes.set(thp, "always");
    if (!changed || changed->old_value != "madvise" || changed->now != "always") return 1;
    if (!changes.set(pages, "40") || !changes.set(pages, "80")) return 2;
    if (content("pages") != "80") return 3;
    // The guardian lives and holds the journal: nothing is left over.
    return leftovers(journal).empty() ? 5 : 4;
  });
  EXPECT_EQ(end.status, 5);
  EXPECT_THAT(end.not_restored, IsEmpty());
  EXPECT_EQ(content("thp"), "madvise");
  EXPECT_EQ(content("pages"), "0");
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST_F(ChangesTest, KilledChildRestores) {
  for (int const signal : {SIGKILL, SIGSEGV, SIGTERM}) {
    auto const end = run_guarded(true, journal, [&](Changes& changes) {
      ::signal(signal, SIG_DFL);
      if (!changes.set(thp, "always")) return 1;
      ::kill(::getpid(), signal);
      ::pause();
      return 2;
    });
    EXPECT_EQ(end.status, 128 + signal);
    EXPECT_EQ(content("thp"), "madvise");
    EXPECT_FALSE(std::filesystem::exists(journal));
    tree.write("/thp", "always [madvise] never\n");
  }
}

TEST_F(ChangesTest, KilledChildWhoseChildrenLiveOnRestores) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    if (!changes.set(thp, "always")) return 1;
    if (::fork() == 0) {  // holds the socket open until the test is over
      ::close(ends[1]);
      line_from(ends[0]);
      ::_exit(0);
    }
    ::kill(::getpid(), SIGKILL);
    return 2;
  });
  EXPECT_EQ(end.status, 128 + SIGKILL);
  EXPECT_EQ(content("thp"), "madvise");
  ::close(ends[0]);
  ::close(ends[1]);
  wait_for_orphans();
}

TEST_F(ChangesTest, SignalsToTheGuardianReachTheChild) {
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
    int const status = apart([&] {
      auto const end = run_guarded(true, journal, [&](Changes& changes) {
        if (!changes.set(thp, "always")) return 1;
        sigset_t set;
        ::sigemptyset(&set);
        ::sigaddset(&set, signal);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        ::kill(::getppid(), signal);
        int got = 0;
        ::sigwait(&set, &got);
        return got == signal ? 3 : 2;
      });
      return end.status;
    });
    EXPECT_TRUE(WIFEXITED(status)) << "the guardian must not die of signal " << signal;
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_EQ(content("thp"), "madvise");
    tree.write("/thp", "always [madvise] never\n");
  }
}

TEST_F(ChangesTest, KilledGuardianAsksTheChildToStopAndItRestores) {
  int const status = apart([&] {
    run_guarded(true, journal, [&](Changes& changes) {
      sigset_t set;
      ::sigemptyset(&set);
      ::sigaddset(&set, SIGTERM);
      ::sigprocmask(SIG_BLOCK, &set, nullptr);
      if (!changes.set(thp, "always")) return 1;
      ::kill(::getppid(), SIGKILL);
      int got = 0;
      ::sigwait(&set, &got);
      auto const refused = changes.set(pages, "9");
      return refused ? 1 : 0;
    });
    return 9;  // never reached: the guardian is dead
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  wait_for_orphans();
  EXPECT_EQ(content("thp"), "madvise");
  EXPECT_EQ(content("pages"), "0\n");
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST_F(ChangesTest, BothKilledLeavesTheJournal) {
  apart([&] {
    run_guarded(true, journal, [&](Changes& changes) {
      ::signal(SIGTERM, SIG_IGN);
      if (!changes.set(thp, "always") || !changes.set(pages, "40")) return 1;
      ::kill(::getppid(), SIGKILL);
      ::kill(::getpid(), SIGKILL);
      return 2;
    });
    return 9;
  });
  wait_for_orphans();
  EXPECT_EQ(content("thp"), "always");
  EXPECT_THAT(leftovers(journal), ElementsAre(OldSetting{thp.string(), "madvise"}, OldSetting{pages.string(), "0"}));
  // A new run does not bury them.
  auto const refused = run_guarded(true, journal, [&](Changes& changes) { return changes.set(pages, "1") ? 1 : 0; });
  EXPECT_EQ(refused.status, 0);
  EXPECT_THAT(restore(journal), IsEmpty());
  EXPECT_EQ(content("thp"), "madvise");
  EXPECT_EQ(content("pages"), "0");
  EXPECT_THAT(leftovers(journal), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST_F(ChangesTest, WhatCannotBeRestoredStaysInTheJournal) {
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    if (!changes.set(thp, "always") || !changes.set(pages, "40")) return 1;
    std::filesystem::remove(thp);
    std::filesystem::create_directory(thp);
    return 0;
  });
  EXPECT_EQ(end.status, 0);
  ASSERT_EQ(end.not_restored.size(), 1u);
  EXPECT_EQ(end.not_restored[0].subject, thp.string());
  EXPECT_EQ(content("pages"), "0");
  EXPECT_THAT(leftovers(journal), ElementsAre(OldSetting{thp.string(), "madvise"}));
}

TEST_F(ChangesTest, UnreadableAndMissingSettingsAreRefused) {
  auto const end = run_guarded(true, journal, [&](Changes& changes) {
    auto const missing = changes.set(tree.root() / "missing", "1");
    return missing || missing.refusal().reason.empty() ? 1 : 0;
  });
  EXPECT_EQ(end.status, 0);
  EXPECT_FALSE(std::filesystem::exists(tree.root() / "missing"));
}

TEST_F(ChangesTest, AnUnusableJournalAllowsNothing) {
  tree.write("/blocked", "a file where a folder is needed");
  auto const end = run_guarded(true, tree.root() / "blocked/journal",
                               [&](Changes& changes) { return changes.set(thp, "always") ? 1 : 0; });
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(content("thp"), "always [madvise] never\n");
}

TEST_F(ChangesTest, OnlyOneRunAtATime) {
  auto const end = run_guarded(true, journal, [&](Changes& first) {
    if (!first.set(thp, "always")) return 1;
    auto const inner = run_guarded(true, journal, [&](Changes& second) { return second.set(pages, "1") ? 1 : 0; });
    return inner.status;
  });
  EXPECT_EQ(end.status, 0);
}

TEST_F(ChangesTest, JournalsThatOthersCouldWriteAreNotBelieved) {
  {
    auto made = Journal::open(journal, Journal::Wish::create);
    ASSERT_TRUE(made);
    ASSERT_TRUE(made->append({thp.string(), "never"}));
  }
  EXPECT_EQ(leftovers(journal).size(), 1u);
  ::chmod(journal.c_str(), 0666);
  EXPECT_THAT(leftovers(journal), IsEmpty());
  EXPECT_EQ(restore(journal).size(), 1u);
  ::chmod(journal.c_str(), 0600);
  std::filesystem::create_symlink(journal, tree.root() / "link");
  EXPECT_THAT(leftovers(tree.root() / "link"), IsEmpty());
}

TEST_F(ChangesTest, AnotherBootOrACutLineIsNotRestored) {
  {
    auto made = Journal::open(journal, Journal::Wish::create);
    ASSERT_TRUE(made->append({thp.string(), "never"}));
  }
  std::ofstream(journal, std::ios::app) << pages.string() << "\t4";
  EXPECT_THAT(leftovers(journal), ElementsAre(OldSetting{thp.string(), "never"}));
  auto text = content("state/journal");
  text.replace(text.find('\t') + 1, 4, "XXXX");
  std::ofstream(journal, std::ios::trunc) << text;
  EXPECT_THAT(leftovers(journal), IsEmpty());
}

TEST(JournalText, EscapesRoundTrip) {
  for (std::string const text : {"", "plain", "tab\tline\nback\\slash", "\\t", "\\", "a\\\\nb\n"}) {
    EXPECT_EQ(unescaped(journal_text(text)), text);
    EXPECT_EQ(journal_text(text).find_first_of("\t\n"), std::string::npos);
  }
}

TEST(Setting, TheSelectedWordOrTheLine) {
  FakeTree tree;
  tree.write("/a", "x [y] z\n").write("/b", " 12 \n").write("/c", "\n");
  EXPECT_EQ(read_setting(tree.root() / "a"), "y");
  EXPECT_EQ(read_setting(tree.root() / "b"), "12");
  EXPECT_EQ(read_setting(tree.root() / "c"), "");
  EXPECT_FALSE(read_setting(tree.root() / "d"));
}

}  // namespace
}  // namespace folioscope
