// SPDX-License-Identifier: Apache-2.0
// Samples random base pages: a chain over some lines of each, in random order. Prefetchers fetch neighbours while a
// chain waits, so lines of a sample are spread over the page and no two pages' lines are mixed; the page's translation
// is brought in by a line that is not counted.
#include <algorithm>
#include <cmath>

#include "backing/state.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::size_t kPages = 96;  ///< of a check: 16 lines each from memory take about 0.2 ms

/// Sixteen lines span over a microsecond of memory, more than enough ticks on x86-64; where a tick is 25 ns or more,
/// whole pages.
std::size_t lines_a_sample(Clock const& clock) { return clock.tick.value >= 25 ? 64 : 16; }

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

/// One line of each of equal strata of the page, in random order; the first of them is the one that is not counted.
std::vector<std::uint32_t> random_lines(std::uint64_t bytes, std::size_t wanted, Random& random) {
  auto const lines = bytes / kLine;
  auto const count = std::min<std::uint64_t>(lines, wanted + 1);
  std::vector<std::uint32_t> offsets;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const from = lines * i / count;
    offsets.push_back(static_cast<std::uint32_t>((from + random.below(lines * (i + 1) / count - from)) * kLine));
  }
  shuffle(offsets, random);
  return offsets;
}

/// Above this a line counts as memory's: half way, in ratio, between the slowest cache and memory.
double memory_from(std::span<LatencyLevel const> levels) {
  return std::sqrt(levels[levels.size() - 2].latency.value * levels.back().latency.value);
}

}  // namespace

StateCheck check_state(State state, std::span<std::byte* const> extents, Bytes length, Bytes base_page,
                       std::span<LatencyLevel const> levels, Clock const& clock, Random& random) {
  StateCheck check;
  if (levels.size() < 2 || extents.empty() || length.value < 2 * kLine) return check;
  auto const largest_cache = levels[levels.size() - 2].up_to;
  check.promised = state != State::hot || length.value * extents.size() <= largest_cache.value;
  auto clock_cost = chase_ticks(extents.front(), {});
  for (int i = 0; i < 15; ++i) clock_cost = std::min(clock_cost, chase_ticks(extents.front(), {}));
  unsigned fitting = 0;
  std::vector<double> latencies;
  for (auto const& page : random_pages(extents, length.value, base_page.value, random)) {
    auto const offsets = random_lines(page.bytes, lines_a_sample(clock), random);
    std::span<std::uint32_t const> const all(offsets);
    chase_ticks(page.begin, all.first(1));
    auto const timed = all.subspan(1);
    auto const spent = chase_ticks(page.begin, timed);
    auto const net = static_cast<double>(spent > clock_cost ? spent - clock_cost : 0) * clock.ns_per_tick;
    latencies.push_back(net / static_cast<double>(timed.size()));
    check.samples += static_cast<unsigned>(timed.size());
    if ((latencies.back() >= memory_from(levels)) == (state != State::hot))
      fitting += static_cast<unsigned>(timed.size());
  }
  check.share = static_cast<double>(fitting) / check.samples;
  auto const middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  check.median_latency = Nanoseconds(*middle);
  return check;
}

}  // namespace folioscope
