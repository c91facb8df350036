// SPDX-License-Identifier: Apache-2.0
// hwy_stream: Highway's Stream() with this CPU's widest vectors. On SSSE3 and above that is a non-temporal store, on
// SVE a store with the non-temporal hint, on NEON and in Highway's scalar fallback an ordinary one; the contract says
// which it is here.
//
// Assumptions: extents are multiples of 64 and aligned to it, and may be empty; no features beyond the architecture's
// own. No fence: that is a factor of the measurement.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/portable/hwy_stream.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "terms/kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace folioscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void hwy_stream(void* to, std::size_t n) {
  hn::CappedTag<std::uint8_t, 64> const tag;  // at most the granule, so that no extent has a rest
  auto const zero = hn::Zero(tag);
  auto* const bytes = static_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    hn::Stream(zero, tag, bytes + i);
    asm volatile("" ::: "memory");  // otherwise compilers may see a memset in this loop, and call it
  }
}

StoreKind stream_store() {
  if (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128) return StoreKind::plain;
  if (HWY_ARCH_X86 != 0) return StoreKind::non_temporal;
  return (HWY_TARGET & (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)) != 0 ? StoreKind::hint : StoreKind::plain;
}

}  // namespace folioscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace folioscope {
HWY_EXPORT(hwy_stream);
HWY_EXPORT(stream_store);
}  // namespace folioscope

extern "C" void folioscope_hwy_stream(void* to, std::size_t n) {
  using namespace folioscope;
  HWY_DYNAMIC_DISPATCH(hwy_stream)(to, n);
}

/// What Stream() is on the target that Highway chooses here.
folioscope::StoreKind folioscope_stream_store() {
  using namespace folioscope;
  return HWY_DYNAMIC_DISPATCH(stream_store)();
}
#endif
