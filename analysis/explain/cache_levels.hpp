// SPDX-License-Identifier: Apache-2.0
// Levels, sizes and latencies as the latency curves show them, idle and loaded, beside what sysfs and CPUID say.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "terms/latency.hpp"

namespace folioscope {

/// What one source says of a cache's size.
struct ToldSize {
  Bytes size;
  std::string source;  ///< a file, an instruction
  std::string note;    ///< who agrees, who does not
};

struct SeenLevel {
  LatencyLevel seen;
  std::vector<ToldSize> told;  ///< of the cache of that name, the trusted one first; none for memory
};

struct SeenCurve {
  std::size_t campaign = 0;
  bool loaded = false;
  std::string load;  ///< what loads it: "another CPU clears"
  std::vector<SeenLevel> levels;
};
/// A campaign's curves, those that it has; idle first.
std::vector<SeenCurve> seen_curves(Campaign const& campaign, std::size_t index);

struct Explanation;
/// "Caches as seen by latency: L1 1.4 ns up to 22K (sysfs: 32K), ..." a sentence a curve.
std::vector<std::string> cache_sentences(Explanation const& explanation, std::size_t campaign);
Json cache_levels_json(Explanation const& explanation);

}  // namespace folioscope
