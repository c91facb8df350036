// SPDX-License-Identifier: Apache-2.0
// Text that came from files or this machine, made safe for a terminal.
#pragma once
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

}  // namespace folioscope::cli
