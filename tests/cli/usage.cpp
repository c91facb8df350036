// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "program.hpp"

namespace folioscope::test {
namespace {

TEST(Usage, NoCommandIsUsage) {
  Ran const ran = run({});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("folioscope sweep"), std::string::npos);
  EXPECT_TRUE(ran.out.empty());
}

TEST(Usage, UnknownCommandSuggestsTheNearest) {
  expect_one_line_error(run({"explian", "x"}), 2, {"explian", "did you mean 'explain'"});
}

TEST(Usage, UnknownOptionSuggestsTheNearest) {
  expect_one_line_error(run({"explain", "--jsno", "x"}), 2, {"--jsno", "did you mean --json"});
}

TEST(Usage, MissingFileOperandIsUsage) { expect_one_line_error(run({"explain"}), 2, {"explain --help"}); }

TEST(Usage, ExportNeedsAFormat) { expect_one_line_error(run({"export", "x"}), 2, {"--csv", "--gbench"}); }

TEST(Usage, EveryCommandTeachesWithAnExample) {
  std::vector<std::string> commands{"explain", "report", "compare", "export", "merge"};
#ifdef FOLIOSCOPE_MEASURE
  commands.insert(commands.end(), {"machine", "list", "sweep", "linux"});
#endif
  for (auto const& command : commands) {
    Ran const ran = run({command, "--help"});
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_NE(ran.out.find("Example"), std::string::npos) << command;
    EXPECT_TRUE(ran.err.empty()) << command;
  }
}

TEST(Usage, VersionAndHelpSucceed) {
  EXPECT_EQ(run({"--version"}).status, 0);
  EXPECT_NE(run({"--help"}).out.find("Exit status"), std::string::npos);
}

TEST(Usage, AFullStdoutIsAnError) { expect_one_line_error(run({"--help"}, ".", "/dev/full"), 1, {"stdout"}); }

#ifdef FOLIOSCOPE_MEASURE
TEST(Usage, UnknownTopicSuggests) { expect_one_line_error(run({"list", "kernel"}), 2, {"did you mean 'kernels'"}); }

TEST(Usage, ListsAreJsonToo) {
  for (std::string const what : {"kernels", "orders", "backings", "experiments", "paths"}) {
    Ran const ran = run({"list", what, "--json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with("{")) << what;
  }
}

TEST(Usage, SweepRefusesWordsItDoesNotKnow) {
  Folder const folder;
  expect_one_line_error(run({"sweep", "--kernels", "rep_stosx"}, folder.path()), 2, {"rep_stosx", "rep_stosb"});
  expect_one_line_error(run({"sweep", "--orders", "revers"}, folder.path()), 2, {"revers", "reverse"});
  expect_one_line_error(run({"sweep", "--experiment", "quik"}, folder.path()), 2, {"quik", "quick"});
  expect_one_line_error(run({"sweep", "--states", "warm"}, folder.path()), 2, {"warm"});
  expect_one_line_error(run({"sweep", "--backings", "huge"}, folder.path()), 2, {"huge"});
  expect_one_line_error(run({"sweep", "--footprints", "-1"}, folder.path()), 2, {"-1"});
  expect_one_line_error(run({"sweep", "--footprints", "99999999999999999999"}, folder.path()), 2,
                        {"99999999999999999999"});
  expect_one_line_error(run({"sweep", "--budget", "soon"}, folder.path()), 2, {"soon", "60s"});
  expect_one_line_error(run({"sweep", "--max-memory", "lots"}, folder.path()), 2, {"lots"});
  expect_one_line_error(run({"sweep", "--budget", "0s"}, folder.path()), 2, {"0s", "at least 1s"});
  expect_one_line_error(run({"sweep", "--budget", "999ms"}, folder.path()), 2, {"999ms"});
  expect_one_line_error(run({"sweep", "--targets", "512"}, folder.path()), 2, {"512"});
  expect_one_line_error(run({"sweep", "--runs", "3000"}, folder.path()), 2, {"3000"});
  expect_one_line_error(run({"sweep", "--threads", "0"}, folder.path()), 2, {"0"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "bad usage must leave nothing behind";
}

TEST(Usage, LinuxRefusesWordsItDoesNotKnow) {
  Folder const folder;
  expect_one_line_error(run({"linux", "fault-ordr"}, folder.path()), 2, {"fault-ordr", "did you mean 'fault-order'"});
  expect_one_line_error(run({"linux", "--index", "1000000"}, folder.path()), 2, {"--index", "1000000"});
  expect_one_line_error(run({"linux", "--index", "-1"}, folder.path()), 2, {"-1"});
  expect_one_line_error(run({"linux", "--threads", "0"}, folder.path()), 2, {"0"});
  expect_one_line_error(run({"linux", "--threads", "100000"}, folder.path()), 2, {"100000"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "bad usage must leave nothing behind";
}

TEST(Usage, OrderFilesMustBePermutations) {
  Folder const folder;
  auto const twice = folder.write("twice", "0-511\n7\n");
  auto const missing = folder.write("missing", "0-99\n101-511\n");
  auto const words = folder.write("words", "one\ntwo\n");
  auto const huge = folder.write("huge", "0-18446744073709551615\n");
  auto sweep = [&](std::string const& file) {
    return run({"sweep", "--order-file", "mine=" + file, "--budget", "1s"}, folder.path());
  };
  expect_one_line_error(sweep(twice), 1, {"7"});
  expect_one_line_error(sweep(missing), 1, {"100"});
  expect_one_line_error(sweep(words), 1, {"one"});
  expect_one_line_error(sweep(huge), 1, {"order file mine:1", "511"});
  expect_one_line_error(sweep((folder.path() / "absent").string()), 1, {"absent"});
  expect_one_line_error(sweep(folder.path().string()), 1, {"folder"});
  expect_one_line_error(run({"sweep", "--order-file", "nameless", "--budget", "1s"}, folder.path()), 2, {"NAME=FILE"});
}

TEST(Usage, MachineReadsAFolderOrSaysWhyNot) {
  expect_one_line_error(run({"machine", "--sysroot", "/nonexistent"}), 2, {"/nonexistent"});
  expect_one_line_error(run({"machine", "--sysroot", ""}), 2, {"--sysroot"});
}
#endif

}  // namespace
}  // namespace folioscope::test
