// SPDX-License-Identifier: Apache-2.0
// Apparent lines in flight: Little's law (1961) with a cell's bandwidth and the latency of the level that its lines
// come from. It assumes one fill a line; where a kernel bypasses the caches the figure means nothing and is not given.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/runs.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

/// Latency of a dependent load where the cell's lines are before a pass: memory when cold, the footprint's own level
/// when hot. From the capsule's idle curve; nullopt without one.
std::optional<Nanoseconds> idle_latency(Campaign const& campaign, Cell const& cell);
/// The same while another CPU clears; nullopt where no such curve was measured.
std::optional<Nanoseconds> loaded_latency(Campaign const& campaign, Cell const& cell);

/// Of one thread.
double lines_in_flight(Cell const& cell, Nanoseconds pass, Nanoseconds latency);

struct LinesInFlight {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::optional<double> idle, loaded;  ///< null for bypassing kernels, and where no latency is known
  std::optional<Interval> ci;          ///< of idle, from the times alone: the latency is one figure
  std::uint32_t n = 0;                 ///< placements
  std::optional<double> idle_ns, loaded_ns;
  std::string why;  ///< of a null
};
/// One a cell of base-page runs or sequential that clears a folio or more; what was timed.
std::vector<LinesInFlight> lines_in_flight(Campaign const& campaign, Runs const& runs, std::size_t index);

}  // namespace folioscope
