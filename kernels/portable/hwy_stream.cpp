// SPDX-License-Identifier: Apache-2.0
// hwy_stream: Highway's Stream() with this CPU's widest vectors. On SSSE3 and above that is a non-temporal store; on
// NEON, SVE and Highway's scalar fallback it is an ordinary one, and the contract says which it is here.
//
// Assumptions: extents are multiples of 64 and aligned to it, and may be empty; no features beyond the architecture's
// own. No fence: that is a factor of the measurement.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/portable/hwy_stream.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

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

bool stream_bypasses() { return HWY_ARCH_X86 != 0 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128; }

}  // namespace folioscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace folioscope {
HWY_EXPORT(hwy_stream);
HWY_EXPORT(stream_bypasses);
}  // namespace folioscope

extern "C" void folioscope_hwy_stream(void* to, std::size_t n) {
  using namespace folioscope;
  HWY_DYNAMIC_DISPATCH(hwy_stream)(to, n);
}

/// Does the target that Highway chooses here have a non-temporal Stream()?
extern "C" bool folioscope_stream_bypasses() {
  using namespace folioscope;
  return HWY_DYNAMIC_DISPATCH(stream_bypasses)();
}
#endif
