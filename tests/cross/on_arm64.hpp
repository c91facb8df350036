// SPDX-License-Identifier: Apache-2.0
// What the architecture itself says, for tests to hold the program's words against.
#pragma once
#include <sys/auxv.h>

#include <cstdint>

namespace folioscope {

/// Of the running process; 0 without SVE (HWCAP bit 22).
__attribute__((target("+sve"))) inline std::uint64_t vector_bytes() {
  if ((getauxval(AT_HWCAP) & (1ul << 22)) == 0) return 0;
  std::uint64_t bytes = 0;
  asm volatile("rdvl %0, #1" : "=r"(bytes));
  return bytes;
}

}  // namespace folioscope
