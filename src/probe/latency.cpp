// SPDX-License-Identifier: Apache-2.0
// Measures the idle latency curve. Small sets are walked whole, many times; large ones by a random choice of lines out
// of equal strata, so that a point costs the same at 4 KiB and at 1 GiB and the offsets themselves (4 bytes for 64)
// displace little.
#include <algorithm>

#include "probe/chain.hpp"
#include "probe/ground.hpp"
#include "terms/random.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr Bytes kSmallest = 4_KiB;
constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kLoads = 16384;  ///< of a pass over a random choice of lines
/// Of a page while its translation is there. Few, so that a line's neighbour, which a prefetcher may bring along, is
/// seldom among them.
constexpr std::uint64_t kLinesAPage = 8;
constexpr std::uint64_t kPage = 4096, kPagesAtOnce = 32;  ///< fewer than any first-level TLB has entries
constexpr std::uint64_t kTimed =
    2048;  ///< at once: 3 µs from the L1 (70 ticks of 40 ns), 0.3 ms from memory (under a time slice)

std::vector<Bytes> sizes_up_to(Bytes largest) {
  std::vector<Bytes> sizes;
  for (Bytes size = kSmallest; size <= largest; size = size * 2) {
    sizes.push_back(size);
    auto const between = size.value * 181 / 128 / kLine * kLine;  // sqrt 2
    if (Bytes(between) <= largest) sizes.push_back(Bytes(between));
  }
  return sizes;
}

/// One of each of `count` equal strata of [0, all).
std::vector<std::uint64_t> one_of_each(std::uint64_t all, std::uint64_t count, Random& random) {
  std::vector<std::uint64_t> chosen(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const from = all * i / count;
    chosen[i] = from + random.below(all * (i + 1) / count - from);
  }
  return chosen;
}

/// Small sets: every line. Large ones: some lines of some pages, a few pages at a time, so that most loads find their
/// translation. (One line a page cost 366 ns in a virtual machine whose host maps small pages, where memory took 134.)
std::vector<std::uint32_t> random_lines(Bytes set, Random& random) {
  std::vector<std::uint32_t> offsets;
  auto const lines = set.value / kLine;
  offsets.reserve(std::min(lines, kLoads));
  if (lines <= kLoads) {
    for (std::uint64_t line = 0; line < lines; ++line) offsets.push_back(static_cast<std::uint32_t>(line * kLine));
    shuffle(offsets, random);
    return offsets;
  }
  auto const all_pages = set.value / kPage;
  auto pages = one_of_each(all_pages, std::min(all_pages, kLoads / kLinesAPage), random);
  shuffle(pages, random);
  for (std::size_t first = 0; first < pages.size(); first += kPagesAtOnce) {
    std::vector<std::uint32_t> now;
    for (auto page = first; page < std::min<std::size_t>(pages.size(), first + kPagesAtOnce); ++page)
      for (auto const line : one_of_each(kPage / kLine, kLinesAPage, random))
        now.push_back(static_cast<std::uint32_t>(pages[page] * kPage + line * kLine));
    shuffle(now, random);
    offsets.insert(offsets.end(), now.begin(), now.end());
  }
  return offsets;
}

void touch(std::byte* begin, Bytes from, Bytes to) {
  for (auto i = from.value; i < to.value; i += kLine) *reinterpret_cast<std::uint64_t volatile*>(begin + i) = i | 1;
}

/// Every line once: the set is where it can be at all.
void warm(std::byte const* begin, Bytes set) {
  for (std::uint64_t i = 0; i < set.value; i += kLine) {
    auto const value = *reinterpret_cast<std::uint64_t const volatile*>(begin + i);
    static_cast<void>(value);
  }
}

/// The median of short timings: a busy machine that takes the CPU away spoils the few it falls into. (The mean of one
/// long timing under a load of 15 on 2 CPUs said 659 ns for memory of 150 ns.)
Nanoseconds measure_point(Ground const& ground, Bytes set, double ns_per_tick, double budget_ns, Random& random) {
  constexpr std::size_t least = 8;
  constexpr std::size_t most = 512;
  auto const start = ticks();
  warm(ground.begin(), set);
  auto offsets = random_lines(set, random);
  bool const all_lines = offsets.size() == set.value / kLine;
  auto const rounds = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kTimed / offsets.size()));
  chase_ticks(ground.begin(), offsets);  // offsets and translations in place
  std::vector<double> timings;
  auto const enough = [&] {
    auto const spent = static_cast<double>(ticks() - start) * ns_per_tick;
    return timings.size() >= most || (timings.size() >= least && spent > budget_ns);
  };
  while (!enough()) {
    if (!all_lines) offsets = random_lines(set, random);
    std::span<std::uint32_t const> left(offsets);
    while (!left.empty() && !enough()) {
      auto const now = left.first(std::min<std::size_t>(left.size(), kTimed));
      left = left.subspan(now.size());
      auto const spent = chase_ticks(ground.begin(), now, rounds);
      timings.push_back(static_cast<double>(spent) * ns_per_tick / (static_cast<double>(now.size()) * rounds));
    }
  }
  auto const middle = timings.begin() + static_cast<std::ptrdiff_t>(timings.size() / 2);
  std::nth_element(timings.begin(), middle, timings.end());
  return Nanoseconds(*middle);
}

}  // namespace

std::vector<LatencyPoint> idle_latency_curve(LatencyRequest const& request) {
  auto const start = ticks();
  auto const elapsed = [&] { return static_cast<double>(ticks() - start) * request.ns_per_tick; };
  Ground const ground(std::min(request.largest, 4_GiB));
  Random random(request.seed);
  auto const sizes = sizes_up_to(ground.size());
  std::vector<LatencyPoint> curve;
  curve.reserve(sizes.size());
  Bytes touched;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    touch(ground.begin(), touched, sizes[i]);
    touched = sizes[i];
    auto const share = std::max(0.0, request.budget.value - elapsed()) / static_cast<double>(sizes.size() - i);
    curve.push_back({sizes[i], measure_point(ground, sizes[i], request.ns_per_tick, share, random)});
  }
  return curve;
}

}  // namespace folioscope
