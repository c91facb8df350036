// SPDX-License-Identifier: Apache-2.0
// The group "software": events that Linux counts itself, through perf_event_open, where no PMU is needed.
#pragma once
#include "counters/reader.hpp"

namespace folioscope {

Granted<std::unique_ptr<CounterReader>> open_software_counters();

}  // namespace folioscope
