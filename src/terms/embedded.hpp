// SPDX-License-Identifier: Apache-2.0
// Data files built into the program by cmake/embed.cmake, each set declared where it is used.
#pragma once
#include <span>
#include <string_view>

namespace folioscope {
struct EmbeddedFile {
  std::string_view name;  ///< path relative to the folder that embeds it
  std::string_view bytes;
};
}  // namespace folioscope
