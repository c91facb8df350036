// SPDX-License-Identifier: Apache-2.0
// Pushing out is done by reading other memory twice: once leaves some lines behind in caches that replace at random.
#include "probe/made.hpp"

#include <algorithm>
#include <cmath>

#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t made_line = 64;
constexpr std::size_t pages_at_once = 4;
constexpr Bytes most_ground = 256_MiB;

void write_page(std::byte* page, Bytes bytes, std::uint64_t value) {
  for (std::uint64_t i = 0; i < bytes.value; i += made_line)
    *reinterpret_cast<std::uint64_t volatile*>(page + i) = value + i;
}

void read_all(std::byte const* from, Bytes bytes) {
  for (std::uint64_t i = 0; i < bytes.value; i += made_line) {
    auto const value = *reinterpret_cast<std::uint64_t const volatile*>(from + i);
    static_cast<void>(value);
  }
}

#if defined(__x86_64__)
constexpr bool flushes = true;  // CLFLUSH is open to every program (Intel SDM vol. 2, AMD APM vol. 3)
void flush_page(std::byte const* page, Bytes bytes) {
  for (std::uint64_t i = 0; i < bytes.value; i += made_line) asm volatile("clflush %0" ::"m"(page[i]) : "memory");
  full_fence();
}
#else
constexpr bool flushes = false;  // DC CIVAC may be closed to programs (SCTLR_EL1.UCI): caches are overrun instead
void flush_page(std::byte const*, Bytes) {}
#endif

/// What pushes lines out of the level before and not out of this one: much more than the nearer one holds, for its size
/// as seen is what it holds for sure (noise makes a curve leave its plateau early), and well under what this one does.
Bytes pushing(LatencyLevel const& nearer, LatencyLevel const& level) {
  double const bytes =
      std::min(0.7 * static_cast<double>(level.up_to.value), 8.0 * static_cast<double>(nearer.up_to.value));
  return Bytes(static_cast<std::uint64_t>(bytes) / made_line * made_line);
}

Bytes pushing_to_memory(LatencyLevel const& last_cache) { return std::min(most_ground, last_cache.up_to * 3); }

Bytes others_needed(std::vector<LatencyLevel> const& levels) {
  if (levels.size() < 2) return 4_KiB;
  Bytes most = 4_KiB;
  for (std::size_t i = 1; i + 1 < levels.size(); ++i) most = std::max(most, pushing(levels[i - 1], levels[i]));
  return flushes ? most : std::max(most, pushing_to_memory(levels[levels.size() - 2]));
}

}  // namespace

MadeStates::MadeStates(Request request)
    : request_(std::move(request)), pages_(request_.page * 256), others_(others_needed(request_.levels)) {
  for (std::uint64_t i = 0; i < pages_.size().value; i += request_.page.value)
    write_page(pages_.begin() + i, request_.page, i);
  for (std::uint64_t i = 0; i < others_.size().value; i += 4096) others_.begin()[i] = std::byte{1};
}

std::vector<std::byte const*> MadeStates::make(std::size_t level, Random& random) {
  auto const& levels = request_.levels;
  std::size_t const all = pages_.size() / request_.page;
  std::size_t const count = std::min(all, level == 0 ? 1 : pages_at_once);
  std::vector<std::byte const*> made;
  for (std::size_t i = 0; i < count; ++i) {  // one of each of equal strata: distinct
    auto const from = all * i / count;
    auto* page = pages_.begin() + (from + random.below(all * (i + 1) / count - from)) * request_.page.value;
    write_page(page, request_.page, random());
    made.push_back(page);
  }
  bool const memory = level + 1 == levels.size();
  if (memory && flushes) {
    for (auto const* page : made) flush_page(page, request_.page);
  } else if (level > 0) {
    Bytes const bytes = std::min(
        others_.size(), memory ? pushing_to_memory(levels[level - 1]) : pushing(levels[level - 1], levels[level]));
    for (int twice = 0; twice < 2; ++twice) read_all(others_.begin(), bytes);
  }
  full_fence();
  return made;
}

}  // namespace folioscope
