// SPDX-License-Identifier: Apache-2.0
// The options that Linux was built with, where the distribution leaves them readable.
#pragma once
#include <string>
#include <string_view>

#include "machine/files.hpp"

namespace folioscope {

struct BuildConfig {
  std::string text;
  std::string source;  ///< the file
  bool known() const { return !text.empty(); }
  bool says_yes(std::string_view option) const;
};

/// /proc/config.gz (where this program was built with zlib), /boot/config-RELEASE or the modules' folder.
BuildConfig read_build_config(SystemFiles const& files, std::string const& release);

/// gzip text, at most `limit` bytes of it; empty for what is not gzip or without zlib.
std::string gunzip(std::string const& compressed, std::size_t limit);

}  // namespace folioscope
