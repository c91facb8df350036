// SPDX-License-Identifier: Apache-2.0
#include "cli/causal.hpp"

#include <algorithm>

#include "campaign/sweep.hpp"

namespace folioscope::cli {
namespace {

constexpr Nanoseconds budget_each{10e9};

bool is_telling(Plan const& plan, Cell const& c) {
  bool const order = c.order == "sequential" || c.order == "reverse" || c.order == "random" || c.order == "gapped@2" ||
                     c.order == "streams@2" || c.order == "target_last";
  bool const small = c.footprint == plan.folio && c.threads == 1 && c.state == State::cold && c.prefetch.value == 0;
  bool const pages = c.call == plan.base_page && (!c.run || *c.run == plan.base_page || *c.run == plan.base_page * 16);
  return order && small && pages && c.backing.kind == BackingKind::thp && c.fence != Fence::call;
}

bool run_one(CausalRequest const& r, std::string const& name, std::atomic<bool> const& stop) {
  Plan const plan = plan_without(*r.plan, name);
  SweepOptions options;
  options.levels = r.levels;
  SweepSubject subject(plan, *r.machine, *r.clock, options);
  if (subject.measurable() == 0) return true;
  CapsuleWriter writer = CapsuleWriter::open(r.out, r.machine->instance_key);
  CampaignHeader header;
  header.command = r.command;
  header.version = FOLIOSCOPE_VERSION;
  writer.begin(header, r.machine->facts, plan, r.kernels, Json());
  RunRequest request;
  request.plan = &plan;
  request.subject = &subject;
  request.writer = &writer;
  request.stop = &stop;
  return !run_campaign(request).interrupted;
}

}  // namespace

std::vector<PrefetcherSwitch> switches_to_try(Plan& plan, Machine const& machine, Changes const& changes) {
  auto const option = plan.options.find("prefetchers");
  if (option == plan.options.end() || option->second != "off one by one") return {};
  auto const known = prefetcher_switches(machine);
  if (known && changes.allowed()) return *known;
  plan.refusals.push_back(known ? Refusal{"prefetchers off", "system settings are not changed without the user's word",
                                          "add --allow-system-changes"}
                                : known.refusal());
  return {};
}

Plan plan_without(Plan const& main, std::string const& prefetchers) {
  Plan plan = main;
  plan.experiment = main.experiment + ", prefetchers off: " + prefetchers;
  plan.budget = budget_each;
  plan.options["prefetchers_off"] = prefetchers;
  plan.refusals.clear();
  std::erase_if(plan.cells, [&](PlannedCell const& p) { return !is_telling(main, p.cell); });
  return plan;
}

std::vector<Refusal> measure_without_prefetchers(CausalRequest const& r, std::vector<PrefetcherSwitch> const& switches,
                                                 Changes& changes) {
  std::vector<Refusal> refusals;
  // Off, measured, on again: one by one, then all of them.
  auto const with_off = [&](std::vector<PrefetcherSwitch> const& off, std::string const& name) {
    auto troubles = turn_off(off, *r.machine, changes);
    bool const go_on = !troubles.empty() || run_one(r, name, *r.stop);
    auto const back = turn_on(off, *r.machine, changes);
    troubles.insert(troubles.end(), back.begin(), back.end());
    refusals.insert(refusals.end(), troubles.begin(), troubles.end());
    return go_on && back.empty();
  };
  for (PrefetcherSwitch const& s : switches)
    if (!with_off({s}, std::string(s.name))) return refusals;
  with_off(switches, "all");
  return refusals;
}

}  // namespace folioscope::cli
