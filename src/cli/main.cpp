// SPDX-License-Identifier: Apache-2.0
// The only place where trouble ends: one line on stderr and the exit status of design.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/ending.hpp"

namespace {

using namespace folioscope;
using namespace folioscope::cli;

/// The command as a shell would take it again.
std::string quoted(int argc, char** argv) {
  std::string line = "folioscope";
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    bool const plain =
        !word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,/@:%+") ==
            std::string::npos;
    line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

bool writes_files(Arguments const& arguments) {
  return std::holds_alternative<SweepArguments>(arguments) || std::holds_alternative<LinuxArguments>(arguments) ||
         std::holds_alternative<ReportArguments>(arguments) || std::holds_alternative<MergeArguments>(arguments);
}

/// A file opened later must not become the stdout or stderr that the caller closed. Writing to a closed stdout stays an
/// error.
void keep_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // the lowest free number: this one
}

struct Run {
  std::string command;
  ExitStatus operator()(Nothing const&) const { return ExitStatus::done; }
  ExitStatus operator()(ExplainArguments const& a) const { return run_explain(a); }
  ExitStatus operator()(ReportArguments const& a) const { return run_report(a); }
  ExitStatus operator()(CompareArguments const& a) const { return run_compare(a); }
  ExitStatus operator()(ExportArguments const& a) const { return run_export(a); }
  ExitStatus operator()(MergeArguments const& a) const { return run_merge(a); }
#ifdef FOLIOSCOPE_MEASURE
  ExitStatus operator()(MachineArguments const& a) const { return run_machine(a); }
  ExitStatus operator()(ListArguments const& a) const { return run_list(a); }
  ExitStatus operator()(SweepArguments const& a) const { return run_sweep(a, command); }
  ExitStatus operator()(LinuxArguments const& a) const { return run_linux(a, command); }
#else
  template <class T>
  ExitStatus operator()(T const&) const {
    return ExitStatus::usage;
  }
#endif
};

}  // namespace

int main(int argc, char** argv) {
  // A file-size limit is a write error to report, not a signal to die of; so is a reader that went away where work
  // would be lost. What only prints ends as other filters do in front of `| head`.
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);
  return ending_here([&] {
    Arguments const arguments = parse(argc, argv);
    if (writes_files(arguments)) std::signal(SIGPIPE, SIG_IGN);
    return std::visit(Run{quoted(argc, argv)}, arguments);
  });
}
