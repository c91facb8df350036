// SPDX-License-Identifier: Apache-2.0
// Pushing out is done by reading other memory twice: once leaves some lines behind in caches that replace at random.
#include "probe/made.hpp"

#include <algorithm>

#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t made_line = 64;
constexpr std::size_t few_pages = 4, many_pages = 64;
constexpr Bytes most_ground = 128_MiB;

/// How many pages are made at once: many where pushing takes long, and then they are few beside what is pushed with.
std::size_t pages_at_once(std::size_t level, Bytes pushing, Bytes page) {
  if (level == 0) return 1;
  return pushing >= page * (16 * many_pages) ? many_pages : few_pages;
}

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

Bytes pushing_to_memory(LatencyLevel const& last_cache) { return std::min(most_ground, last_cache.up_to * 3); }

Bytes others_needed(std::vector<LatencyLevel> const& levels) {
  Bytes most = 4_KiB;
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (Bytes const bytes : pushing_sizes(levels, i)) most = std::max(most, bytes);
  return most;
}

}  // namespace

std::vector<Bytes> pushing_sizes(std::vector<LatencyLevel> const& levels, std::size_t level) {
  if (level == 0 || level >= levels.size()) return {0_B};
  if (level + 1 == levels.size()) return {flushes ? 0_B : pushing_to_memory(levels[level - 1])};
  // A plateau ends where the cache no longer holds all for sure, and noise makes it end earlier: the nearer cache may
  // hold twice what was seen, and this one may not hold what was seen of it a moment ago.
  std::vector<Bytes> sizes;
  for (unsigned const percent : {150, 120, 100, 85, 70, 50, 35})
    if (Bytes const size(levels[level].up_to.value * percent / 100 / made_line * made_line);
        size.value * 2 > levels[level - 1].up_to.value * 3 && size <= most_ground)
      sizes.push_back(size);
  if (sizes.empty()) sizes.push_back(std::min(levels[level].up_to, most_ground));
  return sizes;
}

MadeStates::MadeStates(Request request)
    : request_(std::move(request)), pages_(request_.page * 256), others_(others_needed(request_.levels)) {
  for (std::size_t i = request_.pushing.size(); i < request_.levels.size(); ++i)
    request_.pushing.push_back(pushing_sizes(request_.levels, i).front());
  for (std::uint64_t i = 0; i < pages_.size().value; i += request_.page.value)
    write_page(pages_.begin() + i, request_.page, i);
  for (std::uint64_t i = 0; i < others_.size().value; i += 4096) others_.begin()[i] = std::byte{1};
}

std::vector<std::byte const*> MadeStates::make(std::size_t level, Random& random) {
  auto const& levels = request_.levels;
  std::size_t const all = pages_.size() / request_.page;
  bool const memory = level + 1 == levels.size();
  Bytes const pushing = std::min(others_.size(), request_.pushing[level]);
  std::size_t const count = std::min(all, pages_at_once(level, pushing, request_.page));
  std::vector<std::byte const*> made;
  for (std::size_t i = 0; i < count; ++i) {  // one of each of equal strata: distinct
    auto const from = all * i / count;
    auto* page = pages_.begin() + (from + random.below(all * (i + 1) / count - from)) * request_.page.value;
    write_page(page, request_.page, random());
    made.push_back(page);
  }
  if (memory && flushes) {
    for (auto const* page : made) flush_page(page, request_.page);
  } else if (level > 0) {
    for (int twice = 0; twice < 2; ++twice) read_all(others_.begin(), pushing);
  }
  full_fence();
  return made;
}

}  // namespace folioscope
