// SPDX-License-Identifier: Apache-2.0
// Work of several processes that start together, each pinned to a CPU: what the original workloads run where they say
// tasks. A process that is killed or fails is a refusal; none outlives this one.
#pragma once
#include <functional>

#include "linuxmm/passes.hpp"

namespace folioscope {

struct ProcessWork {
  /// In the child, before all start together. 0 or an errno.
  std::function<int(std::size_t)> prepare;
  /// Timed, as time_work does it.
  std::function<Worked(std::size_t)> work;
};
Granted<Timed> time_processes(std::span<unsigned const> cpus, Clock const& clock, ProcessWork const& what);

}  // namespace folioscope
