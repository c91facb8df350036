// SPDX-License-Identifier: Apache-2.0
// The command line as values: one struct a subcommand, filled by CLI11 in arguments.cpp alone. Factor lists stay text
// here; the plan checks their words, so that a name is judged in one place.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "terms/units.hpp"

namespace folioscope::cli {

struct MachineArguments {
  bool json = false;
  std::string sysroot;
};

struct ListArguments {
  std::string what;
  bool json = false;
  std::string groups;  ///< a user's folder of counter groups
};

struct SweepArguments {
  std::string experiment = "quick";
  std::optional<Nanoseconds> budget;
  std::string out;
  bool resume = false;
  std::vector<std::string> kernels, orders, order_files, states, footprints, backings, targets, runs, calls, fences,
      threads, prefetches;
  std::vector<std::string> counters;  ///< groups; empty: none, or all of `groups`
  std::string groups;                 ///< a folder
  std::optional<Bytes> max_memory;
  std::optional<std::uint64_t> seed;
  bool allow_system_changes = false;
};

struct LinuxArguments {
  std::vector<std::string> paths;
  bool json = false;
  bool resume = false;
  std::optional<Nanoseconds> budget;
  std::string out;
  std::optional<Bytes> max_memory;
  std::vector<std::string> threads, indices;
  bool allow_system_changes = false;
};

struct ExplainArguments {
  std::vector<std::string> files, foreign;
  bool json = false, mail = false;
};

struct ReportArguments {
  std::vector<std::string> files, foreign;
  std::string out = "report.html";
  std::string svg;
};

struct CompareArguments {
  std::vector<std::string> files;
  bool json = false;
  std::string fail_on;
};

struct ExportArguments {
  std::string file;
  std::string format;  ///< "csv", "json", "gbench"
};

struct MergeArguments {
  std::vector<std::string> files;
  std::string out;
};

/// What was printed already (help, version) needs nothing more.
struct Nothing {};

using Arguments = std::variant<Nothing, MachineArguments, ListArguments, SweepArguments, LinuxArguments,
                               ExplainArguments, ReportArguments, CompareArguments, ExportArguments, MergeArguments>;

/// Throws UsageError with the nearest name for what it does not know.
Arguments parse(int argc, char const* const* argv);

}  // namespace folioscope::cli
