// SPDX-License-Identifier: Apache-2.0
// The calls lie in an array of 8 bytes a call, the same for every folio. It is read once, forwards, whatever the order:
// the prefetcher of any core follows it, it was read just before the state was made, and the sequential reference with
// the same call size reads as much. At base-page calls it is 4 KiB beside 2 MiB of stores; at 64-byte calls 256 KiB, an
// eighth of the lines' own traffic, from L2: figures at such calls hold this and the call itself, which the empty
// kernel 'nothing' shows.
#include "measure/walk.hpp"

#include "terms/ticks.hpp"

namespace folioscope {
namespace {

inline void prefetch_for_writing(std::byte const* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" ::"m"(*line));  // a NOP where the CPU has none (Intel SDM vol. 2, AMD APM vol. 3)
#else
  asm volatile("prfm pstl1keep, %0" ::"Q"(*line));
#endif
}

// Four functions rather than four branches a call: the plain loop costs nothing for what it does not do.
template <bool fence_each_call, bool prefetch>
[[gnu::noinline]] Ticks timed(Walk const& what) {
  ClearFunction* const clear = what.clear;
  Call const* const first = what.calls.data();
  Call const* const last = first + what.calls.size();
  Ticks ticks_seen;
  ticks_seen.start = ticks();
  for (std::byte* const folio : what.folios) {
    [[maybe_unused]] std::uint32_t const* ahead = what.prefetches.data();
    for (Call const* call = first; call != last; ++call) {
      if constexpr (prefetch) {
        std::uint32_t const* const end = ahead + 1 + *ahead;
        for (++ahead; ahead != end; ++ahead) prefetch_for_writing(folio + *ahead);
      }
      clear(folio + call->offset, call->length);
      if constexpr (fence_each_call) store_fence();
    }
  }
  full_fence();
  ticks_seen.end = ticks();
  return ticks_seen;
}

}  // namespace

Ticks walk(Walk const& what) {
  bool const prefetch = !what.prefetches.empty();
  if (what.fence_each_call) return prefetch ? timed<true, true>(what) : timed<true, false>(what);
  return prefetch ? timed<false, true>(what) : timed<false, false>(what);
}

}  // namespace folioscope
