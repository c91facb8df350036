// SPDX-License-Identifier: Apache-2.0
// Text for people: made safe for a terminal where it came from files or this machine, and said on stderr.
#pragma once
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace folioscope::cli {

/// Control characters (and with them terminal escapes) become '?'.
inline std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

/// On stderr. What cannot be said there (closed, full, nobody reads) is no reason to end the work.
template <class... T>
void say(fmt::format_string<T...> form, T&&... values) {
  std::fputs(fmt::format(form, std::forward<T>(values)...).c_str(), stderr);
}

}  // namespace folioscope::cli
