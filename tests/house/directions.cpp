// SPDX-License-Identifier: Apache-2.0
// Every include between modules follows the directions of the house; no heavy header stands in more than its one file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// module -> modules it may include directly; what those may include it may, too.
std::map<std::string, std::set<std::string>> const direct{
    {"terms", {}},
    {"record", {"terms"}},
    {"stats", {"record"}},
    {"model", {"stats", "orders"}},
    {"explain", {"model"}},
    {"report", {"explain"}},
    {"machine", {"terms"}},
    {"kernels", {"terms"}},
    {"orders", {"terms"}},
    {"counters", {"terms"}},
    {"probe", {"terms"}},
    {"backing", {"machine", "kernels", "orders", "counters", "probe"}},
    {"measure", {"backing"}},
    {"plan", {"terms", "machine", "kernels", "orders"}},
    {"campaign", {"plan", "measure", "record", "stats"}},
    {"linuxmm", {"backing", "measure", "probe", "campaign"}},
};

std::set<std::string> allowed(std::string const& module) {
  std::set<std::string> out{module};
  for (auto const& next : direct.at(module)) out.merge(allowed(next));
  return out;
}

struct Source {
  std::string module;
  fs::path path;
  std::string text;
};

std::vector<Source> const& sources() {
  static std::vector<Source> const all = [] {
    std::vector<Source> out;
    fs::path const root = FOLIOSCOPE_SOURCE_DIR;
    for (auto const& [module, ignored] : direct) {
      fs::path folder = root / "src" / module;
      if (module == "kernels") folder = root / module;
      if (fs::exists(root / "analysis" / module)) folder = root / "analysis" / module;
      for (auto const& entry : fs::recursive_directory_iterator(folder)) {
        auto const extension = entry.path().extension();
        if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        out.push_back({module, entry.path(), text.str()});
      }
    }
    return out;
  }();
  return all;
}

TEST(Directions, EveryIncludeBetweenModulesIsAllowed) {
  std::regex const include(R"re(#\s*include\s*"([a-z_]+)/)re");
  std::size_t seen = 0;
  for (auto const& source : sources()) {
    auto const may = allowed(source.module);
    for (std::sregex_iterator it(source.text.begin(), source.text.end(), include), end; it != end; ++it) {
      std::string const other = (*it)[1];
      ++seen;
      EXPECT_TRUE(may.contains(other)) << source.path << " includes " << other << "/, which " << source.module
                                       << " must not know";
    }
  }
  EXPECT_GT(seen, 50u);
}

TEST(Directions, TheTableItselfHasNoCycle) {
  for (auto const& [module, ignored] : direct)
    for (auto const& other : allowed(module))
      if (other != module) EXPECT_FALSE(allowed(other).contains(module)) << module << " and " << other;
}

TEST(Directions, HeavyHeadersStandInOneFileEach) {
  for (std::string const header : {"nlohmann/json.hpp", "toml++/toml.h", "CLI/CLI.hpp", "hwloc.h", "sqlite3.h"}) {
    std::set<std::string> users;
    for (auto const& source : sources())
      if (source.text.find("<" + header + ">") != std::string::npos) users.insert(source.path.string());
    if (header == "sqlite3.h") {
      for (auto const& user : users) EXPECT_NE(user.find("/record/"), std::string::npos) << user;
    } else {
      EXPECT_LE(users.size(), 1u) << header << " is in " << users.size() << " files, for one "
                                  << (users.empty() ? "" : *users.begin());
    }
  }
}

TEST(Directions, OnlyTheCommandLinePrints) {
  std::regex const printing(R"(\b(std::cout|std::cerr|printf\s*\(|fmt::print\s*\(|std::puts\s*\())");
  for (auto const& source : sources())
    EXPECT_FALSE(std::regex_search(source.text, printing)) << source.path << " prints";
}

TEST(House, EveryFileNamesItsLicence) {
  fs::path const root = FOLIOSCOPE_SOURCE_DIR;
  std::set<std::string> const kinds{".cpp",  ".hpp", ".h",   ".S",  ".cmake", ".sh",
                                    ".toml", ".def", ".mjs", ".js", ".css"};
  std::size_t seen = 0;
  for (std::string const folder : {"src", "analysis", "kernels", "include", "bench", "tests", "cmake"}) {
    if (!fs::exists(root / folder)) continue;  // include/ comes with the first public header
    for (auto const& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || entry.path().string().find("node_modules") != std::string::npos) continue;
      if (!kinds.contains(entry.path().extension().string()) && entry.path().filename() != "CMakeLists.txt") continue;
      std::ifstream file(entry.path());
      std::string first, second, third;
      std::getline(file, first);
      std::getline(file, second);
      std::getline(file, third);
      ++seen;
      EXPECT_NE((first + second + third).find("SPDX-License-Identifier: Apache-2.0"), std::string::npos)
          << entry.path();
    }
  }
  EXPECT_GT(seen, 50u);
}

}  // namespace
