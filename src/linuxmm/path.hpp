// SPDX-License-Identifier: Apache-2.0
// A path of the running Linux that clears pages: one file in paths/ and a line in catalogue.def. It names its cells,
// and makes the subject that measures them; the campaign does the rest.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/campaign.hpp"
#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "terms/latency.hpp"
#include "terms/plan.hpp"

namespace folioscope {

/// What the command line asks of every path.
struct LinuxRequest {
  std::vector<std::uint64_t> indices;  ///< base pages touched first; empty: the path's own
  std::vector<std::uint32_t> threads;  ///< empty: the path's own
  std::optional<Bytes> max_memory;     ///< of all paths together
  std::size_t paths = 1;               ///< that share the memory
  Nanoseconds budget = Plan{}.budget;  ///< longer ones have room for more memory
  bool allow_system_changes = false;   ///< sizes and pools that are off may still be switched on
  std::vector<LatencyLevel> levels;    ///< of the idle latency curve: states are checked by them; empty: unchecked
};

struct LinuxPath {
  std::string_view name = {};     ///< as on the command line: "fault-order"
  std::string_view summary = {};  ///< one line for `list paths`
  std::string_view clears = {};   ///< whose order it is
  /// Adds its cells and refusals; cells are counted from the plan's end.
  void (*plan)(Plan& plan, Machine const& machine, LinuxRequest const& request) = nullptr;
  /// Measures the cells of `part`, a plan that holds this path's cells alone and outlives the subject.
  std::unique_ptr<Subject> (*subject)(Plan const& part, Machine const& machine, Clock const& clock,
                                      LinuxRequest const& request) = nullptr;
};

/// Memory that one path may use: paths hold theirs side by side, and all together stay below --max-memory and below
/// what is available, for a cgroup kills who asks for more than it has.
Bytes room_of(Machine const& machine, LinuxRequest const& request);
/// Pages of a hugetlb pool that one path may use: fault-order and its replica hold the others meanwhile.
inline std::uint64_t usable_of(HugetlbPool const& pool) { return (pool.free + 1) / 2; }

/// A refusal of the path, with the remedy that is left where `why` names none.
Refusal refused_path(std::string subject, Refusal const& why);

std::span<LinuxPath const* const> linux_paths();
/// Throws UsageError with the nearest name.
LinuxPath const& find_linux_path(std::string_view name);

/// The plan of one `linux` invocation and where each path's cells lie in it.
struct LinuxPlan {
  struct Part {
    LinuxPath const* path = nullptr;
    std::size_t first = 0;  ///< cell
    Plan plan;              ///< these cells alone
  };
  Plan plan;
  std::vector<Part> parts;
};
/// A plan that was recorded, to be gone on with: the cells belong to the paths that it names. Throws Error naming
/// `where` for what no path of this build would have planned on this machine.
LinuxPlan resumed_plan(Plan plan, Machine const& machine, std::string_view where);
LinuxPlan plan_linux(std::span<LinuxPath const* const> paths, Machine const& machine, LinuxRequest const& request);

/// The order that this release is thought to clear a huge page in, as `list orders` names it; nullopt when the release
/// cannot be read.
std::optional<std::string> order_expected_of(std::string_view release);

}  // namespace folioscope
