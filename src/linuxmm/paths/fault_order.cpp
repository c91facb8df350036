// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/fault_order.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "backing/pool.hpp"
#include "campaign/sweep.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/together.hpp"
#include "orders/order.hpp"

namespace folioscope::linux_path {
namespace {

std::vector<Backing> backings(Machine const& machine) {
  std::vector<Backing> all{{BackingKind::thp, {}}};
  for (MthpSize const& m : machine.mthp)
    if (m.size != machine.folio && m.size.value > 2 * machine.base_page.value)
      all.push_back({BackingKind::mthp, m.size});
  for (HugetlbPool const& pool : machine.hugetlb)
    if (pool.size <= 64_MiB) all.push_back({BackingKind::hugetlb, pool.size});
  return all;
}

/// Two pages to fault by turns, and as many for the replica.
constexpr std::uint64_t least_pool = 4;

std::optional<Refusal> refuse_here(Backing const& backing, Machine const& machine) {
  if (auto refusal = refuse(backing, machine)) return refusal;
  auto const pool = std::ranges::find(machine.hugetlb, backing.size.value_or(Bytes(0)), &HugetlbPool::size);
  if (backing.kind != BackingKind::hugetlb || pool == machine.hugetlb.end() || pool->free >= least_pool)
    return std::nullopt;
  return Refusal{to_string(backing),
                 fmt::format("{} pages are needed, {} of the pool are free", least_pool, pool->free),
                 "enlarge the pool (nr_hugepages), or pass --allow-system-changes"};
}

/// Whether asking for the change is worth trying: the size is only switched off, the pool only empty.
bool can_be_provided(Backing const& backing) {
  return backing.kind == BackingKind::mthp || backing.kind == BackingKind::hugetlb;
}

Bytes unit_of(Backing const& backing, Machine const& machine) {
  return backing.size.value_or(machine.folio.value_or(Bytes(0)));
}

void add_faults(Plan& plan, Backing const& backing, Machine const& machine, LinuxRequest const& request) {
  Bytes const unit = unit_of(backing, machine);
  Cell cell;
  cell.kernel = fault_kernel;
  cell.call = unit;
  cell.backing = backing;
  cell.footprint = unit;
  for (std::uint64_t index : fault_indices(unit / machine.base_page, request.indices)) {
    PlannedCell planned{cell, {{Bytes(0), unit}}};
    if (index != 0) {
      planned.cell.order = touch_first;
      planned.cell.run = machine.base_page;
      planned.cell.target = index;
    }
    plan.cells.push_back(std::move(planned));
  }
}

/// The same clear in user space: the kernel that this Linux uses, page by page, in the order that it is thought to use.
void add_replica(Plan& plan, Backing const& backing, Machine const& machine, LinuxRequest const& request) {
  auto const release = machine.facts.value(fact::linux_release).as_string();
  auto const order = release ? order_expected_of(*release) : std::nullopt;
  if (!order || machine.linux_kernel.empty()) {
    plan.refusals.push_back({"fault-order replica on " + to_string(backing),
                             order ? "the kernel that this Linux clears with is not known here"
                                   : "the release of this Linux cannot be read",
                             "name both with folioscope sweep --kernels ... --orders ..."});
    return;
  }
  Bytes const unit = unit_of(backing, machine);
  Cell cell;
  cell.kernel = machine.linux_kernel;
  cell.call = machine.base_page;
  cell.backing = backing;
  cell.footprint = unit;
  plan.cells.push_back({cell, {{Bytes(0), unit}}});
  if (*order == "sequential") return;
  for (std::uint64_t index : fault_indices(unit / machine.base_page, request.indices)) {
    PlannedCell planned{cell, {}};
    planned.cell.order = *order;
    planned.cell.run = machine.base_page;
    planned.cell.target = index;
    planned.visits =
        visits({*parse_order(*order), unit, machine.base_page, index, machine.base_page, plan.seed, nullptr});
    if (planned.visits.size() > 1) plan.cells.push_back(std::move(planned));  // otherwise it is sequential
  }
}

/// Whether the replica can clear a folio on each CPU and leave most of a pool to the paths.
bool has_room_for_crowd(Backing const& backing, Machine const& machine, LinuxRequest const& request) {
  if (backing.kind != BackingKind::hugetlb) return backing.kind == BackingKind::thp;
  auto const pool = std::ranges::find(machine.hugetlb, *backing.size, &HugetlbPool::size);
  return request.allow_system_changes ||
         (pool != machine.hugetlb.end() && pool->free >= 8 * machine.allowed_cpus.size());
}

/// What paths with a task a CPU are held against: the replica of page 0, on every CPU at once.
void add_crowd(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  auto const cpus = static_cast<std::uint32_t>(machine.allowed_cpus.size());
  std::vector<PlannedCell> crowd;
  for (PlannedCell const& planned : plan.cells)
    if (planned.cell.kernel != fault_kernel && planned.cell.target.value_or(0) == 0 &&
        has_room_for_crowd(planned.cell.backing, machine, request)) {
      crowd.push_back(planned);
      crowd.back().cell.threads = cpus;
    }
  if (cpus > 1) plan.cells.insert(plan.cells.end(), crowd.begin(), crowd.end());
}

void plan_fault_order(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  if (!machine.folio) {
    plan.refusals.push_back(
        {"fault-order", "the PMD size is not known here", "boot a Linux with transparent huge pages"});
    return;
  }
  std::vector<Backing> measured;
  for (Backing const& backing : backings(machine)) {
    auto const refusal = refuse_here(backing, machine);
    if (refusal && !(request.allow_system_changes && can_be_provided(backing))) {
      plan.refusals.push_back(refused_path("fault-order " + to_string(backing), *refusal));
      continue;
    }
    add_faults(plan, backing, machine, request);
    measured.push_back(backing);
  }
  for (Backing const& backing : measured) add_replica(plan, backing, machine, request);
  add_crowd(plan, machine, request);
}

bool is_fault(PlannedCell const& planned) { return planned.cell.kernel == fault_kernel; }

/// Owns the two halves of the plan that its subjects refer to.
class WithReplica final : public Subject {
 public:
  WithReplica(Plan const& part, Machine const& machine, Clock const& clock, LinuxRequest const& request)
      : faults_(part), replica_(part) {
    std::erase_if(faults_.cells, [](PlannedCell const& c) { return !is_fault(c); });
    std::erase_if(replica_.cells, is_fault);
    std::vector<Together::Part> parts;
    parts.push_back({"faults", faults_.cells.size(),
                     std::make_unique<FaultOrder>(faults_, machine, clock, room_of(machine, request))});
    if (!replica_.cells.empty()) {
      SweepOptions options;
      options.max_memory = room_of(machine, request);
      options.levels = request.levels;
      parts.push_back(
          {"replica", replica_.cells.size(), std::make_unique<SweepSubject>(replica_, machine, clock, options)});
    }
    both_ = std::make_unique<Together>(std::move(parts), clock);
  }
  Placement place(std::uint32_t id, Random& random) override { return both_->place(id, random); }
  Json leave() override { return both_->leave(); }
  std::vector<RefusedCell> newly_refused() override { return both_->newly_refused(); }
  void warm_up(Random& random) override { both_->warm_up(random); }
  Granted<Sample> run(std::size_t cell, Arm arm, Random& random) override { return both_->run(cell, arm, random); }
  std::vector<Point> seen() override { return both_->seen(); }
  double core_clock() override { return both_->core_clock(); }
  bool clock_changed() override { return both_->clock_changed(); }

 private:
  Plan faults_, replica_;
  std::unique_ptr<Together> both_;
};

std::unique_ptr<Subject> fault_order_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                             LinuxRequest const& request) {
  return std::make_unique<WithReplica>(part, machine, clock, request);
}

}  // namespace

constexpr LinuxPath fault_order{
    .name = "fault-order",
    .summary =
        "fault time of THP, mTHP and hugetlb folios against the page touched first, beside its user-space replica",
    .clears = "the page fault's own order",
    .plan = plan_fault_order,
    .subject = fault_order_subject};

}  // namespace folioscope::linux_path
