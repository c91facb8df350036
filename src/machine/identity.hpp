// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits (Fowler, Noll and Vo; draft-eastlake-fnv): small, stable over platforms, good enough to tell machines
// apart. It hides nothing: the machine id goes through it so that capsules do not carry it in clear text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace folioscope {

constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

/// 16 hexadecimal digits.
std::string key_of(std::string_view text);

}  // namespace folioscope
