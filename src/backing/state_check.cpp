// SPDX-License-Identifier: Apache-2.0
// Samples random base pages with the residency probe's chain.
#include <algorithm>
#include <cmath>

#include "backing/state.hpp"
#include "probe/residency.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::size_t kPages = 96;  ///< of a check: 16 lines each from memory take about 0.2 ms

struct Page {
  std::byte* begin = nullptr;
  std::uint64_t bytes = 0;
};

std::vector<Page> random_pages(std::span<std::byte* const> extents, std::uint64_t length, std::uint64_t page,
                               Random& random) {
  auto const pages = (length + page - 1) / page;
  auto const total = extents.size() * pages;
  std::vector<Page> sample;
  auto const take = [&](std::uint64_t i) {
    auto const offset = i % pages * page;
    sample.push_back({extents[i / pages] + offset, std::min(page, length - offset)});
  };
  auto const count = std::min<std::uint64_t>(total, kPages);
  for (std::uint64_t i = 0; i < count; ++i) {  // one of each of equal strata: distinct without a list of all
    auto const from = total * i / count;
    take(from + random.below(total * (i + 1) / count - from));
  }
  shuffle(sample, random);
  return sample;
}

/// Half way, in ratio, between the slowest cache and memory.
double half_way(std::span<LatencyLevel const> levels) {
  return std::sqrt(levels[levels.size() - 2].latency.value * levels.back().latency.value);
}

}  // namespace

StateCheck check_state(State state, std::span<std::byte* const> extents, Bytes length, Bytes base_page,
                       std::span<LatencyLevel const> levels, Clock const& clock, Random& random,
                       std::optional<Nanoseconds> memory_from) {
  StateCheck check;
  if (levels.size() < 2 || extents.empty() || length.value < 2 * kLine) return check;
  auto const largest_cache = levels[levels.size() - 2].up_to;
  check.promised = state != State::hot || length.value * extents.size() <= largest_cache.value;
  ProbeClock const probe_clock{clock.ns_per_tick, clock.tick, {}};
  auto const clock_cost = clock_cost_ticks();
  double const far = memory_from ? memory_from->value : half_way(levels);
  unsigned fitting = 0;
  std::vector<double> latencies;
  for (auto const& page : random_pages(extents, length.value, base_page.value, random)) {
    auto const sample = sample_page(page.begin, Bytes(page.bytes), probe_clock, clock_cost, random);
    if (sample.lines == 0) continue;
    latencies.push_back(sample.per_line.value);
    check.samples += sample.lines;
    if ((latencies.back() >= far) == (state != State::hot)) fitting += sample.lines;
  }
  if (latencies.empty()) return check;
  check.share = static_cast<double>(fitting) / check.samples;
  auto const middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  check.median_latency = Nanoseconds(*middle);
  return check;
}

}  // namespace folioscope
