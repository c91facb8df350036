// SPDX-License-Identifier: Apache-2.0
// System settings around a sweep: changed only where --allow-system-changes says so, given back whatever happens.
#pragma once
#include <functional>
#include <vector>

#include "machine/changes.hpp"
#include "machine/machine.hpp"
#include "terms/error.hpp"
#include "terms/plan.hpp"

namespace folioscope::cli {

/// Runs `work` under the guardian (or plainly where nothing may be changed), after what an earlier run left changed is
/// restored or named. Returns its status.
ExitStatus with_changes(bool allow, std::function<ExitStatus(Changes&)> const& work);

/// Switches on the mTHP sizes and grows the hugetlb pools that the plan's cells need; what could not be had.
std::vector<Refusal> provide_backings(Plan const& plan, Machine const& machine, Changes& changes);

}  // namespace folioscope::cli
