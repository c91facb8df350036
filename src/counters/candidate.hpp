// SPDX-License-Identifier: Apache-2.0
// Inside open_counters: from an event of a group to requests that open here, or the reason why none does.
#pragma once
#include <optional>
#include <vector>

#include "counters/reader.hpp"

namespace folioscope {

/// An event that opens, by itself at least.
struct Candidate {
  CounterEvent const* event = nullptr;
  EventSource* source = nullptr;
  std::vector<EventRequest> requests;  ///< one, or one for each box and socket of an uncore PMU
  std::size_t status = 0;              ///< its place among the statuses
};

/// Fills in the status; nullopt where the event does not open.
std::optional<Candidate> find_opening(CounterGroup const& group, CounterEvent const& event, CounterHost const& host,
                                      CounterTools const& tools, EventStatus& status);

}  // namespace folioscope
