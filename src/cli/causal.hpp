// SPDX-License-Identifier: Apache-2.0
// The causal test of what prefetchers do for an order: short campaigns beside the main one, with one documented
// prefetcher off each and at last all of them. Only where the experiment asks for it and the machine allows it.
#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "machine/changes.hpp"
#include "machine/clock.hpp"
#include "machine/machine.hpp"
#include "machine/prefetchers.hpp"
#include "probe/chain.hpp"
#include "terms/plan.hpp"

namespace folioscope::cli {

/// The switches to try, where the experiment asks for it (option prefetchers = "off one by one"); why there are none is
/// added to the plan's refusals.
std::vector<PrefetcherSwitch> switches_to_try(Plan& plan, Machine const& machine, Changes const& changes);
/// The main plan's cells that say what prefetching does, with a budget of 10 s, marked with what is off.
Plan plan_without(Plan const& main, std::string const& prefetchers);

struct CausalRequest {
  Plan const* plan = nullptr;  ///< the main campaign's
  Machine const* machine = nullptr;
  Clock const* clock = nullptr;
  std::vector<LatencyLevel> levels;
  std::vector<KernelContract> kernels;
  std::string out, command;
  std::atomic<bool> const* stop = nullptr;  ///< asks for an end
};
/// Appends the campaigns to `out`; what could not be switched, or why nothing was. Everything is on again afterwards.
std::vector<Refusal> measure_without_prefetchers(CausalRequest const& request,
                                                 std::vector<PrefetcherSwitch> const& switches, Changes& changes);

}  // namespace folioscope::cli
