// SPDX-License-Identifier: Apache-2.0
// hwy_store: ordinary stores as wide as this CPU's widest vectors, chosen by Highway at run time, one source for every
// ISA.
//
// Assumptions: extents are multiples of 64 and aligned to it, and may be empty; no features beyond the architecture's
// own.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/portable/hwy_store.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace folioscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void hwy_store(void* to, std::size_t n) {
  hn::CappedTag<std::uint8_t, 64> const tag;  // at most the granule, so that no extent has a rest
  auto const zero = hn::Zero(tag);
  auto* const bytes = static_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < n; i += hn::Lanes(tag)) {
    hn::Store(zero, tag, bytes + i);
    asm volatile("" ::: "memory");  // otherwise compilers may see a memset in this loop, and call it
  }
}

}  // namespace folioscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace folioscope {
HWY_EXPORT(hwy_store);
}

extern "C" void folioscope_hwy_store(void* to, std::size_t n) {
  using namespace folioscope;
  HWY_DYNAMIC_DISPATCH(hwy_store)(to, n);
}
#endif
