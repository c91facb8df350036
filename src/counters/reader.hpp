// SPDX-License-Identifier: Apache-2.0
// Counts of groups of events over one pass. Whatever counts, an event is opened, tried on known traffic and believed,
// or refused by name with its reason; it is never read as 0. Groups are split into passes before they would multiplex.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "counters/catalogue.hpp"
#include "counters/source.hpp"
#include "counters/traffic.hpp"
#include "terms/sample.hpp"

namespace folioscope {

class CounterReader {
 public:
  virtual ~CounterReader() = default;
  virtual void start() = 0;
  /// Since start; block and cell are the caller's to fill in. An event that vanished has no reading.
  virtual std::vector<Reading> stop() = 0;
};

/// What became of one event.
struct EventStatus {
  std::string group, name;
  std::string pmu;  ///< Linux's name, or the group's word where Linux lists none
  bool for_this_cpu = true;
  bool usable = false;
  std::string reason, remedy;  ///< of one that is not usable; of one that is, what would make it better
  std::optional<double> trust;
  std::string verified;
  std::string scope;      ///< "user", "user+kernel", "socket"; empty where it does not open
  std::string opened_by;  ///< "PAPI", "PAPI, raw code", "perf_event_open"
};
Json to_json(EventStatus const& status);

struct CounterTools {
  EventSource* names = nullptr;                   ///< PAPI; null: raw codes only
  EventSource* codes = nullptr;                   ///< perf_event_open
  std::function<int(EventRequest const&)> probe;  ///< errno of opening it, 0 for none
  Traffic* traffic = nullptr;
};

struct Counters {
  /// Each counts in a pass of its own: the calling thread and the threads it starts afterwards (so they are opened
  /// before a crew is hired), uncore events the whole socket.
  std::vector<std::unique_ptr<CounterReader>> passes;
  std::vector<EventStatus> events;
};
/// Opens and tries every event of the groups on the calling thread, which runs on host.cpu meanwhile.
Counters open_counters(std::span<CounterGroup const* const> groups, CounterCatalogue const& catalogue,
                       CounterHost const& host, CounterTools const& tools);
/// The same with PAPI, perf_event_open and real traffic.
Counters open_counters(std::span<CounterGroup const* const> groups, CounterCatalogue const& catalogue,
                       CounterHost const& host);
/// For the record: whole definitions, each event with what became of it.
Json record_of(std::span<CounterGroup const* const> groups, std::span<EventStatus const> events);

}  // namespace folioscope
