// SPDX-License-Identifier: Apache-2.0
// What the files of paths/ are written with. Each defines the LinuxPath that its line in catalogue.def names.
#pragma once
#include "linuxmm/path.hpp"

namespace folioscope::linux_path {

#define PATH(name) extern LinuxPath const name;
#include "linuxmm/catalogue.def"
#undef PATH

}  // namespace folioscope::linux_path
