// SPDX-License-Identifier: Apache-2.0
// Every module has tests, every test folder is run by somebody, and nothing is left unfinished.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

fs::path const root = FOLIOSCOPE_SOURCE_DIR;

std::string text_of(fs::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> folders_in(fs::path const& folder) {
  std::vector<fs::path> out;
  for (auto const& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) out.push_back(entry.path());
  return out;
}

bool holds_cpp(fs::path const& folder) {
  for (auto const& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".cpp") return true;
  return false;
}

/// The names that folioscope_tests() is called with in a listing.
std::set<std::string> programs_of(std::string const& listing) {
  std::set<std::string> out;
  std::regex const call(R"(folioscope_tests\(([a-z_]+))");
  for (std::sregex_iterator it(listing.begin(), listing.end(), call), end; it != end; ++it) out.insert((*it)[1]);
  return out;
}

std::vector<fs::path> modules() {
  std::vector<fs::path> all{root / "kernels"};
  for (std::string const layer : {"src", "analysis"})
    for (fs::path const& module : folders_in(root / layer))
      if (holds_cpp(module)) all.push_back(module);
  return all;
}

TEST(Tested, EveryModuleHasATestProgramWithTests) {
  auto const all = modules();
  EXPECT_GE(all.size(), 14u);
  for (fs::path const& module : all) {
    std::string const name = module.filename().string();
    fs::path const folder = root / "tests" / name;
    EXPECT_TRUE(programs_of(text_of(folder / "CMakeLists.txt")).contains(name))
        << folder << "/CMakeLists.txt does not call folioscope_tests(" << name << " ...)";
    std::size_t tests = 0;
    if (fs::exists(folder))
      for (auto const& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".cpp") continue;
        std::string const text = text_of(entry.path());
        for (std::string const macro : {"\nTEST(", "\nTEST_F(", "\nTEST_P("})
          for (auto at = text.find(macro); at != std::string::npos; at = text.find(macro, at + 1)) ++tests;
      }
    EXPECT_GE(tests, 2u) << folder << " holds no tests of " << module;
  }
}

/// Folders without a listing are scripts: somebody must be told to run them.
TEST(Tested, EveryTestFolderIsRegistered) {
  std::string runners = text_of(root / "check") + text_of(root / "CONTRIBUTING.md");
  for (fs::path const& script : {root / "tests" / "cross" / "run", root / "tests" / "guest" / "run"})
    runners += text_of(script);
  auto const folders = folders_in(root / "tests");
  EXPECT_GE(folders.size(), 14u);
  for (fs::path const& folder : folders) {
    std::string const name = folder.filename().string();
    std::string const listing = text_of(folder / "CMakeLists.txt");
    bool const has_tests = !programs_of(listing).empty();
    bool const is_library = listing.find("add_library(folioscope_" + name) != std::string::npos;
    bool const is_named = runners.find("tests/" + name + "/") != std::string::npos;
    EXPECT_TRUE(has_tests || is_library || is_named)
        << folder
        << ": no folioscope_tests() in its CMakeLists.txt, and neither check nor CONTRIBUTING.md names a script of it";
  }
}

bool holds_word(std::string const& text, std::string const& word) {
  auto const in_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + word.size())) return true;
  return false;
}

TEST(House, NothingIsLeftUnfinished) {
  // Spelled in halves, so that this file may be read by its own test.
  std::vector<std::string> const halves[] = {{"TO", "DO"}, {"FIX", "ME"}, {"XX", "X"},
                                             {"HA", "CK"}, {"TB", "D"},   {"WI", "P"}};
  std::vector<std::string> words;
  for (auto const& word : halves) words.push_back(word[0] + word[1]);
  std::vector<std::string> const phrases{std::string("not imple") + "mented", std::string("not yet imple") + "mented",
                                         std::string("place") + "holder", std::string("coming") + " soon",
                                         std::string("lorem") + " ipsum"};
  std::set<std::string> const kinds{".cpp", ".hpp", ".h",  ".S",   ".cmake", ".sh",  ".toml", ".def", ".md",
                                    ".txt", ".mjs", ".js", ".css", ".json",  ".awk", ".py",   ""};
  std::size_t seen = 0;
  auto const look_at = [&](fs::path const& path) {
    if (!fs::is_regular_file(path) || !kinds.contains(path.extension().string())) return;
    std::string const text = text_of(path);
    ++seen;
    for (auto const& word : words) EXPECT_FALSE(holds_word(text, word)) << path << " holds '" << word << "'";
    std::string lower = text;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (auto const& phrase : phrases)
      EXPECT_EQ(lower.find(phrase), std::string::npos) << path << " holds '" << phrase << "'";
  };
  for (auto const& entry : fs::directory_iterator(root))
    if (entry.path().filename().string().front() != '.' || entry.path().extension() == ".clang-tidy")
      look_at(entry.path());
  for (std::string const folder : {"src", "analysis", "kernels", "include", "bench", "tests", "cmake", "docs"}) {
    if (!fs::exists(root / folder)) continue;
    auto walk = fs::recursive_directory_iterator(root / folder);
    for (auto const& entry : walk) {
      std::string const name = entry.path().filename().string();
      // What npm fetches is not ours, and fuzzers' seeds are meant to be odd.
      if (name == "node_modules" || name == "corpus" || name == "package-lock.json") {
        if (entry.is_directory()) walk.disable_recursion_pending();
        continue;
      }
      look_at(entry.path());
    }
  }
  EXPECT_GT(seen, 200u);
}

}  // namespace
