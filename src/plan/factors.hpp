// SPDX-License-Identifier: Apache-2.0
// The factors of an experiment and the words for their levels, before a machine gives them sizes. docs/adding.md
// explains the words.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/error.hpp"
#include "terms/units.hpp"

namespace folioscope {

enum class Factor { kernels, orders, runs, calls, targets, states, footprints, backings, fences, threads, prefetches };
inline constexpr std::size_t factor_count = 11;
std::string_view to_string(Factor factor);
std::optional<Factor> parse_factor(std::string_view text);
std::vector<std::string> factor_names();

/// One full cross: the words of each factor, the defaults where a group names none.
struct Group {
  std::array<std::vector<std::string>, factor_count> words;
  std::vector<std::string>& of(Factor factor) { return words[static_cast<std::size_t>(factor)]; }
  std::vector<std::string> const& of(Factor factor) const { return words[static_cast<std::size_t>(factor)]; }
};
Group default_group();

/// Where words stand: a file (exit status 1), or the command line (2).
struct Place {
  std::string where;
  ExitStatus status = ExitStatus::failed;
  [[noreturn]] void fail(std::string what, std::string remedy) const;
  /// "no kernel 'x'; did you mean 'y'?"
  [[noreturn]] void unknown(std::string_view kind, std::string_view word, std::vector<std::string> const& known) const;
};

/// Throws where the word means nothing on any machine.
void check(Factor factor, std::string const& word, Place const& place);

/// "1": folios; "64K": bytes; "2*L3/4": a share of a cache.
struct FootprintWord {
  enum class Kind { folios, bytes, cache } kind = Kind::folios;
  std::uint64_t amount = 1;  ///< folios, bytes, or the cache's level
  std::uint64_t times = 1, over = 1;
};
std::optional<FootprintWord> parse_footprint(std::string_view text);

/// "3", "N/4", "3*N/4", "N-1": a base page of an extent of N.
struct TargetWord {
  std::uint64_t times = 0, over = 1, plus = 0, minus = 0;
  /// nullopt below the first page; the upper end is the order's to check.
  std::optional<std::uint64_t> page(std::uint64_t pages) const;
};
std::optional<TargetWord> parse_target(std::string_view text);

/// "page", "folio" (runs), "stretch" (calls), or bytes.
struct SizeWord {
  enum class Kind { page, whole, bytes } kind = Kind::bytes;
  Bytes bytes;
  Bytes in(Bytes extent, Bytes base_page) const;
};
std::optional<SizeWord> parse_size(Factor factor, std::string_view text);

/// nullopt: no number; 0: "all".
std::optional<std::uint32_t> parse_threads(std::string_view text);

}  // namespace folioscope
