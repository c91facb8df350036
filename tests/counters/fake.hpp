// SPDX-License-Identifier: Apache-2.0
// A machine that counts as a test wants it: events by code, each with its own fault, a number of counters, and errno.
#pragma once
#include <cerrno>
#include <functional>
#include <map>
#include <vector>

#include "counters/reader.hpp"

namespace folioscope::fake {

/// What an event reads of `units` of a traffic; nullopt: it vanished.
using Behaviour = std::function<std::optional<Count>(KnownTraffic traffic, double units)>;

inline Count steady(double value) { return {value, Nanoseconds(1e6), Nanoseconds(1e6)}; }
inline Behaviour honest(KnownTraffic of, double per_unit = 1) {
  return [=](KnownTraffic t, double units) { return steady(t == of ? units * per_unit : 0); };
}

struct FakeMachine {
  std::map<std::uint64_t, Behaviour> events;  ///< by code
  std::map<std::uint64_t, int> user_errors, kernel_errors;
  std::size_t counters = 4;  ///< more events than these take turns
  bool knows_names = true;
  KnownTraffic now = KnownTraffic::none;
  double units = 0;
  std::vector<EventRequest> opened;  ///< every request of every set, in order
};

class FakeSet final : public EventSet {
 public:
  FakeSet(FakeMachine& machine, std::span<EventRequest const> events)
      : machine_(machine), events_(events.begin(), events.end()) {}
  void start() override { machine_.now = KnownTraffic::none; }
  std::vector<std::optional<Count>> stop() override {
    std::vector<std::optional<Count>> out;
    for (EventRequest const& e : events_) {
      auto count = machine_.events.at(e.code)(machine_.now, machine_.units);
      if (count && events_.size() > machine_.counters)
        count->running =
            count->running * (static_cast<double>(machine_.counters) / static_cast<double>(events_.size()));
      out.push_back(count);
    }
    return out;
  }

 private:
  FakeMachine& machine_;
  std::vector<EventRequest> events_;
};

class FakeSource final : public EventSource {
 public:
  FakeSource(FakeMachine& machine, std::string name) : machine_(machine), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::unique_ptr<EventSet> open(std::span<EventRequest const> events, OpenFailure& failure) override {
    for (EventRequest const& e : events) {
      bool const named = name_ == "PAPI" && !e.native.starts_with("perf_raw");
      if (!machine_.events.contains(e.code) || (named && !machine_.knows_names)) {
        failure = {ENOENT, ""};
        return nullptr;
      }
    }
    machine_.opened.insert(machine_.opened.end(), events.begin(), events.end());
    return std::make_unique<FakeSet>(machine_, events);
  }

 private:
  FakeMachine& machine_;
  std::string name_;
};

class FakeTraffic final : public Traffic {
 public:
  explicit FakeTraffic(FakeMachine& machine) : machine_(machine) {}
  bool prepare(KnownTraffic) override { return true; }
  double run(KnownTraffic what) override {
    machine_.now = what;
    return machine_.units = 10'000;
  }

 private:
  FakeMachine& machine_;
};

/// A bare-metal Neoverse N1 unless a test changes it.
inline CounterHost bare_metal() {
  CounterHost host;
  host.architecture = "aarch64";
  host.cpu_name = "Neoverse-N1";
  host.midr = 0x413fd0c1;
  host.pmus_known = true;
  host.pmus = {{"armv8_pmuv3_0", 8, {}}, {"software", 1, {}}};
  host.paranoid = 2;
  host.nmi_watchdog = false;
  host.seccomp = 0;
  return host;
}

struct Opened {
  FakeMachine machine;
  CounterHost host = bare_metal();
  CounterCatalogue catalogue = CounterCatalogue::read();
  Counters counters;

  Counters& open(std::vector<CounterGroup> const& groups) {
    FakeSource names(machine, "PAPI"), codes(machine, "perf_event_open");
    FakeTraffic traffic(machine);
    CounterTools const tools{&names, &codes,
                             [this](EventRequest const& e) {
                               auto const& errors =
                                   e.scope == CountScope::user_and_kernel ? machine.kernel_errors : machine.user_errors;
                               auto const it = errors.find(e.code);
                               return it == errors.end() ? 0 : it->second;
                             },
                             &traffic};
    std::vector<CounterGroup const*> pointers;
    for (CounterGroup const& g : groups) pointers.push_back(&g);
    counters = open_counters(pointers, catalogue, host, tools);
    return counters;
  }
};

inline CounterGroup group_of(std::vector<CounterEvent> events, std::string pmu = "core") {
  CounterGroup g;
  g.microarchitecture = "own";
  g.name = "test";
  g.question = "?";
  g.kind = "fills";
  g.pmu = std::move(pmu);
  g.source = "made up";
  g.events = std::move(events);
  g.metrics = {{"m", "lines/line", {{1, g.events.front().name}}, {}}};
  return g;
}

inline CounterEvent event(std::string name, std::uint64_t code, KnownTraffic traffic = KnownTraffic::store,
                          std::optional<double> per_unit = 1) {
  return {std::move(name), code, "unverified", "L2", traffic, per_unit, "nothing else"};
}

}  // namespace folioscope::fake
