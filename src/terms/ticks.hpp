// SPDX-License-Identifier: Apache-2.0
// The cheapest monotonic counter, ordered against the loads and stores around it. machine/clock says how long a tick
// is.
#pragma once
#include <cstdint>

namespace folioscope {

/// Neither earlier nor later memory operations move across (Intel SDM vol. 2 RDTSC, LFENCE; Arm ARM D12.2 CNTVCT_EL0,
/// ISB).
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  std::uint32_t low, high;
  asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
  return (std::uint64_t{high} << 32) | low;
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value)::"memory");
  return value;
#else
#error "folioscope measures on x86-64 and arm64"
#endif
}

/// All earlier stores are visible to every observer afterwards: what a pass ends with.
inline void full_fence() {
#if defined(__x86_64__)
  asm volatile("mfence" ::: "memory");
#else
  asm volatile("dsb ish" ::: "memory");
#endif
}

/// What weakly ordered stores need before anybody may rely on them (SFENCE; DMB ISHST).
inline void store_fence() {
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#else
  asm volatile("dmb ishst" ::: "memory");
#endif
}

}  // namespace folioscope
