// SPDX-License-Identifier: Apache-2.0
// Whether an event is to be believed: what it counted of known work. Dead, impossible and untrusted events are named.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "counters/group.hpp"
#include "counters/source.hpp"

namespace folioscope {

/// One go at the event's traffic.
struct Observation {
  double known = 0;            ///< units of work
  std::optional<Count> count;  ///< null: could not be read
  Nanoseconds wall;            ///< of the work alone
};

struct Belief {
  bool usable = true;
  std::optional<double> trust;  ///< measured ÷ known; null where no number is known for the work
  std::string reason;           ///< of one that is not usable
};

/// What is farther than this factor from the known number is not believed.
inline constexpr double trusted_within = 2;

Belief judge_event(CounterEvent const& event, std::span<Observation const> seen);

}  // namespace folioscope
