// SPDX-License-Identifier: Apache-2.0
// Work of known size, so that what an event counts can be held against what happened.
#pragma once
#include <memory>

#include "counters/group.hpp"

namespace folioscope {

class Traffic {
 public:
  virtual ~Traffic() = default;
  /// Brings memory into the state from which the work starts; not counted. False: this machine cannot do that work.
  virtual bool prepare(KnownTraffic what) = 0;
  /// Does the work; returns its units: lines, pages, adds, instructions, faults, sleeps, nanoseconds.
  virtual double run(KnownTraffic what) = 0;
};

/// On memory of its own, 16 MiB for lines and 32 MiB for pages, mapped at first use.
std::unique_ptr<Traffic> real_traffic();

}  // namespace folioscope
