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
folioscope::StoreKind folioscope_stream_store();  // kernels/portable/hwy_stream.cpp

namespace folioscope {
namespace {

enum class Ordering { ordered, weak };

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    auto const end = std::min(text.find(' '), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

#define FOLIOSCOPE_CONTRACT(name, kind, features, granule, store, direction, ordering, linux_use, source) \
  KernelContract {                                                                                        \
    #name, kind, split(features), Bytes(granule), store, direction, (ordering) == weak, linux_use, source \
  }
#define CLEAR(name, ...) Kernel{FOLIOSCOPE_CONTRACT(name, KernelKind::clear, __VA_ARGS__), &folioscope_##name, nullptr},
#define COPY(name, ...) Kernel{FOLIOSCOPE_CONTRACT(name, KernelKind::copy, __VA_ARGS__), nullptr, &folioscope_##name},

std::vector<Kernel> read_catalogues() {
  // The words that the catalogues use.
  using enum StoreKind;
  using enum Direction;
  using enum LinuxUse;
  using enum Ordering;
  auto const stream = folioscope_stream_store();
  auto const stream_ordering = stream == non_temporal ? weak : ordered;
  return {
#include FOLIOSCOPE_CATALOGUE
#include "kernels/portable/catalogue.def"
  };
}

}  // namespace

std::span<Kernel const> kernel_catalogue() {
  static std::vector<Kernel> const kernels = read_catalogues();
  return kernels;
}

Kernel const* find_kernel(std::string_view name) {
  for (auto const& kernel : kernel_catalogue())
    if (kernel.contract.name == name) return &kernel;
  return nullptr;
}

}  // namespace folioscope
