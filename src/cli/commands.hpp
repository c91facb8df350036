// SPDX-License-Identifier: Apache-2.0
// The subcommands, one a file. Results go to stdout, progress and notes to stderr; what fails throws Error.
#pragma once
#include <string>

#include "cli/arguments.hpp"
#include "terms/error.hpp"

namespace folioscope::cli {

ExitStatus run_machine(MachineArguments const& arguments);
ExitStatus run_list(ListArguments const& arguments);
ExitStatus run_sweep(SweepArguments const& arguments, std::string const& command);
ExitStatus run_linux(LinuxArguments const& arguments, std::string const& command);
ExitStatus run_explain(ExplainArguments const& arguments);
ExitStatus run_report(ReportArguments const& arguments);
ExitStatus run_compare(CompareArguments const& arguments);
ExitStatus run_export(ExportArguments const& arguments);
ExitStatus run_merge(MergeArguments const& arguments);

}  // namespace folioscope::cli
