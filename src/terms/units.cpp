// SPDX-License-Identifier: Apache-2.0
#include "terms/units.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "terms/fixed.hpp"

namespace folioscope {
namespace {

struct Prefix {
  char letter;
  unsigned shift;
};
constexpr std::array<Prefix, 4> prefixes{{{'T', 40}, {'G', 30}, {'M', 20}, {'K', 10}}};

Prefix exact_prefix(Bytes bytes) {
  for (Prefix p : prefixes)
    if (bytes.value != 0 && (bytes.value & ((std::uint64_t{1} << p.shift) - 1)) == 0) return p;
  return {'\0', 0};
}

}  // namespace

std::optional<Bytes> parse_bytes(std::string_view text) {
  std::uint64_t n = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == " ") return std::nullopt;
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  unsigned shift = 0;
  if (!unit.empty() && unit != "B") {
    char const letter = unit.front() >= 'a' ? static_cast<char>(unit.front() - 'a' + 'A') : unit.front();
    for (Prefix p : prefixes)
      if (p.letter == letter) shift = p.shift;
    if (shift == 0) return std::nullopt;
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "iB") return std::nullopt;
  }
  if (n > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return Bytes(n << shift);
}

std::string format_bytes(Bytes bytes) {
  Prefix const p = exact_prefix(bytes);
  return p.shift == 0 ? fmt::format("{} B", bytes.value) : fmt::format("{} {}iB", bytes.value >> p.shift, p.letter);
}

std::string compact_bytes(Bytes bytes) {
  Prefix const p = exact_prefix(bytes);
  return p.shift == 0 ? fmt::format("{}", bytes.value) : fmt::format("{}{}", bytes.value >> p.shift, p.letter);
}

std::string format_time(Nanoseconds time) {
  struct Unit {
    double ns;
    char const* name;
  };
  constexpr std::array<Unit, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
  double const magnitude = std::fabs(time.value);
  for (Unit u : units) {
    if (!(magnitude >= u.ns) && u.ns != 1) continue;
    double const v = time.value / u.ns;
    double const a = std::fabs(v);
    return fmt::format("{} {}", fixed(v, a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2), u.name);
  }
  return "- ns";  // no number
}

std::optional<Nanoseconds> parse_duration(std::string_view text) {
  double n = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, std::chars_format::fixed);
  if (error != std::errc() || !(n >= 0) || !std::isfinite(n)) return std::nullopt;
  std::string_view const unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double scale = 0;
  if (unit.empty() || unit == "s") scale = 1e9;
  if (unit == "ms") scale = 1e6;
  if (unit == "m" || unit == "min") scale = 60e9;
  if (unit == "h") scale = 3600e9;
  if (scale == 0 || n * scale > 1e18) return std::nullopt;
  return Nanoseconds(n * scale);
}

}  // namespace folioscope
