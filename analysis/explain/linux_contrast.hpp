// SPDX-License-Identifier: Apache-2.0
// Contrasts about the running Linux: what an order costs in a path of its own over what it costs in user space, where
// the same pages are cleared through another mapping and with nothing between them.
#pragma once
#include <span>

#include "explain/mechanisms.hpp"

namespace folioscope {

/// `ratios`: of one machine's campaigns. What no order changes in a fault is taken into account where it is known.
ContrastFinding linux_contrast(Contrast const& contrast, std::span<LinuxRatio const> ratios);

}  // namespace folioscope
