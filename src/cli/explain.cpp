// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.hpp"

#include <fmt/core.h>

#include "cli/capsules.hpp"
#include "cli/commands.hpp"

namespace folioscope::cli {

ExitStatus run_explain(ExplainArguments const& a) {
  auto const foreign = load_all_foreign(a.foreign);
  Explanation const explanation = explain(load_all(a.files), foreign);
  if (a.json)
    fmt::print("{}\n", to_json(explanation).dump(2));
  else if (a.mail)
    fmt::print("{}\n", to_mail(explanation));
  else
    fmt::print("{}\n", to_text(explanation));
  return ExitStatus::done;
}

}  // namespace folioscope::cli
