// SPDX-License-Identifier: Apache-2.0
// From a `linux` campaign's faults to the order that this Linux clears in, the page to touch first, and how well the
// user-space replica tells the fault's time. Reads the record alone.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/probe_check.hpp"
#include "record/capsule.hpp"
#include "stats/line_fit.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

enum class Recognised { target_last, sequential, neighbourhood_last, other, cannot_tell };
std::string to_string(Recognised recognised);

/// Faults that touch page `index` first, against those that touch page 0 first.
struct FaultPoint {
  std::uint64_t index = 0;
  Nanoseconds time;          ///< of one fault: median over placements
  Nanoseconds user, system;  ///< means over samples
  Estimate against_first;    ///< ratio 1, no interval, at index 0
  double p_holm = 1;
  std::optional<Nanoseconds> replica;   ///< the same order in user space, per folio
  std::optional<double> replica_error;  ///< |a + b replica - time| / time
};

/// Loads after a fault at page 0, medians over all looks: the page beside it, the folio's last page, a line just
/// loaded, and one in no cache.
struct WitnessSeen {
  double near_ns = 0, last_ns = 0, cached_ns = 0, cold_ns = 0;
  std::uint32_t looks = 0;
};

struct Recognition {
  Recognised recognised = Recognised::cannot_tell;
  std::vector<std::string> candidates;  ///< what it may be: one where it is recognised
  std::string why;
};
/// Pure. The curve by index, `pages` in the folio; `quarters`: pages of each quarter of the folio taken together,
/// against page 0 (may be empty); `delta`: the smallest difference that counts.
Recognition recognise(std::span<FaultPoint const> curve, std::uint64_t pages, std::span<Estimate const> quarters,
                      std::optional<WitnessSeen> const& witness, double delta);

struct FaultOrderFinding {
  std::size_t campaign = 0;
  Backing backing;
  std::uint64_t pages = 0;
  std::vector<FaultPoint> curve;
  std::vector<Estimate> quarters;  ///< pages of each quarter taken together, against page 0
  Recognition recognition;
  std::optional<WitnessSeen> witness;
  std::optional<ProbeCheck> probe;  ///< how well its probe found states made on purpose; older records have none
  std::vector<LevelShare> near_levels, last_levels;  ///< where the witness's two pages were; empty without a scale
  std::optional<std::string> expected;               ///< by release
  std::string clear_kernel, clear_kernel_why;        ///< what this Linux's alternatives choose; empty: unknown, and why
  std::optional<bool> agrees;                        ///< null where nothing was recognised
  std::optional<std::uint64_t> best_index;           ///< null where no page is faster to touch first than page 0
  Estimate gain;                                     ///< time at page 0 over time at the best index
  std::optional<LineFit> replica;
  std::string replica_order, replica_kernel;
  double delta = 0.02;
  std::uint32_t placements = 0;
  std::uint64_t faults = 0, excluded = 0;
  std::optional<Nanoseconds> first_touch, after_wait;  ///< medians: memory the host may have taken back
};
/// The order that the campaign's Linux release is thought to use.
std::optional<std::string> expected_order(Campaign const& campaign);
/// Of every campaign of kind "linux", each backing for itself.
std::vector<FaultOrderFinding> fault_orders(std::span<Campaign const> campaigns);
Json to_json(FaultOrderFinding const& finding);
/// The order as recognised, and whether the release suggests it; the page to touch first, and what it gains.
std::string order_sentence(FaultOrderFinding const& finding);
std::string gain_sentence(FaultOrderFinding const& finding);
/// Where the lines beside the page touched and those of the last page are after a fault; "" where no scale tells.
std::string nearness_sentence(FaultOrderFinding const& finding);
/// For a terminal; no line break at the end.
std::string to_text(FaultOrderFinding const& finding);

}  // namespace folioscope
