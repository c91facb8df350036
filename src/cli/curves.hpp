// SPDX-License-Identifier: Apache-2.0
// The latency curves that a campaign begins with: what caches this machine shows, idle and while another CPU clears.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "probe/chain.hpp"
#include "record/capsule.hpp"
#include "terms/plan.hpp"

namespace folioscope::cli {

/// What --max-memory says bounds the probes too.
void bound_memory(Machine& machine, std::optional<Bytes> most);

/// Whether files or instructions tell every data cache's size.
bool caches_known(Machine const& machine);
/// Where none tells a cache's size, footprints around it come from the latency curve as seen. About 2 s at most.
std::vector<LatencyPoint> fill_unknown_caches(Machine& machine, Clock const& clock, std::optional<Bytes> max_memory,
                                              Nanoseconds budget, std::uint64_t seed);

struct LevelsSeen {
  std::vector<LatencyPoint> curve;  ///< idle
  std::vector<LatencyLevel> levels;
};
/// `curve`: one measured before; empty: measured now, in 3 % of the budget and 2 s at most. Measured again where it
/// shows other levels than the machine tells.
LevelsSeen levels_seen(Machine const& machine, Clock const& clock, Plan const& plan,
                       std::vector<LatencyPoint> curve = {});

/// While another CPU clears, up to where memory is reached, in 1 % of the budget and 1 s at most; nothing where there
/// is no other CPU.
std::vector<LatencyPoint> loaded_curve(Machine const& machine, Clock const& clock,
                                       std::vector<LatencyLevel> const& levels, Plan const& plan);

/// As recorded: x bytes, y ns a load.
std::vector<Point> points_of_curve(std::string const& series, std::string const& label,
                                   std::vector<LatencyPoint> const& curve);

}  // namespace folioscope::cli
