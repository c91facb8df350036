// SPDX-License-Identifier: Apache-2.0
// From samples to ratios, intervals and verdicts, exactly by the design's rule: median over a placement's blocks of
// log(order / reference), mean over placements, Student t over placements; A/A noise pooled per stratum; Holm over the
// family.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "terms/cell.hpp"

namespace folioscope {

struct Interval {
  double low = 0, high = 0;
};

struct Estimate {
  double ratio = 1;
  std::optional<Interval> ci;  ///< 95 %, null under 2 placements
  std::optional<Interval> ci90;
  double p = 1;         ///< two-sided, ratio = 1
  std::uint32_t n = 0;  ///< placements
};
/// `logs`: one log ratio a placement.
Estimate estimate(std::span<double const> logs);
/// The difference of two means of logs as a ratio, `logs` over `base`, with Welch's interval: two campaigns or
/// machines.
Estimate estimate_difference(std::span<double const> logs, std::span<double const> base);
/// Half-width of the 95 % t interval of one sample's mean, the variance pooled over all of them; NaN without two values
/// anywhere.
double pooled_half_width(std::span<std::vector<double> const> samples);

enum class Finding { slower, faster, no_difference, cannot_tell };
std::string to_string(Finding verdict);

struct Verdict {
  std::size_t campaign = 0;  ///< index into the judged campaigns
  std::uint32_t cell = 0, reference = 0;
  bool against_baseline = false;  ///< kernel or call comparison with the baseline, else order with sequential
  Estimate estimate;
  double p_holm = 1;
  double delta = 0.02;
  Finding verdict = Finding::cannot_tell;
  std::string why;   ///< of a cannot_tell: "fewer than 10 placements", "interval too wide", ...
  Nanoseconds time;  ///< per pass: median over placements of the placement's median
  Nanoseconds reference_time;
};

struct StratumNoise {
  std::size_t campaign = 0;
  Stratum stratum;
  std::uint32_t pairs = 0;
  std::optional<double> smallest_effect;
};

struct Judgement {
  std::vector<Verdict> verdicts;
  std::vector<StratumNoise> noise;
  std::uint32_t aa_pairs = 0;    ///< A/A comparisons
  std::uint32_t aa_flagged = 0;  ///< unadjusted p < 0.05
  std::uint32_t aa_flagged_holm = 0;
  std::optional<Interval> aa_ci;  ///< 95 %, of the share flagged; null without pairs
};

/// One Holm family over all verdicts of all campaigns given.
Judgement judge(std::span<Campaign const> campaigns);

/// The stop rule's question: half-width of each ratio's 95 % interval as a share of it (infinity under 2 placements).
std::vector<double> relative_half_widths(Campaign const& campaign);

/// Adjusted p values, in the order given (Holm 1979).
std::vector<double> holm(std::span<double const> p);

}  // namespace folioscope
