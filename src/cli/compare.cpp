// SPDX-License-Identifier: Apache-2.0
#include "explain/compare.hpp"

#include <fmt/core.h>

#include "cli/capsules.hpp"
#include "cli/commands.hpp"

namespace folioscope::cli {

ExitStatus run_compare(CompareArguments const& a) {
  std::optional<FailOn> condition;
  if (!a.fail_on.empty()) condition = parse_fail_on(a.fail_on);
  std::vector<CapsuleContent> files;
  for (auto const& file : a.files) files.push_back({file, load_all({file})});
  Comparison const comparison = compare(files);
  if (a.json)
    fmt::print("{}\n", to_json(comparison, condition).dump(2));
  else
    fmt::print("{}\n", to_text(comparison, condition));
  return condition && !held_by(comparison, *condition).empty() ? ExitStatus::condition_held : ExitStatus::done;
}

}  // namespace folioscope::cli
