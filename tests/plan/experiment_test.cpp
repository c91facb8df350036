// SPDX-License-Identifier: Apache-2.0
#include "plan/experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "terms/random.hpp"

namespace folioscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of(std::string const& toml) {
  try {
    parse_experiment(toml, "mine.toml");
  } catch (Error const& error) {
    EXPECT_THAT(error.what(), HasSubstr("mine.toml"));
    EXPECT_EQ(error.status(), ExitStatus::failed);
    return error.what();
  }
  return "no error";
}

std::string with(std::string const& line) { return "description = \"x\"\n[[cells]]\n" + line; }

TEST(ExperimentFile, NeedsADescriptionAndCells) {
  EXPECT_THAT(error_of("description = \"x\""), HasSubstr("cells"));
  EXPECT_THAT(error_of("[[cells]]\norders = \"reverse\""), HasSubstr("description"));
  EXPECT_THAT(error_of("description = 3\n[[cells]]"), HasSubstr("description"));
  EXPECT_THAT(error_of("description = \"x\"\ncells = []"), HasSubstr("cells"));
  EXPECT_THAT(error_of("description = \"x\"\ncells = [1]"), HasSubstr("cells[0]"));
}

TEST(ExperimentFile, TakesItsNameFromTheFile) {
  EXPECT_EQ(parse_experiment(with(""), "/a/b/mine.toml").name, "mine");
  EXPECT_EQ(parse_experiment(with(""), "/a/b/mine.toml").description, "x");
}

TEST(ExperimentFile, NamesTheKeyAndTheNearestWord) {
  EXPECT_THAT(error_of("budjet = \"60s\"\n" + with("")), HasSubstr("did you mean 'budget'?"));
  EXPECT_THAT(error_of(with("order = \"reverse\"")), AllOf(HasSubstr("cells[0]"), HasSubstr("did you mean 'orders'?")));
  EXPECT_THAT(error_of(with("orders = [\"sequential\", \"revers\"]")),
              AllOf(HasSubstr("cells[0].orders"), HasSubstr("did you mean 'reverse'?")));
  EXPECT_THAT(error_of(with("kernels = \"memsett\"")), HasSubstr("did you mean 'memset'?"));
  EXPECT_THAT(error_of(with("states = \"cool\"")), HasSubstr("did you mean 'cold'?"));
  EXPECT_THAT(error_of(with("backings = \"tph\"")), HasSubstr("did you mean 'thp'?"));
  EXPECT_THAT(error_of(with("fences = \"passs\"")), HasSubstr("did you mean 'pass'?"));
}

TEST(ExperimentFile, RefusesImpossibleLevels) {
  for (char const* line : {"footprints = 0",
                           "footprints = -1",
                           "footprints = \"L\"",
                           "footprints = \"L0\"",
                           "footprints = \"L3/0\"",
                           "footprints = \"0*L3\"",
                           "footprints = \"99999999999999999999\"",
                           "footprints = \"8E\"",
                           "targets = \"M/4\"",
                           "targets = \"-1\"",
                           "targets = \"N/0\"",
                           "targets = \"N+1\"",
                           "runs = 0",
                           "runs = \"stretch\"",
                           "runs = -4096",
                           "calls = \"folio\"",
                           "calls = \"0\"",
                           "threads = 0",
                           "threads = \"-1\"",
                           "threads = 1.5",
                           "prefetches = \"x\"",
                           "backings = \"mthp-0\"",
                           "backings = \"hugetlb-\"",
                           "orders = \"streams@0\"",
                           "orders = \"reverse@1\"",
                           "orders = \"random@-1\"",
                           "orders = \"\"",
                           "orders = []",
                           "orders = [[\"reverse\"]]",
                           "orders = true"})
    EXPECT_THAT(error_of(with(line)), HasSubstr("cells[0]")) << line;
  for (char const* line :
       {"budget = 60", "budget = \"soon\"", "budget = \"0s\"", "precision = 0", "precision = 1", "precision = \"3 %\"",
        "min_placements = 0", "min_placements = 20\nmax_placements = 10", "blocks_per_placement = 1.5", "options = 3"})
    EXPECT_THAT(error_of(std::string(line) + "\n" + with("")), testing::Not("no error")) << line;
}

TEST(ExperimentFile, AcceptsEveryDocumentedWord) {
  EXPECT_EQ(error_of(with("kernels = [\"linux\", \"string\", \"zeroing\", \"best_plain\", \"best_bypass\", \"down\", "
                          "\"all\", \"memset\", \"dc_zva\", "
                          "\"rep_stosb\"]\norders = [\"candidates\", \"probes\", \"all\", \"streams@3\", "
                          "\"file:mine\"]\nruns = [64, \"4K\", \"page\", "
                          "\"folio\"]\ncalls = [64, \"page\", \"stretch\"]\ntargets = [3, \"0\", \"N/4\", \"3*N/4\", "
                          "\"N-1\"]\nstates = [\"cold\", \"hot\", "
                          "\"cold-zero\"]\nfootprints = [8, \"64K\", \"L1/2\", \"L2\", \"2*L3\"]\nbackings = "
                          "[\"base\", \"mthp-64K\", \"mthp\", \"thp\", "
                          "\"thp-pte\", \"hugetlb-2M\", \"hugetlb\", \"tmpfs\"]\nfences = [\"pass\", "
                          "\"call\"]\nthreads = [1, \"2\", \"all\"]\nprefetches "
                          "= [0, \"4K\", \"page\"]")),
            "no error");
}

TEST(ExperimentFile, BrokenTomlNamesTheLine) { EXPECT_THAT(error_of("description = \n"), HasSubstr("line 1")); }

TEST(ExperimentFile, SurvivesDamage) {
  Random random(2);
  std::string const whole(experiment_files().front().bytes);
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    for (int n = 0; n < 3; ++n) text[random.below(text.size())] = static_cast<char>(random.below(256));
    text.resize(random.below(text.size()) + 1);
    try {
      parse_experiment(text, "damaged");
    } catch (Error const&) {
    }
  }
}

TEST(LoadExperiment, KnowsTheBuiltInOnes) {
  for (char const* name : {"quick", "standard", "full", "aa", "published-table", "residency", "bill", "radius"})
    EXPECT_EQ(load_experiment(name).name, name);
}

TEST(LoadExperiment, SuggestsTheNearest) {
  try {
    load_experiment("quik");
    FAIL();
  } catch (UsageError const& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'quick'?"));
  }
}

TEST(LoadExperiment, ReadsAFile) {
  auto const path = std::filesystem::temp_directory_path() / ("folioscope-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(path) << with("orders = \"reverse\"");
  EXPECT_EQ(load_experiment(path.string()).name, path.stem());
  std::ofstream(path) << std::string(2 << 20, '#');
  EXPECT_THROW(load_experiment(path.string()), Error);
  std::ofstream(path) << "";
  EXPECT_THROW(load_experiment(path.string()), Error);
  std::filesystem::remove(path);
  EXPECT_THROW(load_experiment(path.string()), Error);
  EXPECT_THROW(load_experiment("/"), Error);
}

}  // namespace
}  // namespace folioscope
