// SPDX-License-Identifier: Apache-2.0
// What was counted while a cell was cleared: events that count lines as fills per line cleared, and the groups' own
// ratios. Each with its trust and an interval over placements. Sources and scopes are never mixed.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

/// A mean over placements with its 95 % t interval; not of logs: a count may be 0.
struct CountEstimate {
  double mean = 0;
  std::optional<Interval> ci;  ///< null under 2 placements
  std::uint32_t n = 0;         ///< placements
};

/// Fills: one event of one cell, per cache line cleared.
struct Fill {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::string group, event;
  std::string level;            ///< that the lines come into; empty where the record does not say
  std::string source;           ///< "counted", or "simulated" (explain/simulated.hpp)
  std::string scope;            ///< "user", "user+kernel", "socket"; "model"
  std::optional<double> trust;  ///< measured ÷ known on this machine; null where it was not tried
  CountEstimate per_line;
};

/// A group's ratio.
struct CountRatio {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::string group, metric, unit, scope;
  CountEstimate value;
};

struct Counts {
  std::vector<Fill> fills;         ///< by campaign, cell, group, event; what is simulated stands behind
  std::vector<CountRatio> ratios;  ///< the same order
  std::string why_none;            ///< counted; empty where there are some
};
Counts counts_of(std::span<Campaign const> campaigns);
/// As the design's fills[], with the factors of its cell.
Json to_json(Fill const& fill, Cell const& cell);

/// Whether counted fills go with the times of orders that are slower or faster than sequential: one sentence a kind of
/// finding, at most two.
std::vector<std::string> fill_findings(Campaign const& campaign, std::size_t index, Counts const& counts,
                                       Judgement const& judgement);

}  // namespace folioscope
