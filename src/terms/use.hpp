// SPDX-License-Identifier: Apache-2.0
// What is done with memory after it was cleared, as the capsule and the command line name it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace folioscope {

/// Which lines of the folio are used, in which order. `fraction` of the folio, from the pattern's first line on.
enum class Pattern {
  target,       ///< the target's base page alone
  ascending,    ///< from the folio's start
  from_target,  ///< ascending from the target's base page, round the folio's end
  descending,   ///< from the folio's end
  random        ///< lines in random order, all over the folio
};
enum class Access { read, modify };  ///< 8 bytes of each line; modify: read, add, write

struct Use {
  Pattern pattern = Pattern::ascending;
  double fraction = 1;  ///< of the folio, in (0, 1]; of `target` the share that a base page is
  Access access = Access::modify;
  bool corunner = false;                ///< another CPU presses on the shared cache meanwhile
  std::optional<std::uint64_t> target;  ///< base page; for the patterns that have one
  friend auto operator<=>(Use const&, Use const&) = default;
};

std::string to_string(Pattern pattern);
std::string to_string(Access access);
std::optional<Pattern> parse_pattern(std::string_view text);
std::optional<Access> parse_access(std::string_view text);
bool has_target(Pattern pattern);

/// All but the fraction, as points of a capsule name it: "from_target modify corunner 128", "ascending read alone".
std::string label_of(Use const& use);
std::optional<Use> use_of(std::string_view label, double fraction);

}  // namespace folioscope
