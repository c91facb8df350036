// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets promise: input is either taken or refused with one Error of one line. Any other exception ends
// the process, and so does a broken promise.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "terms/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace folioscope::fuzz {

inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}

inline void require(bool kept, std::string_view promise) {
  if (kept) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

/// Whether `body` took its input.
template <class F>
bool taken(F&& body) {
  try {
    body();
    return true;
  } catch (Error const& error) {
    std::string_view const line = error.what();
    require(!line.empty() && line.find('\n') == std::string_view::npos, "an error is one line");
    return false;
  }
}

}  // namespace folioscope::fuzz
