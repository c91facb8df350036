// SPDX-License-Identifier: Apache-2.0
#include "counters/reader.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "counters/advice.hpp"
#include "counters/candidate.hpp"
#include "counters/papi_source.hpp"
#include "counters/perf_source.hpp"
#include "counters/trust.hpp"

namespace folioscope {
namespace {

constexpr int repeats = 3;
constexpr double all_the_time = 0.99;  ///< of its enabled time an event runs that shares no counter

double steady_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The thread stays on the CPU that counts: another core may be of another kind. Where Linux does not let it, events
/// are tried where the thread is.
class OnCpu {
 public:
  explicit OnCpu(unsigned cpu) {
    known_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && cpu < CPU_SETSIZE;
    if (!known_) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnCpu() {
    if (known_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OnCpu(OnCpu const&) = delete;
  OnCpu& operator=(OnCpu const&) = delete;

 private:
  bool known_ = false;
  cpu_set_t before_{};
};

std::vector<EventRequest> all_requests(std::span<Candidate const> events) {
  std::vector<EventRequest> out;
  for (Candidate const& c : events) out.insert(out.end(), c.requests.begin(), c.requests.end());
  return out;
}

/// One count an event: an uncore event is the sum over its boxes, and vanishes with the first of them.
std::vector<std::optional<Count>> by_event(std::span<Candidate const> events,
                                           std::vector<std::optional<Count>> const& counts) {
  std::vector<std::optional<Count>> out;
  std::size_t at = 0;
  for (Candidate const& c : events) {
    std::optional<Count> sum = at < counts.size() ? counts[at] : std::nullopt;
    for (std::size_t i = 1; i < c.requests.size(); ++i) {
      auto const next = at + i < counts.size() ? counts[at + i] : std::nullopt;
      if (!sum || !next) {
        sum.reset();
        break;
      }
      sum->value += next->value;
      sum->enabled = std::max(sum->enabled, next->enabled);
      sum->running = std::min(sum->running, next->running);
    }
    at += c.requests.size();
    out.push_back(sum);
  }
  return out;
}

class SetReader final : public CounterReader {
 public:
  SetReader(std::string group, std::vector<Candidate> events, std::unique_ptr<EventSet> set)
      : group_(std::move(group)), events_(std::move(events)), set_(std::move(set)) {
    for (Candidate const& c : events_) names_.push_back(c.event->name);
  }
  void start() override { set_->start(); }
  std::vector<Reading> stop() override {
    auto const counts = by_event(events_, set_->stop());
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      // A vanished or negative count is none: a figure of it would mislead.
      if (!counts[i] || !(counts[i]->value >= 0) || !(counts[i]->running.value > 0)) continue;
      Reading reading;
      reading.group = group_;
      reading.event = names_[i];
      reading.value = counts[i]->value;
      reading.enabled = counts[i]->enabled;
      reading.running = counts[i]->running;
      reading.scope = to_string(events_[i].requests.front().scope);
      readings.push_back(std::move(reading));
    }
    return readings;
  }

 private:
  std::string group_;
  std::vector<Candidate> events_;  ///< their `event` outlives only the opening
  std::vector<std::string> names_;
  std::unique_ptr<EventSet> set_;
};

class Opening {
 public:
  Opening(CounterHost const& host, CounterTools const& tools, Counters& out) : host_(host), tools_(tools), out_(out) {}

  void open(CounterGroup const& group, bool for_this_cpu, std::string const& title) {
    std::vector<Candidate> found;
    for (CounterEvent const& event : group.events) {
      EventStatus status;
      status.group = group.id();
      status.name = event.name;
      status.pmu = group.pmu;
      status.verified = event.verified;
      status.for_this_cpu = for_this_cpu;
      if (!for_this_cpu) {
        status.reason = fmt::format("is for {}; this CPU is {}", title, cpu_words());
        status.remedy = "another CPU; docs/counters.md says how to write a group for this one";
      } else if (auto candidate = find_opening(group, event, host_, tools_, status)) {
        candidate->status = out_.events.size();
        found.push_back(std::move(*candidate));
      }
      out_.events.push_back(std::move(status));
    }
    for (auto& together : split(found)) try_on_traffic(group, std::move(together));
  }

 private:
  std::string cpu_words() const { return host_.cpu_name.empty() ? "not known" : host_.cpu_name; }
  EventStatus& status_of(Candidate const& c) { return out_.events[c.status]; }
  void refuse(Candidate const& c, std::string reason, std::string remedy, std::optional<double> trust = {}) {
    EventStatus& status = status_of(c);
    status.usable = false;
    status.reason = std::move(reason);
    status.remedy = std::move(remedy);
    status.trust = trust;
  }

  std::unique_ptr<EventSet> open_set(std::span<Candidate const> events) const {
    OpenFailure failure;
    return events.empty() ? nullptr : events.front().source->open(all_requests(events), failure);
  }

  /// Whether all of them get counters of their own at once.
  bool fits(std::span<Candidate const> events) const {
    auto const set = open_set(events);
    if (!set) return false;
    tools_.traffic->prepare(KnownTraffic::adds);
    set->start();
    tools_.traffic->run(KnownTraffic::adds);
    auto const counts = by_event(events, set->stop());
    return std::ranges::all_of(counts, [](auto const& c) {
      return c && c->running.value > 0 && c->running.value >= all_the_time * c->enabled.value;
    });
  }

  /// Sets whose events need not take turns; an event that gets no counter even alone is refused.
  std::vector<std::vector<Candidate>> split(std::vector<Candidate> const& found) {
    std::vector<std::vector<Candidate>> sets;
    for (Candidate const& candidate : found) {
      bool const joins = !sets.empty() && sets.back().front().source == candidate.source &&
                         sets.back().front().requests.front().scope == candidate.requests.front().scope;
      if (joins) {
        sets.back().push_back(candidate);
        if (fits(sets.back())) continue;
        sets.back().pop_back();
      }
      std::vector<Candidate> alone{candidate};
      if (fits(alone)) {
        sets.push_back(std::move(alone));
      } else {
        Refusal const taken = refuse_taken(candidate.event->name, host_);
        refuse(candidate, taken.reason, taken.remedy);
      }
    }
    return sets;
  }

  void observe(std::span<Candidate const> events, EventSet& set, KnownTraffic traffic,
               std::vector<std::vector<Observation>>& seen) {
    for (int i = 0; i < repeats; ++i) {
      if (!tools_.traffic->prepare(traffic)) return;
      set.start();
      double const began = steady_ns();
      double const known = tools_.traffic->run(traffic);
      Nanoseconds const wall(steady_ns() - began);
      auto const counts = by_event(events, set.stop());
      for (std::size_t e = 0; e < events.size(); ++e)
        if (events[e].event->traffic == traffic) seen[e].push_back({known, counts[e], wall});
    }
  }

  void try_on_traffic(CounterGroup const& group, std::vector<Candidate> events) {
    auto set = open_set(events);
    std::vector<std::vector<Observation>> seen(events.size());
    std::set<KnownTraffic> wanted;
    for (Candidate const& c : events)
      if (c.event->traffic != KnownTraffic::none) wanted.insert(c.event->traffic);
    for (KnownTraffic const traffic : wanted)
      if (set) observe(events, *set, traffic, seen);
    std::vector<Candidate> good;
    for (std::size_t e = 0; e < events.size(); ++e) {
      Belief const belief = judge_event(*events[e].event, seen[e]);
      if (!belief.usable) {
        refuse(events[e], belief.reason, status_of(events[e]).remedy, belief.trust);
        continue;
      }
      status_of(events[e]).usable = true;
      status_of(events[e]).trust = belief.trust;
      good.push_back(events[e]);
    }
    if (good.size() < events.size()) {
      set.reset();
      set = open_set(good);
    }
    if (!good.empty() && set)
      out_.passes.push_back(std::make_unique<SetReader>(group.id(), std::move(good), std::move(set)));
  }

  CounterHost const& host_;
  CounterTools const& tools_;
  Counters& out_;
};

}  // namespace

Counters open_counters(std::span<CounterGroup const* const> groups, CounterCatalogue const& catalogue,
                       CounterHost const& host, CounterTools const& tools) {
  Counters out;
  OnCpu const here(host.cpu);
  Opening opening(host, tools, out);
  for (CounterGroup const* group : groups)
    opening.open(*group, catalogue.is_for(*group, host), catalogue.title_of(*group));
  return out;
}

Counters open_counters(std::span<CounterGroup const* const> groups, CounterCatalogue const& catalogue,
                       CounterHost const& host) {
  auto const names = papi_source();
  PerfSource codes;
  auto const traffic = real_traffic();
  CounterTools const tools{names.get(), &codes, [&](EventRequest const& request) { return codes.probe(request); },
                           traffic.get()};
  return open_counters(groups, catalogue, host, tools);
}

Json to_json(EventStatus const& s) {
  auto const text = [](std::string const& t) { return t.empty() ? Json() : Json(t); };
  return Json::object({{"group", s.group},
                       {"name", s.name},
                       {"pmu", s.pmu},
                       {"usable", s.usable},
                       {"reason", s.usable ? Json() : text(s.reason)},
                       {"remedy", text(s.remedy)},
                       {"trust", s.trust},
                       {"verified", s.verified},
                       {"scope", text(s.scope)},
                       {"opened_by", text(s.opened_by)},
                       {"for_this_cpu", s.for_this_cpu}});
}

Json record_of(std::span<CounterGroup const* const> groups, std::span<EventStatus const> events) {
  Json out = Json::array();
  for (CounterGroup const* group : groups) {
    Json definition = to_json(*group);
    Json found = Json::array();
    for (EventStatus const& s : events)
      if (s.group == group->id()) found.push(to_json(s));
    definition.set("found", std::move(found));
    out.push(std::move(definition));
  }
  return out;
}

}  // namespace folioscope
