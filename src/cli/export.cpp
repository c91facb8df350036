// SPDX-License-Identifier: Apache-2.0
#include "explain/export.hpp"

#include <iostream>

#include "cli/capsules.hpp"
#include "cli/commands.hpp"

namespace folioscope::cli {

ExitStatus run_export(ExportArguments const& a) {
  auto const campaigns = load_all({a.file});
  if (a.format == "csv") export_csv(campaigns, std::cout);
  if (a.format == "json") export_json(campaigns, std::cout);
  if (a.format == "gbench") export_gbench(campaigns, std::cout);
  std::cout.flush();
  if (!std::cout)
    throw Error("the output could not be written whole", "stdout", "check the disk, the pipe or the redirection");
  return ExitStatus::done;
}

}  // namespace folioscope::cli
