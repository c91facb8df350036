// SPDX-License-Identifier: Apache-2.0
// memcpy: the copy that a program gets from libc; like memset, its stores are libc's choice.
#include <cstddef>
#include <cstring>

extern "C" void folioscope_memcpy(void* to, void const* from, std::size_t n) { std::memcpy(to, from, n); }
