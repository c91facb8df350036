// SPDX-License-Identifier: Apache-2.0
// Counts of a group of events over one pass. The interface is the same whatever counts: Linux's own software events
// here. Events that cannot be opened, or read nothing on work that is known to raise them, are refused by name, never
// read as 0.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terms/granted.hpp"
#include "terms/sample.hpp"

namespace folioscope {

class CounterReader {
 public:
  virtual ~CounterReader() = default;
  virtual void start() = 0;
  /// Since start; block and cell are the caller's to fill in.
  virtual std::vector<Reading> stop() = 0;
  /// Events of the group that this machine does not count.
  virtual std::vector<Refusal> const& refused() const = 0;
};

struct CounterGroup {
  std::string_view name;
  std::string_view summary;
};
/// What open_counters takes.
std::span<CounterGroup const> counter_groups();
/// Counts the calling thread and the threads it starts afterwards: open it before a crew is hired. Refused when the
/// group has not one event that counts here. An unknown name is a UsageError that names the nearest.
Granted<std::unique_ptr<CounterReader>> open_counters(std::string_view group);

}  // namespace folioscope
