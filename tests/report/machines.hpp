// SPDX-License-Identifier: Apache-2.0
// Made-up campaigns of every kind that a page must stand: usual, none, one point, all equal, all refused, very skewed,
// hostile, emulated, and several machines together.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "synthetic/after.hpp"
#include "synthetic/counted.hpp"
#include "synthetic/path_machines.hpp"
#include "synthetic/synthetic.hpp"

namespace folioscope::synthetic {

struct Kind {
  std::string name;
  std::vector<Campaign> campaigns;
};

inline Request usual_request(std::uint64_t seed = 1) {
  Grid const grid{.kernels = {"rep_stosb", "mov_avx512", "movnt_avx512"},
                  .orders = {"reverse", "target_last", "random"},
                  .runs = {4096, 65536},
                  .calls = {4096, 65536},
                  .states = {State::cold, State::hot},
                  .folios = {1, 8, 64}};
  Plan plan = plan_of(grid, "usual");
  // A third run length, and streams by turns: enough for a model to be fitted.
  for (auto const& [order, run] :
       {std::pair("reverse", 16384), std::pair("random", 16384), std::pair("streams@2", 4096),
        std::pair("streams@8", 4096), std::pair("streams@32", 4096)}) {
    for (PlannedCell const& like : std::vector<PlannedCell>(plan.cells)) {
      if (like.cell.order != "reverse" || like.cell.run != Bytes(4096) || like.cell.call != Bytes(4096) ||
          like.cell.state != State::cold || like.cell.footprint != Bytes(2u << 20))
        continue;
      PlannedCell more = like;
      more.cell.order = order;
      more.cell.run = Bytes(static_cast<std::uint64_t>(run));
      more.visits.clear();
      for (std::uint64_t at = 2u << 20; at > 0; at -= more.cell.run->value)
        more.visits.push_back({Bytes(at - more.cell.run->value), *more.cell.run});
      plan.cells.push_back(std::move(more));
    }
  }
  return {.plan = std::move(plan),
          .true_ns = by_order({{"reverse", 3.0}, {"target_last", 2.2}, {"random", 2.8}}),
          .noise = {.pass = 0.02, .placement_cell = 0.01},
          .seed = seed};
}

/// With caches, a latency curve, readings and residency: every figure has something to draw.
inline Campaign usual(std::uint64_t seed = 1) {
  Campaign c = campaign(usual_request(seed));
  for (auto const& [level, bytes] : {std::pair("L1d", 32768), std::pair("L2", 1 << 20), std::pair("L3", 32 << 20)})
    c.facts.add("cache." + std::string(level) + ".size_bytes", bytes, "made up", "as made up as the rest");
  for (std::uint64_t bytes = 4096; bytes <= 128u << 20; bytes *= 2)
    c.points.push_back({"latency.idle", "", static_cast<double>(bytes), bytes < 65536 ? 1.5 : 80.0, {}, {}});
  auto const backwards = [](Cell const& k) { return k.order == "sequential" ? 0.4 : 1.0; };
  count(c, {MadeUpEvent{"l2_fills", "L2", 0.98, backwards},
            MadeUpEvent{"memory_reads", "memory", 1.3, backwards, "socket"}});
  auto const cold_pages = [](Cell const& cell) {
    return cell.state == State::cold && cell.call == 4_KiB && cell.run.value_or(4_KiB) == 4_KiB;
  };
  auto const one_cold_folio = [&](Cell const& cell) { return cold_pages(cell) && cell.footprint == 2_MiB; };
  auto const looked_at = [&](Cell const& cell) {
    return one_cold_folio(cell) || (cold_pages(cell) && cell.order == "sequential");
  };
  auto const level = [](Cell const& cell, std::uint64_t page) -> std::size_t {
    return cell.order == "sequential" ? (page < 384 ? 3 : 1) : page == 128 ? 0 : 2;
  };
  add_probe(c, level, 16, looked_at);
  std::vector<Use> uses{{Pattern::target, 1.0 / 512, Access::modify, false, 128}};
  for (double const fraction : {0.01, 0.1, 1.0}) uses.push_back({Pattern::random, fraction, Access::modify, false, {}});
  auto const ns = [](Cell const& cell, Use const& use) {
    bool const bypass = cell.kernel == "movnt_avx512";
    return std::pair(bypass ? 30e3 : 60e3, (bypass ? 4e5 : 1e5) * use.fraction);
  };
  add_uses(c, uses, ns, 0.01, one_cold_folio);
  c.plan.refusals = {{"movdir64b", "CPUID does not offer it", ""},
                     {"hugetlb-1G", "no page of that size is reserved", "reserve some: /proc/sys/vm/nr_hugepages"}};
  return c;
}

/// Neighbourhoods cleared last: what the radius map shows.
inline Campaign radii() {
  Grid const grid{.orders = {"neighbourhood_last@0", "neighbourhood_last@2", "neighbourhood_last@8"},
                  .calls = {4096, 2u << 20}};
  Request r{.plan = plan_of(grid, "radius"), .true_ns = by_order({}), .seed = 5};
  r.machine = "Synthetic, for radii";
  Campaign c = campaign(r);
  add_uses(c, {{Pattern::target, 1.0 / 512, Access::modify, false, 128}},
           [](Cell const& cell, Use const&) { return std::pair(60e3, cell.order == "sequential" ? 5e3 : 2e3); });
  return c;
}

/// The running Linux: faults by the page touched first beside their replica, and memory that the host took back.
inline Campaign running_linux() {
  Cell fault;
  fault.kernel = "linux_fault";
  fault.backing = {BackingKind::thp, {}};
  fault.footprint = fault.call = 2_MiB;
  Cell replica = fault, returned = fault;
  replica.kernel = "rep_stosb";
  replica.call = 4_KiB;
  returned.kernel = "linux_returned_memory";
  Request r{.true_ns = [](Cell const& c) {
    return c.target ? 60000 + 180 * (511 - static_cast<double>(*c.target)) : c.call == 4_KiB ? 60000.0 : 152000.0;
  }};
  r.machine = "Synthetic, its Linux";
  r.plan.base_page = 4_KiB;
  r.plan.folio = 2_MiB;
  for (Cell const& c : {fault, replica, returned}) r.plan.cells.push_back({c, {{0_B, 2_MiB}}});
  for (std::uint64_t page = 32; page <= 512; page += 32)
    for (Cell c : {fault, replica}) {
      c.target = page - 1;
      c.order = c.kernel == "linux_fault" ? "touch_first" : "target_last";
      c.run = 4_KiB;
      r.plan.cells.push_back({c, {{0_B, 2_MiB}}});
    }
  Campaign c = campaign(r);
  c.header.kind = "linux";
  for (int i = 1; i < 40; ++i)
    c.points.push_back({"fault.since_free", "same frame", 0.1 * i, i > 20 ? 4e6 : 152000.0, 2u, 0u});
  return c;
}

inline Campaign one_point() {
  Request r{.plan = plan_of({.orders = {}}), .true_ns = by_order({}), .placements = 1, .blocks_per_placement = 1};
  return campaign(r);
}

inline Campaign all_equal() {
  Campaign c = campaign(usual_request());
  for (Sample& s : c.samples) s.wall = Nanoseconds(58000);
  for (Block& b : c.blocks) b.add_ns_before = b.add_ns_after = 0.25;
  return c;
}

inline Campaign all_refused() {
  Campaign c = campaign(usual_request());
  c.samples.clear();
  c.blocks.clear();
  c.placements.clear();
  c.plan.cells.clear();
  c.plan.refusals = {{"rep_stosb", "not even that", "another machine"}};
  return c;
}

/// Times over nine orders of magnitude, and passes that took none or none that can be told.
inline Campaign very_skewed() {
  Request r = usual_request();
  r.noise = {.pass = 1.5, .spike_share = 0.3, .spike = 5, .placement = 2};
  Campaign c = campaign(r);
  for (std::size_t i = 0; i < c.samples.size(); i += 7) c.samples[i].wall = Nanoseconds(i % 2 ? 0 : 1e-3);
  c.samples[3].wall = Nanoseconds(1e18);
  return c;
}

inline constexpr char const* hostile_text = "<img src=x onerror=hacked=1>";

/// Every text that a capsule may hold tries to become part of the page.
inline Campaign hostile() {
  std::string const image = hostile_text;
  std::string const evil =
      "</script><script>window.hacked=1</script>" + image + "\"'><svg/onload=hacked=1>\x1b[31m\xe2\x80\xa8]]>";
  Campaign c = usual();
  for (PlannedCell& p : c.plan.cells) {
    if (p.cell.order == "reverse" || p.cell.order == "random") p.cell.order = image;
    if (p.cell.kernel == "mov_avx512") p.cell.kernel = "</script><b onclick=hacked=1>";
  }
  std::vector<Fact> facts = c.facts.all();
  for (Fact& f : facts) {
    if (f.key == fact::cpu_model || f.key == fact::hostname || f.key == fact::linux_release) f.value = evil;
    f.source = evil;
    f.note = evil;
  }
  facts.push_back({evil, Json::object({{evil, evil}}), evil, evil});
  facts.push_back({"cache." + evil + ".size_bytes", 4096, evil, evil});
  c.facts = Facts(facts);
  c.header.command = c.header.version = c.header.started = c.header.uuid = c.header.stop_reason = c.header.kind = evil;
  c.plan.experiment = c.plan.description = evil;
  c.plan.refusals = {{evil, evil, evil}, {"=HYPERLINK(\"x\")", "+1", "-1"}};
  for (Block& b : c.blocks) b.note = evil;
  for (Point& p : c.points) p.label = evil;
  for (Reading& r : c.readings) r.event = r.scope = r.group = evil;
  return c;
}

inline Campaign emulated() {
  Request r = usual_request();
  r.emulator = "TCG";
  return campaign(r);
}

inline std::vector<Campaign> several() {
  std::vector<Campaign> out;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    Request r = usual_request(i);
    r.machine = "Synthetic " + std::to_string(1000 * i);
    double const factor = static_cast<double>(i);
    r.true_ns = by_order({{"reverse", factor}, {"target_last", factor}}, 20000 * factor);
    out.push_back(campaign(r));
  }
  return out;
}

inline std::vector<Kind> kinds() {
  std::vector<Kind> out{{"none", {}}};
  out.push_back({"usual", {usual()}});
  out.push_back({"radii", {radii()}});
  out.push_back({"linux", {usual(), running_linux(), used_paths()}});
  out.push_back({"one-point", {one_point()}});
  out.push_back({"all-equal", {all_equal()}});
  out.push_back({"all-refused", {all_refused()}});
  out.push_back({"very-skewed", {very_skewed()}});
  out.push_back({"hostile", {hostile()}});
  out.push_back({"emulated", {emulated()}});
  out.push_back({"several", several()});
  return out;
}

}  // namespace folioscope::synthetic
