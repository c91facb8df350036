// SPDX-License-Identifier: Apache-2.0
// The memory limit of this process's control group, version 1 or 2: the tightest of the group and its parents.
#pragma once
#include <optional>
#include <string>

#include "machine/files.hpp"
#include "terms/units.hpp"

namespace folioscope {

struct CgroupLimit {
  Bytes limit;
  Bytes headroom;      ///< what can still be taken: the limit less what is used, not counting reclaimable file pages
  std::string source;  ///< the folder whose limit is the tightest
};

/// nullopt when no limit is set or visible.
std::optional<CgroupLimit> read_cgroup_limit(SystemFiles const& files);

}  // namespace folioscope
