// SPDX-License-Identifier: Apache-2.0
// Runs the program under test and keeps what it wrote.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace folioscope::test {

struct Ran {
  int status = -1;  ///< exit status, or 128 + signal
  std::string out, err;
};

/// As stdout: a pipe that nobody reads any more.
inline constexpr char const* no_reader = "no reader";

/// Runs folioscope with these arguments in `folder`. `stdout_to` and `stderr_to` redirect to a file.
Ran run(std::vector<std::string> const& arguments, std::filesystem::path const& folder = ".",
        std::string const& stdout_to = {}, std::string const& stderr_to = {});
/// Starts it without waiting; wait_for collects it.
pid_t start(std::vector<std::string> const& arguments, std::filesystem::path const& folder);
int wait_for(pid_t pid);

/// A folder of its own for each test, removed afterwards.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path write(std::string const& name, std::string const& text) const;

 private:
  std::filesystem::path path_;
};

/// One line, no stack trace, names the program.
void expect_one_line_error(Ran const& ran, int status, std::vector<std::string> const& mentions);

}  // namespace folioscope::test
