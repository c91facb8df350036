// SPDX-License-Identifier: Apache-2.0
// The counters of a sweep: chosen by name, opened and tried before it, and named where they do not count.
#pragma once
#include <string>
#include <vector>

#include "counters/reader.hpp"
#include "machine/machine.hpp"
#include "terms/plan.hpp"

namespace folioscope::cli {

struct Counting {
  Counters counters;
  Json record;  ///< whole definitions and what became of each event; null without counters
  std::optional<std::vector<unsigned>> counted_cpus;

  std::vector<CounterReader*> passes() const;
};

/// What does not count is added to the plan's refusals, and the groups to its options: a resumed sweep counts the same
/// ones. Throws UsageError for names that nothing has.
Counting open_counting(std::vector<std::string> words, std::string const& folder, Machine const& machine, Plan& plan,
                       bool resumed);

}  // namespace folioscope::cli
