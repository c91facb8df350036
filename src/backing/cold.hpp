// SPDX-License-Identifier: Apache-2.0
// Stores that leave nothing in this core's caches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace folioscope::backing {

/// Why such stores cannot be made by this process; nullopt when they can. Tried where only trying tells.
std::optional<std::string> why_no_cold_stores();
/// Fills [to, to + length), both multiples of 64, with the pattern. finish_cold_stores() after the last one.
void store_cold(std::byte* to, std::uint64_t length, std::uint64_t pattern);
void finish_cold_stores();

}  // namespace folioscope::backing
