// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace folioscope::test {
namespace {

std::string read_all(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Writing to it raises SIGPIPE.
int pipe_without_reader() {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  close(ends[0]);
  return ends[1];
}

pid_t launch(std::vector<std::string> const& arguments, std::filesystem::path const& folder, std::string const& out,
             std::string const& err) {
  pid_t const pid = fork();
  if (pid != 0) return pid;
  if (chdir(folder.c_str()) != 0) _exit(120);
  int const o = out == no_reader ? pipe_without_reader() : open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  int const e = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (o < 0 || e < 0) _exit(121);
  dup2(o, STDOUT_FILENO);
  dup2(e, STDERR_FILENO);
  std::vector<char*> argv;
  std::string program = FOLIOSCOPE_PROGRAM;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (auto& a : copies) argv.push_back(a.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(122);
}

}  // namespace

int wait_for(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Ran run(std::vector<std::string> const& arguments, std::filesystem::path const& folder, std::string const& stdout_to,
        std::string const& stderr_to) {
  Folder const scratch;
  auto const out = stdout_to.empty() ? (scratch.path() / "out").string() : stdout_to;
  auto const err = stderr_to.empty() ? (scratch.path() / "err").string() : stderr_to;
  Ran ran;
  ran.status = wait_for(launch(arguments, folder, out, err));
  if (stdout_to.empty()) ran.out = read_all(out);
  if (stderr_to.empty()) ran.err = read_all(err);
  return ran;
}

pid_t start(std::vector<std::string> const& arguments, std::filesystem::path const& folder) {
  return launch(arguments, folder, (folder / "stdout.txt").string(), (folder / "stderr.txt").string());
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "folioscope-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::filesystem::path Folder::write(std::string const& name, std::string const& text) const {
  auto const path = path_ / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void expect_one_line_error(Ran const& ran, int status, std::vector<std::string> const& mentions) {
  EXPECT_EQ(ran.status, status) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_TRUE(ran.err.starts_with("folioscope: ")) << ran.err;
  for (auto const& word : mentions)
    EXPECT_NE(ran.err.find(word), std::string::npos) << "no '" << word << "' in: " << ran.err;
}

}  // namespace folioscope::test
