// SPDX-License-Identifier: Apache-2.0
// The machine as its counters see it, for src/counters, which knows no machine.
#pragma once
#include "counters/host.hpp"
#include "machine/machine.hpp"

namespace folioscope {

/// Of the first allowed CPU, which passes run on.
CounterHost counter_host(Machine const& machine);

}  // namespace folioscope
