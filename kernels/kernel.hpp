// SPDX-License-Identifier: Apache-2.0
// The kernels of this architecture: their contracts and functions. Opaque to the optimiser: assembly, or Highway behind
// a function pointer. Adding one is a file in kernels/<isa>/ (or portable/) and a line in that folder's catalogue.def.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "terms/kernel.hpp"

namespace folioscope {

extern "C" {
/// Clears [to, to + n): n and to are multiples of the contract's granule.
typedef void ClearFunction(void* to, std::size_t n);
/// Copies n bytes; the extents do not overlap.
typedef void CopyFunction(void* to, void const* from, std::size_t n);
}

struct Kernel {
  KernelContract contract;
  ClearFunction* clear = nullptr;  ///< null for copy kernels
  CopyFunction* copy = nullptr;    ///< null for clear kernels
};

/// Sorted as in the catalogues: architecture first, portable last.
std::span<Kernel const> kernel_catalogue();
/// nullptr when there is none of that name on this architecture.
Kernel const* find_kernel(std::string_view name);

}  // namespace folioscope
