// SPDX-License-Identifier: Apache-2.0
// Quantities with their unit in the type, so that bytes never meet pages and nanoseconds never meet ticks by accident.
// parse_bytes and format_bytes use binary prefixes only: 4K, 4KiB and 4096 are the same.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace folioscope {

template <class Tag, class Rep>
struct Quantity {
  Rep value{};
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep v) : value(v) {}
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
  friend constexpr Quantity operator*(Quantity a, Rep n) { return Quantity(a.value * n); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Bytes = Quantity<struct BytesTag, std::uint64_t>;
using Pages = Quantity<struct PagesTag, std::uint64_t>;  ///< base pages
using Lines = Quantity<struct LinesTag, std::uint64_t>;  ///< cache lines
using Cycles = Quantity<struct CyclesTag, double>;       ///< core clock cycles
using Nanoseconds = Quantity<struct NanosecondsTag, double>;

constexpr Bytes operator""_B(unsigned long long n) { return Bytes(n); }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes(n << 10); }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes(n << 20); }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes(n << 30); }

/// "64", "4K", "4KiB", "2M", "1G"; nullopt for anything else (signs, fractions, overflow, decimal prefixes).
std::optional<Bytes> parse_bytes(std::string_view text);
/// The shortest exact form: "64 B", "4 KiB", "2 MiB". Not exact multiples stay in the largest exact unit.
std::string format_bytes(Bytes bytes);
/// The form without space or iB that factors and file names use: "64", "4K", "2M", "1G".
std::string compact_bytes(Bytes bytes);
/// "1.23 µs", "58.1 ms": three significant digits.
std::string format_time(Nanoseconds time);
/// "60s", "10m", "500ms", "1h", plain seconds "60"; nullopt otherwise.
std::optional<Nanoseconds> parse_duration(std::string_view text);

}  // namespace folioscope
