// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.hpp"

#include <algorithm>
#include <string>
#include <vector>

// Each catalogue is read twice: for the declarations, and for the table.
#if defined(__x86_64__)
#define FOLIOSCOPE_CATALOGUE "kernels/x86_64/catalogue.def"
#elif defined(__aarch64__)
#define FOLIOSCOPE_CATALOGUE "kernels/aarch64/catalogue.def"
#else
#error "folioscope measures on x86-64 and arm64"
#endif

extern "C" {
#define CLEAR(name, ...) folioscope::ClearFunction folioscope_##name;
#define COPY(name, ...) folioscope::CopyFunction folioscope_##name;
#include FOLIOSCOPE_CATALOGUE
#include "kernels/portable/catalogue.def"
#undef CLEAR
#undef COPY
}

namespace folioscope {
namespace {

// The words of the catalogues; those that are enumerators already need none.
namespace words {
using enum StoreKind;
using enum Direction;
using enum LinuxUse;
enum Ordering { ordered = 0, weak = 1 };
// Highway's Stream() is a real non-temporal store on x86-64, and an ordinary one on NEON and SVE.
#if defined(__x86_64__)
constexpr StoreKind stream = non_temporal;
constexpr Ordering stream_ordering = weak;
#else
constexpr StoreKind stream = plain;
constexpr Ordering stream_ordering = ordered;
#endif
}  // namespace words

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    auto const end = std::min(text.find(' '), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

#define FOLIOSCOPE_CONTRACT(name, kind, features, granule, store, direction, ordering, linux_use, source)         \
  KernelContract {                                                                                                \
    #name, kind, split(features), Bytes(granule), words::store, words::direction, words::ordering == words::weak, \
        words::linux_use, source                                                                                  \
  }
#define CLEAR(name, ...) Kernel{FOLIOSCOPE_CONTRACT(name, KernelKind::clear, __VA_ARGS__), &folioscope_##name, nullptr},
#define COPY(name, ...) Kernel{FOLIOSCOPE_CONTRACT(name, KernelKind::copy, __VA_ARGS__), nullptr, &folioscope_##name},

}  // namespace

std::span<Kernel const> kernel_catalogue() {
  static Kernel const kernels[] = {
#include FOLIOSCOPE_CATALOGUE
#include "kernels/portable/catalogue.def"
  };
  return kernels;
}

Kernel const* find_kernel(std::string_view name) {
  for (auto const& kernel : kernel_catalogue())
    if (kernel.contract.name == name) return &kernel;
  return nullptr;
}

}  // namespace folioscope
