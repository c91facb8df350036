// SPDX-License-Identifier: Apache-2.0
// What one pass gives: raw, with everything needed to judge it later. Ids count from 0 within a campaign.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "terms/json.hpp"
#include "terms/units.hpp"

namespace folioscope {

/// Which run of a cell within its block.
enum class Arm : std::uint8_t {
  first = 0,
  again = 1,
  counted = 2
};  // again: the reference's second run (A/A); counted: a pass with counters

struct Sample {
  std::uint32_t block = 0;
  std::uint32_t cell = 0;
  Arm arm = Arm::first;
  std::uint32_t position = 0;  ///< within the block's random order
  std::uint32_t copies = 1;    ///< disjoint copies cleared in one timed pass
  Nanoseconds wall;            ///< for all copies, all threads: last end - first start
  Nanoseconds user;            ///< CPU time of the pass, where the clock resolves it
  Nanoseconds system;
  Nanoseconds state;  ///< spent making the state before the pass
};

/// One folioscope event's count over one pass.
struct Reading {
  std::uint32_t block = 0;
  std::uint32_t cell = 0;
  std::string group;
  std::string event;
  double value = 0;
  Nanoseconds enabled;
  Nanoseconds running;
  std::string scope;  ///< "user", "kernel", "user+kernel", "socket"
};

struct Placement {
  std::uint32_t id = 0;
  std::optional<double> common_frames;  ///< share of frames common with the last placement, where pagemap is readable
  Json evidence;                        ///< backing verification, state checks
};

struct Block {
  std::uint32_t id = 0;
  std::uint32_t placement = 0;
  double started_s = 0;  ///< since the campaign's start
  Nanoseconds elapsed;
  Nanoseconds clearing;  ///< inside timed passes
  Nanoseconds making_state;
  double add_ns_before = 0;  ///< ns per dependent add: the core clock
  double add_ns_after = 0;
  bool marked = false;  ///< core clock off by more than 5 % of the campaign's median, clock source changed
  double steal_s = 0;   ///< /proc/stat over the block, this machine's allowed CPUs
  std::string note;
};

}  // namespace folioscope
