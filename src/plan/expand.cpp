// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "plan/choice.hpp"
#include "plan/definition.hpp"
#include "plan/experiment.hpp"
#include "plan/memory.hpp"
#include "plan/visit_table.hpp"

namespace folioscope {
namespace {

constexpr std::size_t most_cells = 100000;

struct Candidate {
  Cell cell;
  VisitTable::Id visits = 0;
};

class Expansion {
 public:
  Expansion(Definition const& definition, Overrides const& overrides, Machine const& machine, std::uint64_t seed,
            Asker asker)
      : definition_(definition),
        asker_(std::move(asker)),
        machine_(machine),
        may_switch_(overrides.allow_system_changes),
        memory_(machine, overrides.max_memory, overrides.allow_system_changes),
        visits_(machine.base_page, seed, overrides.order_files) {}

  void run() {
    for (Group const& group : definition_.groups) cross(group);
    visits_.check_files(folio_for({}, machine_));
    fit_memory();
    add_references();
    // References come first, so that an order with the same visits is known by their name.
    for (Cell const& cell : references_) keep({cell, sequential_in(extent_of(cell))});
    for (Candidate const& candidate : candidates_) keep(candidate);
  }

  std::vector<PlannedCell> cells;
  std::vector<Refusal> refusals;
  std::vector<std::string> merged;  ///< cells whose order visits as another one does

 private:
  Definition const& definition_;
  Asker asker_;
  Machine const& machine_;
  bool may_switch_;  ///< system settings, for backings that are off
  MemoryBound memory_;
  VisitTable visits_;
  std::vector<Candidate> candidates_;
  std::set<Cell> asked_;
  std::set<Cell> references_;
  using Sameness =
      std::tuple<std::string, VisitTable::Id, Bytes, Bytes, State, Backing, Bytes, std::uint32_t, std::optional<Fence>>;
  std::map<Sameness, std::size_t> kept_;
  std::uint64_t stretches_ = 0;
  std::set<std::string> refused_;

  void refuse_cell(Refusal refusal) {
    if (refused_.insert(refusal.subject + '\n' + refusal.reason).second) refusals.push_back(std::move(refusal));
  }

  template <class T>
  std::vector<T> granted(std::vector<Granted<T>> const& choices) {
    std::vector<T> values;
    for (auto const& choice : choices) {
      if (!choice)
        refuse_cell(choice.refusal());
      else if (std::find(values.begin(), values.end(), *choice) == values.end())
        values.push_back(*choice);
    }
    return values;
  }

  template <class Choose>
  auto chosen(Group const& group, Factor factor, Choose choose) {
    decltype(choose(std::string())) all;
    for (std::string const& word : group.of(factor)) {
      auto some = choose(word);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  Bytes extent_of(Cell const& cell) const { return std::min(cell.footprint, folio_for(cell.backing, machine_)); }
  VisitTable::Id sequential_in(Bytes extent) { return *visits_.find({{"sequential", {}}, extent, {}, {}}); }

  void cross(Group const& group) {
    auto const kernels =
        granted(chosen(group, Factor::kernels, [&](auto const& w) { return choose_kernels(w, machine_); }));
    auto const backings = granted(
        chosen(group, Factor::backings, [&](auto const& w) { return choose_backings(w, machine_, may_switch_); }));
    for (Backing const& backing : backings) {
      auto const footprints = granted(chosen(
          group, Factor::footprints, [&](auto const& w) { return std::vector{footprint_for(w, backing, machine_)}; }));
      for (Bytes footprint : footprints)
        for (std::uint32_t threads : threads_of(group)) {
          Demand const demand{backing, footprint, threads};
          if (auto refusal = memory_.refuse(demand))
            refuse_cell(*refusal);
          else
            cross_orders(group, kernels, demand);
        }
    }
  }

  std::vector<std::uint32_t> threads_of(Group const& group) {
    return granted(chosen(group, Factor::threads, [&](std::string const& word) -> std::vector<Granted<std::uint32_t>> {
      auto const cpus = static_cast<std::uint32_t>(machine_.allowed_cpus.size());
      std::uint32_t const threads = *parse_threads(word) == 0 ? std::max(1u, cpus) : *parse_threads(word);
      if (threads <= std::max(1u, cpus)) return {threads};
      return {Refusal{fmt::format("{} threads", threads),
                      fmt::format("only {} {} allowed", cpus, cpus == 1 ? "CPU is" : "CPUs are"),
                      "a thread needs a CPU of its own"}};
    }));
  }

  void cross_orders(Group const& group, std::vector<KernelContract const*> const& kernels, Demand const& demand) {
    Bytes const extent = std::min(demand.footprint, folio_for(demand.backing, machine_));
    for (std::string const& text : chosen(group, Factor::orders, choose_orders)) {
      OrderName const name = *parse_order(text);
      bool const permutes = name.base != "sequential" && !is_file(name);
      bool const aims = permutes && find_order(name.base)->has_target;
      for (std::string const& run_word : permutes ? group.of(Factor::runs) : std::vector<std::string>{"page"})
        for (std::string const& target_word : aims ? group.of(Factor::targets) : std::vector<std::string>{"0"}) {
          VisitTable::Key key{name, extent, {}, {}};
          if (permutes) key.run = parse_size(Factor::runs, run_word)->in(extent, machine_.base_page);
          if (aims) key.target = parse_target(target_word)->page(extent / machine_.base_page);
          if (aims && !key.target)
            refuse_cell({"target " + target_word,
                         fmt::format("lies before the first base page of {}", format_bytes(extent)), ""});
          else
            cross_calls(group, kernels, demand, key);
        }
    }
  }

  void cross_calls(Group const& group, std::vector<KernelContract const*> const& kernels, Demand const& demand,
                   VisitTable::Key const& key) {
    auto const id = visits_.find(key);
    if (!id) return refuse_cell(id.refusal());
    Cell cell;
    cell.order = to_string(key.order);
    cell.run = is_file(key.order) ? std::optional(visits_.run_of(key)) : key.run;
    cell.target = key.target;
    cell.backing = demand.backing;
    cell.footprint = demand.footprint;
    cell.threads = demand.threads;
    for (std::string const& call_word : group.of(Factor::calls))
      for (std::string const& prefetch_word : group.of(Factor::prefetches)) {
        cell.call = std::min(parse_size(Factor::calls, call_word)->in(key.extent, machine_.base_page), key.extent);
        // Where no two runs merge, no call is longer than a run.
        if (cell.run && visits_.longest(*id) == *cell.run) cell.call = std::min(cell.call, *cell.run);
        cell.prefetch = parse_size(Factor::prefetches, prefetch_word)->in(key.extent, machine_.base_page);
        if (cell.prefetch.value != 0 && cell.prefetch >= key.extent)
          refuse_cell({"prefetch " + prefetch_word,
                       fmt::format("reaches past the {} that an order covers", format_bytes(key.extent)), ""});
        else
          cross_kernels(group, kernels, {cell, *id});
      }
  }

  void cross_kernels(Group const& group, std::vector<KernelContract const*> const& kernels, Candidate candidate) {
    for (KernelContract const* kernel : kernels) {
      candidate.cell.kernel = kernel->name;
      if (auto const misfit = refuse_granule(*kernel, candidate.cell)) {
        refuse_cell(*misfit);
        continue;
      }
      for (std::string const& state : group.of(Factor::states))
        for (std::string const& fence :
             kernel->weakly_ordered ? group.of(Factor::fences) : std::vector<std::string>{""}) {
          candidate.cell.state = *parse_state(state);
          candidate.cell.fence = parse_fence(fence);
          if (!asked_.insert(candidate.cell).second) continue;
          if (asked_.size() > most_cells) throw too_large(fmt::format("more than {} cells", most_cells));
          candidates_.push_back(candidate);
        }
    }
  }

  std::optional<Refusal> refuse_granule(KernelContract const& kernel, Cell const& cell) const {
    Bytes const granule = granule_of(kernel, machine_.features);
    for (auto const& [what, size] : {std::pair("a run", cell.run.value_or(cell.call)), std::pair("a call", cell.call),
                                     std::pair("the footprint", cell.footprint)})
      if (size.value % granule.value != 0)
        return Refusal{kernel.name,
                       fmt::format("clears {} at a time, which does not divide {} of {}", format_bytes(granule), what,
                                   format_bytes(size)),
                       ""};
    return std::nullopt;
  }

  Error too_large(std::string what) const {
    return Error(std::move(what), asker_.where, "give fewer levels", asker_.status);
  }

  void fit_memory() {
    std::set<Demand> demands;
    auto const demand_of = [](Cell const& c) { return Demand{c.backing, c.footprint, c.threads}; };
    for (Candidate const& c : candidates_) demands.insert(demand_of(c.cell));
    std::set<Demand> given_up;
    for (auto& [demand, refusal] : memory_.give_up({demands.begin(), demands.end()})) {
      given_up.insert(demand);
      refuse_cell(std::move(refusal));
    }
    std::erase_if(candidates_, [&](Candidate const& c) { return given_up.contains(demand_of(c.cell)); });
  }

  /// What orders are compared with, and in each stratum the baseline of kernels and calls: sequential, base-page calls,
  /// Linux's kernel.
  void add_references() {
    auto const of_linux = choose_kernels("linux", machine_).front();
    if (!of_linux) refuse_cell(of_linux.refusal());
    for (Candidate const& candidate : candidates_) {
      references_.insert(reference_of(candidate.cell));
      if (!of_linux) continue;
      Cell baseline = reference_of(candidate.cell);
      baseline.kernel = (*of_linux)->name;
      baseline.call = std::min(machine_.base_page, extent_of(baseline));
      baseline.fence = (*of_linux)->weakly_ordered ? std::optional(Fence::pass) : std::nullopt;
      references_.insert(baseline);
    }
  }

  void keep(Candidate const& candidate) {
    Cell const& c = candidate.cell;
    Bytes const effective_call = std::min(c.call, visits_.longest(candidate.visits));
    Sameness const key{c.kernel,  candidate.visits, effective_call, c.prefetch, c.state,
                       c.backing, c.footprint,      c.threads,      c.fence};
    auto const [it, is_new] = kept_.try_emplace(key, cells.size());
    if (!is_new) {
      Cell const& same = cells[it->second].cell;
      if (same.order != c.order || same.run != c.run || same.target != c.target)
        merged.push_back(fmt::format("{} = {}", describe(c), describe(same)));
      return;
    }
    Visits const& visits = visits_.visits(candidate.visits);
    if (visits.size() > most_stretches - stretches_) {
      kept_.erase(it);
      return refuse_cell({describe(c),
                          fmt::format("all cells together would have more than {} stretches", most_stretches),
                          "give fewer levels, or longer runs"});
    }
    stretches_ += visits.size();
    cells.push_back({c, visits});
  }
};

}  // namespace

Plan expand(Experiment const& experiment, Overrides const& overrides, Machine const& machine) {
  Definition definition = define(experiment.definition, experiment.name);
  apply(overrides, definition);
  check_targets(overrides.targets, folio_for({}, machine), machine.base_page);
  Asker const asker = asker_of(overrides, experiment.where);
  bound(definition, asker);
  Plan plan;
  plan.experiment = experiment.name;
  plan.description = definition.description;
  plan.seed = overrides.seed.value_or(plan.seed);
  plan.budget = definition.budget;
  plan.precision = definition.precision;
  plan.min_placements = definition.min_placements;
  plan.max_placements = definition.max_placements;
  plan.blocks_per_placement = definition.blocks_per_placement;
  plan.base_page = machine.base_page;
  plan.folio = folio_for({}, machine);
  plan.options = definition.options;
  Expansion expansion(definition, overrides, machine, plan.seed, asker);
  expansion.run();
  plan.cells = std::move(expansion.cells);
  plan.refusals = std::move(expansion.refusals);
  for (std::string const& line : expansion.merged) plan.options["same_cells"] += line + "\n";
  return plan;
}

}  // namespace folioscope
