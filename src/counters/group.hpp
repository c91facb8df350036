// SPDX-License-Identifier: Apache-2.0
// A counter group is data: one file groups/<microarchitecture>/<name>.toml with a question, the events that answer it,
// what each does not mean on this CPU, and ratios of them with units. docs/counters.md lists the keys.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/json.hpp"

namespace folioscope {

/// Work of known size that an event is held against before it is believed.
enum class KnownTraffic : std::uint8_t {
  none,
  load,          ///< cold lines loaded, one word each, in random order
  store,         ///< cold lines stored to, one word each: each must be fetched
  store_nt,      ///< lines written whole by non-temporal stores, or their like
  flush,         ///< modified lines flushed to memory
  pages,         ///< base pages stored to, one word each, more than the TLBs reach
  adds,          ///< dependent adds: a cycle each
  instructions,  ///< instructions retired
  faults,        ///< fresh base pages touched: a fault each
  sleeps,        ///< times the thread gave up its CPU
  time,          ///< nanoseconds on the CPU
};
std::string to_string(KnownTraffic traffic);

struct CounterEvent {
  std::string name;        ///< native: libpfm4's, or Linux's where verified by its tables
  std::uint64_t code = 0;  ///< perf's config on the group's PMU: what is opened when the name is not known
  std::string verified;    ///< "libpfm", "linux-json" or "unverified": who else knows it, held by tests
  std::string level;       ///< of events that count lines coming into a cache or memory: "L1", "L2", "L3", ...
  KnownTraffic traffic = KnownTraffic::none;
  std::optional<double> per_unit;  ///< counts for each unit of the traffic; null: any count above 0 shows it alive
  std::string not_meant;           ///< what it does not mean on this CPU
};

struct CounterMetric {
  struct Term {
    double factor = 1;
    std::string event;
  };
  std::string name, unit;
  std::vector<Term> of, per;  ///< sums; an empty `per` is the lines cleared
};

struct CounterGroup {
  std::string microarchitecture;  ///< the folder
  std::string name;               ///< the file
  std::string question;
  std::string kind;    ///< "fills", "elision", "prefetch", "translation", "stores", "rows", "core", "faults"
  std::string pmu;     ///< "core", "software", or Linux's name of an uncore PMU with '*' for numbers
  std::string libpfm;  ///< libpfm4's PMU that knows the names; empty when none does
  std::string source;  ///< where the names and codes come from
  std::vector<CounterEvent> events;
  std::vector<CounterMetric> metrics;

  std::string id() const { return microarchitecture + "/" + name; }
  bool uncore() const { return pmu != "core" && pmu != "software"; }
};

/// Throws Error naming `where` and the key for text that is not TOML, unknown keys or words, metrics of events that are
/// not there, events without code or caveat.
CounterGroup parse_counter_group(std::string_view text, std::string_view microarchitecture, std::string_view name,
                                 std::string_view where);
/// The whole definition, for the record.
Json to_json(CounterGroup const& group);
/// '*' stands for any run of digits and lower-case letters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace folioscope
