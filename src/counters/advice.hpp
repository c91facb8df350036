// SPDX-License-Identifier: Apache-2.0
// Why an event cannot be counted, and what would really help. Linux was asked for user-only counting first, so that
// "lower perf_event_paranoid" is never said where nothing would come of it.
#pragma once
#include <optional>
#include <string>

#include "counters/host.hpp"
#include "terms/error.hpp"

namespace folioscope {

/// What perf_event_open answered: 0, or errno; null where it was not asked.
struct Answers {
  int user = 0;
  std::optional<int> kernel;
};

enum class PmuKind { core, software, uncore };

/// For an event that does not open at all.
Refusal refuse_event(std::string subject, Answers const& answers, PmuKind pmu, CounterHost const& host);
/// For a PMU that Linux does not list.
Refusal refuse_missing_pmu(std::string subject, std::string const& pmu, PmuKind kind, CounterHost const& host);
/// For an event that opens and never runs: its counter is taken.
Refusal refuse_taken(std::string subject, CounterHost const& host);
/// What would bring kernel counting to an event that counts user work only; empty where nothing is known to.
std::string kernel_remedy(int error, CounterHost const& host);

}  // namespace folioscope
