// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace folioscope::synthetic {
namespace {

constexpr std::uint64_t folio_bytes = 2u << 20;

double uniform(Random& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

void add_once(Plan& plan, Cell const& cell) {
  for (PlannedCell const& there : plan.cells)
    if (there.cell == cell) return;
  Visits visits;
  Bytes const extent = std::min(cell.footprint, Bytes(folio_bytes));
  if (!cell.run) {
    visits.push_back({Bytes(0), extent});
  } else {
    // The catalogue's orders belong to their own module: a descending walk stands for any of them here.
    for (std::uint64_t at = extent.value; at >= cell.run->value; at -= cell.run->value)
      visits.push_back({Bytes(at - cell.run->value), *cell.run});
  }
  plan.cells.push_back({cell, std::move(visits)});
}

KernelContract contract(std::string const& name) {
  KernelContract k;
  k.name = name;
  k.source = "made up";
  if (name == "nothing") k.store = StoreKind::none;
  if (name.starts_with("rep_")) k.store = StoreKind::string;
  if (name.starts_with("movnt")) k.store = StoreKind::non_temporal;
  if (name == "clzero") k.store = StoreKind::zeroing;
  if (name.ends_with("_down")) k.direction = Direction::down;
  k.weakly_ordered = k.store == StoreKind::non_temporal || k.store == StoreKind::zeroing;
  bool const simd = name.find("avx") != std::string::npos || name.find("sse") != std::string::npos;
  k.linux_use = simd ? LinuxUse::needs_fpu : name == "memset" ? LinuxUse::user_only : LinuxUse::yes;
  return k;
}

Facts facts_of(Request const& r) {
  Facts f;
  f.add(std::string(fact::architecture), "x86_64", "made up");
  f.add(std::string(fact::cpu_model), r.machine, "made up");
  f.add(std::string(fact::model_key), "model of " + r.machine, "made up");
  f.add(std::string(fact::instance_key), "instance of " + r.machine, "made up");
  f.add(std::string(fact::hostname), "nowhere", "made up");
  f.add(std::string(fact::linux_release), r.release, "made up");
  f.add(std::string(fact::linux_kernel), r.linux_kernel, "made up");
  f.add(std::string(fact::base_page), 4096, "made up");
  f.add(std::string(fact::folio), folio_bytes, "made up");
  f.add(std::string(fact::emulator), r.emulator.empty() ? Json() : Json(r.emulator), "made up");
  return f;
}

/// What happens to one pass: noise on the log scale, and now and then a spike.
double disturbance(Noise const& n, Random& random) {
  double log = n.pass * normal(random);
  if (n.spike_share > 0 && uniform(random) < n.spike_share) log += std::log1p(n.spike * exponential(random));
  return log;
}

struct Run {
  std::uint32_t cell;
  Arm arm;
};

std::vector<Run> runs_of_block(Plan const& plan, Random& random) {
  std::vector<Run> runs;
  for (std::uint32_t c = 0; c < plan.cells.size(); ++c) {
    runs.push_back({c, Arm::first});
    if (is_reference(plan.cells[c].cell)) runs.push_back({c, Arm::again});
  }
  shuffle(runs, random);
  return runs;
}

}  // namespace

double exponential(Random& random) { return -std::log(uniform(random)); }

double normal(Random& random) {  // Box and Muller
  double const radius = std::sqrt(2 * exponential(random));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

Plan plan_of(Grid const& g, std::string experiment) {
  Plan plan;
  plan.experiment = std::move(experiment);
  plan.description = "made-up cells";
  plan.base_page = Bytes(4096);
  plan.folio = Bytes(folio_bytes);
  std::vector<std::string> orders = g.orders;
  orders.insert(orders.begin(), "sequential");
  for (auto state : g.states)
    for (auto const& backing : g.backings)
      for (auto folios : g.folios)
        for (auto threads : g.threads)
          for (auto const& kernel : g.kernels)
            for (auto call : g.calls)
              for (auto const& order : orders)
                for (auto run : g.runs)
                  for (auto target : g.targets) {
                    Cell c;
                    c.kernel = kernel;
                    c.order = order;
                    c.call = Bytes(call);
                    c.state = state;
                    c.backing = parse_backing(backing).value_or(Backing{});
                    c.footprint = Bytes(folios * folio_bytes);
                    c.threads = threads;
                    if (contract(kernel).weakly_ordered) c.fence = Fence::pass;
                    if (order != "sequential") {
                      c.run = Bytes(run);
                      if (order.starts_with("target_") || order.starts_with("neighbourhood_")) c.target = target;
                      add_once(plan, reference_of(c));
                    }
                    add_once(plan, c);
                  }
  return plan;
}

Campaign campaign(Request const& r) {
  Campaign out;
  out.plan = r.plan;
  out.facts = facts_of(r);
  out.header.id = 1;
  out.header.uuid = "00000000-0000-4000-8000-" + std::to_string(100000000000 + r.seed % 100000000000);
  out.header.command = "folioscope sweep --experiment " + r.plan.experiment;
  out.header.version = "0.1.0";
  out.header.started = "2026-01-01T00:00:00Z";
  out.header.finished = "2026-01-01T00:01:00Z";
  out.header.stop_reason = "budget spent";
  out.header.complete = true;
  std::size_t const cells = r.plan.cells.size();
  std::vector<double> true_logs;
  for (PlannedCell const& p : r.plan.cells) {
    true_logs.push_back(std::log(r.true_ns(p.cell)));
    bool known = false;
    for (KernelContract const& k : out.kernels) known = known || k.name == p.cell.kernel;
    if (!known) out.kernels.push_back(contract(p.cell.kernel));
  }
  Random random(r.seed);
  double drift = 0;
  std::uint32_t block = 0;
  double clock = 0;
  for (std::uint32_t p = 0; p < r.placements; ++p) {
    out.placements.push_back({p, {}, {}});
    double const level = r.noise.placement * normal(random);
    std::vector<double> shift(cells);
    for (double& s : shift) s = level + r.noise.placement_cell * normal(random);
    for (std::uint32_t b = 0; b < r.blocks_per_placement; ++b, ++block) {
      drift += r.noise.block_drift * normal(random);
      Block record;
      record.id = block;
      record.placement = p;
      record.started_s = clock;
      record.add_ns_before = record.add_ns_after = 0.25 * std::exp(drift);
      std::uint32_t position = 0;
      for (Run const& run : runs_of_block(r.plan, random)) {
        Sample s;
        s.block = block;
        s.cell = run.cell;
        s.arm = run.arm;
        s.position = position++;
        s.wall = Nanoseconds(std::exp(true_logs[run.cell] + shift[run.cell] + drift + disturbance(r.noise, random)));
        s.user = s.wall;
        s.state = s.wall * 0.5;
        record.clearing = record.clearing + s.wall;
        record.making_state = record.making_state + s.state;
        out.samples.push_back(s);
      }
      record.elapsed = record.clearing + record.making_state;
      clock += record.elapsed.value * 1e-9;
      out.blocks.push_back(record);
    }
  }
  return out;
}

std::function<double(Cell const&)> by_order(std::vector<std::pair<std::string, double>> ratios, double ns_per_folio) {
  return [ratios = std::move(ratios), ns_per_folio](Cell const& c) {
    double const sequential = ns_per_folio * static_cast<double>(c.footprint.value) / static_cast<double>(folio_bytes);
    for (auto const& [order, ratio] : ratios)
      if (order == c.order) return sequential * ratio;
    return sequential;
  };
}

}  // namespace folioscope::synthetic
