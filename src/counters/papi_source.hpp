// SPDX-License-Identifier: Apache-2.0
// Events through PAPI by their native names, or by raw code (perf_raw::r...) where a name is not known to the libpfm4
// behind it. Core events of the calling thread and the threads it starts afterwards.
#pragma once
#include "counters/source.hpp"

namespace folioscope {

/// The library is initialised by the first open and shut down with the last source or set that used it.
std::unique_ptr<EventSource> papi_source();

}  // namespace folioscope
