// SPDX-License-Identifier: Apache-2.0
#include "counters/reader.hpp"

#include <fmt/format.h>

#include "counters/software.hpp"
#include "terms/cell.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

constexpr CounterGroup groups[] = {
    {"software", "page faults, context switches, migrations and CPU time, as Linux counts them without a PMU"},
};

}  // namespace

std::span<CounterGroup const> counter_groups() { return groups; }

Granted<std::unique_ptr<CounterReader>> open_counters(std::string_view group) {
  if (group == groups[0].name) return open_software_counters();
  std::vector<std::string> names;
  for (CounterGroup const& known : groups) names.emplace_back(known.name);
  auto const near = nearest_name(group, names);
  throw UsageError(
      "unknown counter group", std::string(group),
      near ? fmt::format("did you mean '{}'?", *near) : fmt::format("the groups are: {}", fmt::join(names, ", ")));
}

}  // namespace folioscope
