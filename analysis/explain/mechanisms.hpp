// SPDX-License-Identifier: Apache-2.0
// Which hypotheses a machine's capsules support. Every contrast gives a figure with its 95 % interval: inside what is
// predicted it is evidence, inside what refutes it is evidence against, elsewhere it says nothing. Several hypotheses
// can stand, or none.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/hypothesis.hpp"
#include "explain/linux_ratios.hpp"
#include "record/capsule.hpp"
#include "stats/runs.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

enum class MechanismStatus { supported, contradicted, inconclusive, untested };
std::string to_string(MechanismStatus status);

struct ContrastFinding {
  enum class Outcome { holds, refuted, open, missing } outcome = Outcome::missing;
  std::string what, predicted;  ///< "going down by pages loses", "> 1.1"
  std::string quantity;         ///< "time ÷ time", ...
  std::string source;           ///< timed, counted, probed, Linux
  std::size_t campaign = 0;     ///< index into the explained ones
  std::optional<std::uint32_t> cell, over;
  double value = 0;
  std::optional<Interval> ci;
  std::uint32_t n = 0;  ///< placements
  bool optional = false;
  std::string why;  ///< of what is missing
};

struct Mechanism {
  std::string name, title, claim;
  MechanismStatus status = MechanismStatus::untested;
  std::vector<ContrastFinding> findings;  ///< one a contrast, in the order of the data
  std::string why;                        ///< of what is untested or inconclusive
  std::string experiment;                 ///< to run where cells are missing
  std::vector<std::string> counters;      ///< that would settle it
};

/// One machine instance's campaigns, explained together.
struct MachineMechanisms {
  std::string machine;                 ///< instance key
  std::vector<std::size_t> campaigns;  ///< indices
  std::vector<Mechanism> mechanisms;
};

/// Campaigns of emulators take no part; of Linux's own paths, the ratios of orders beside the sweeps' of their machine.
std::vector<MachineMechanisms> mechanisms(std::span<Campaign const> campaigns, std::span<Runs const> runs,
                                          std::span<LinuxRatio const> linux_ratios = {});

}  // namespace folioscope
