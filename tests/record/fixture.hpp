// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, and a small campaign with everything in it.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "record/capsule.hpp"

namespace folioscope::record_test {

class InFolder : public testing::Test {
 protected:
  InFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "record-test-XXXXXX").string();
    if (mkdtemp(pattern.data())) folder_ = pattern;
  }
  ~InFolder() override {
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path file(std::string const& name = "a.folioscope") const { return folder_ / name; }
  std::filesystem::path const& folder() const { return folder_; }
  std::size_t files_there() const {
    auto const entries = std::filesystem::directory_iterator(folder_);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

 private:
  std::filesystem::path folder_;
};

inline std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_bytes(std::filesystem::path const& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The message of the Error that `body` must throw.
template <class F>
std::string error_of(F&& body) {
  try {
    body();
  } catch (Error const& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

Facts some_facts(std::string const& instance = "instance-1");
Plan some_plan(std::size_t cells = 3);
KernelContract some_kernel();
Placement some_placement(std::uint32_t id);
Block some_block(std::uint32_t id, std::uint32_t placement);
std::vector<Sample> some_samples(std::uint32_t block, std::uint32_t cells = 3);
std::vector<Reading> some_readings(std::uint32_t block);

/// A finished campaign of `blocks` blocks, two a placement, in a new file.
void write_campaign(std::filesystem::path const& path, std::uint32_t blocks = 4);

/// Everything that a campaign holds as text, for comparing two.
std::string text_of(Campaign const& campaign);

}  // namespace folioscope::record_test
