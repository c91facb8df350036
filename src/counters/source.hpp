// SPDX-License-Identifier: Apache-2.0
// What opens and counts events: PAPI, Linux's perf_event_open directly (raw codes, software and uncore events), or a
// fake in tests. Counts come with enabled and running time; what vanished is no count.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "terms/units.hpp"

namespace folioscope {

/// Whose work is counted. A socket-wide event counts everybody's.
enum class CountScope : std::uint8_t { user, user_and_kernel, socket };
std::string to_string(CountScope scope);  ///< "user", "user+kernel", "socket"

/// One event as it is to be opened.
struct EventRequest {
  std::string native;      ///< the name for libraries that know names: "arm_n1::L1D_CACHE_REFILL"
  std::uint32_t type = 0;  ///< perf's PMU type
  std::uint64_t code = 0;  ///< perf's config
  int cpu = -1;            ///< of uncore events; -1: the calling thread and those it starts afterwards
  CountScope scope = CountScope::user;
};

struct Count {
  double value = 0;
  Nanoseconds enabled, running;
};

/// Open events that count together.
class EventSet {
 public:
  virtual ~EventSet() = default;
  virtual void start() = 0;
  /// Since start, by event; nullopt where the event could not be read any more.
  virtual std::vector<std::optional<Count>> stop() = 0;
};

/// Why an event did not open.
struct OpenFailure {
  int error = 0;     ///< errno
  std::string text;  ///< in the library's words; empty: errno says it
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual std::string name() const = 0;  ///< "PAPI", "perf_event_open"
  /// All of them, or nothing and why in `failure`.
  virtual std::unique_ptr<EventSet> open(std::span<EventRequest const> events, OpenFailure& failure) = 0;
};

}  // namespace folioscope
