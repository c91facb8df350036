// SPDX-License-Identifier: Apache-2.0
// Small valid capsules to start from, and a folder in memory where a target puts its files.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace folioscope::fuzz {

/// Two campaigns with everything in them; the same bytes on every call of one process.
std::string small_capsule();

/// Of this process, gone at its end: in memory where there is /dev/shm.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write_file(std::filesystem::path const& path, std::string_view bytes);
std::string read_file(std::filesystem::path const& path);

}  // namespace folioscope::fuzz
