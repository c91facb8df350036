// SPDX-License-Identifier: Apache-2.0
#include "counters/trust.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace folioscope {
namespace {

constexpr double impossible_beyond = 1000;  ///< times the known number: a wrapped or foreign counter
constexpr double same_clock = 0.005;        ///< cycles this near to nanoseconds are no cycles
constexpr double shared_below = 0.99;       ///< of its enabled time
constexpr double slack = 1.01;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Belief no(std::string reason, std::optional<double> trust = {}) { return {false, trust, std::move(reason)}; }

std::string unit_of(KnownTraffic traffic) {
  switch (traffic) {
    case KnownTraffic::load:
      return "lines loaded";
    case KnownTraffic::store:
      return "lines stored";
    case KnownTraffic::store_nt:
      return "lines stored past the caches";
    case KnownTraffic::flush:
      return "lines flushed";
    case KnownTraffic::pages:
      return "pages stored to";
    case KnownTraffic::adds:
      return "dependent adds";
    case KnownTraffic::instructions:
      return "instructions";
    case KnownTraffic::faults:
      return "pages touched first";
    case KnownTraffic::sleeps:
      return "sleeps";
    case KnownTraffic::time:
      return "nanoseconds";
    case KnownTraffic::none:
      break;
  }
  return "units";
}

/// What no working counter shows, whatever it counts.
std::optional<Belief> impossible(std::span<Observation const> seen) {
  for (Observation const& o : seen) {
    if (!o.count) return no("vanished: it opened and could not be read any more");
    Count const& c = *o.count;
    if (!(c.value >= 0)) return no(fmt::format("impossible: it counted {:.0f}", c.value));
    if (!(c.running.value >= 0) || c.running.value > slack * c.enabled.value + 1)
      return no("impossible: it ran longer than it was enabled");
    if (c.running.value < shared_below * c.enabled.value)
      return no(
          fmt::format("shares its counter: it ran {:.0f} % of the time", 100 * c.running.value / c.enabled.value));
  }
  return std::nullopt;
}

}  // namespace

Belief judge_event(CounterEvent const& event, std::span<Observation const> seen) {
  if (auto const never = impossible(seen)) return *never;
  if (event.traffic == KnownTraffic::none || seen.empty()) return {};
  double const known = seen.front().known;
  std::vector<double> shares, clocks;
  for (Observation const& o : seen) {
    if (!(o.known > 0)) continue;
    shares.push_back(o.count->value / (o.known * event.per_unit.value_or(1)));
    if (o.wall.value > 0) clocks.push_back(o.count->value / o.wall.value);
  }
  if (shares.empty()) return {};
  if (std::ranges::all_of(shares, [](double share) { return share == 0; }))
    return no(fmt::format("dead: it opens and counts 0 of {:.0f} {}", known, unit_of(event.traffic)), 0);
  double const trust = median(shares);
  if (trust > impossible_beyond)
    return no(fmt::format("impossible: it counted {:.3g} times the {:.0f} {}", trust, known, unit_of(event.traffic)));
  if (!event.per_unit) return {};
  if (event.traffic == KnownTraffic::adds &&
      std::ranges::any_of(clocks, [](double clock) { return std::abs(clock - 1) < same_clock; }))
    return no("untrusted: its cycles are nanoseconds, which is a clock and no core", trust);
  if (trust > trusted_within || trust < 1 / trusted_within)
    return no(fmt::format("untrusted: it counted {:.3g} times the {:.0f} {}", trust, known, unit_of(event.traffic)),
              trust);
  return {true, trust, {}};
}

}  // namespace folioscope
