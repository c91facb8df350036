// SPDX-License-Identifier: Apache-2.0
// A recommendation as a value.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stats/verdict.hpp"

namespace folioscope {

/// For one way of using the memory after the fault.
struct PatternAdvice {
  std::string pattern;                       ///< "target only", "sequential", "random", "unknown"
  std::optional<std::string> order, kernel;  ///< null: cannot tell here
  std::optional<Bytes> call, radius;
  std::optional<Estimate> gain;  ///< time ÷ the time of what this Linux does now
  std::string source;            ///< "clear", "clear and use"
  std::string text;
};

struct Recommendation {
  std::vector<PatternAdvice> patterns;  ///< empty: nothing can be told
  std::optional<std::string> today;     ///< what this release does, and which releases do what is recommended
  std::optional<std::string> patch;     ///< what one would change; null where no change is justified
  std::vector<std::string> settings;    ///< THP, hugetlb, preallocation
  std::vector<std::string> programs;    ///< what a program can do without a patch
  std::optional<Nanoseconds> folio_stretch,
      batch_stretch;                     ///< without a chance to reschedule: a folio, Linux v7.0's batch
  std::optional<std::string> user_only;  ///< fastest kernel that Linux may not use
};

}  // namespace folioscope
