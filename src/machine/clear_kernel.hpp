// SPDX-License-Identifier: Apache-2.0
// Which clear_page Linux's alternatives choose at boot, as the name of the kernel that does the same. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "terms/features.hpp"

namespace folioscope {

struct ChosenKernel {
  std::string name;  ///< empty: unknown
  std::string why;
};

struct LinuxVersion {
  unsigned major = 0, minor = 0;
  friend auto operator<=>(LinuxVersion const&, LinuxVersion const&) = default;
};
/// "6.18.44-fc-v657" is 6.18.
std::optional<LinuxVersion> parse_release(std::string_view release);

/// `features` must be Linux's own view: on x86-64 the flags of /proc/cpuinfo, from which boot parameters can remove
/// some.
ChosenKernel choose_clear_kernel(std::string_view architecture, Features const& features,
                                 std::optional<LinuxVersion> release);

}  // namespace folioscope
