// SPDX-License-Identifier: Apache-2.0
// Where trouble ends: one line on stderr and the exit status.
#pragma once
#include <functional>

#include "terms/error.hpp"

namespace folioscope::cli {

/// Runs `work`, flushes stdout, and turns what is thrown into a line and a status.
int ending_here(std::function<ExitStatus()> const& work);

}  // namespace folioscope::cli
