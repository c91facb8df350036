// SPDX-License-Identifier: Apache-2.0
// memset: what a program gets from libc. Which stores those are depends on libc, CPU, size and glibc's tunables, which
// the machine's facts record.
#include <cstddef>
#include <cstring>

extern "C" void folioscope_memset(void* to, std::size_t n) { std::memset(to, 0, n); }
