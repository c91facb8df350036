// SPDX-License-Identifier: Apache-2.0
// What the paths with several tasks share: their cells, bounded by memory, and the times of clear and use apart.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "linuxmm/passes.hpp"
#include "linuxmm/path.hpp"
#include "linuxmm/write_seq.hpp"

namespace folioscope {

struct TaskCells {
  std::string path, kernel;
  Backing backing;
  Bytes folio;
  std::vector<std::uint32_t> tasks;
};
/// --threads, or one and as many as there are CPUs.
std::vector<std::uint32_t> tasks_of(Machine const& machine, LinuxRequest const& request);
/// Adds the write_seq cells of each number of tasks, or refusals where memory or free hugetlb pages do not suffice.
void plan_tasks(Plan& plan, TaskCells const& what, Machine const& machine, LinuxRequest const& request);

struct PhaseTicks {
  std::uint64_t begin = 0, cleared = 0, use = 0, end = 0;
};
/// Where apart: "path.clear" and "path.use", ns of a pass from the first task's start to the last one's end.
std::vector<Point> phase_points(bool apart, std::vector<PhaseTicks> const& phases, PassPlace const& place);

Refusal no_memory(int error);

/// One pass by processes: `map` gives a child its mapping (nullptr: errno tells), cold and given back.
Granted<Passed> process_pass(PassPlace const& place, Bytes folio,
                             std::function<std::byte*(Bytes length, Random& random)> const& map);

}  // namespace folioscope
