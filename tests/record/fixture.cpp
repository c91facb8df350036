// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <fmt/core.h>

namespace folioscope::record_test {

Facts some_facts(std::string const& instance) {
  Facts facts;
  facts.add(std::string(fact::instance_key), instance, "/etc/machine-id");
  facts.add(std::string(fact::cpu_model), "Odd \"CPU\", 3 GHz\nsecond line \xe2\x82\xac", "/proc/cpuinfo");
  facts.add("cache.L3.size_bytes", Json(), "/sys", "not there: unknown, not 0");
  return facts;
}

Plan some_plan(std::size_t cells) {
  Plan plan;
  plan.experiment = "it's \"quick\", \xc3\xa9";
  plan.seed = ~std::uint64_t{0};
  plan.base_page = 4_KiB;
  plan.folio = 2_MiB;
  plan.options["note"] = "a\nb";
  for (std::size_t i = 0; i < cells; ++i) {
    Cell cell;
    cell.kernel = "rep_stosb";
    cell.call = 4_KiB;
    cell.footprint = 2_MiB;
    Visits visits{{0_B, 2_MiB}};
    if (i % 2 == 1) {
      cell.order = "reverse";
      cell.run = Bytes(4096 * i);
      cell.target = i;
      cell.state = State::hot;
      cell.backing = {BackingKind::hugetlb, 2_MiB};
      cell.fence = Fence::call;
      visits = {{1_MiB, 1_MiB}, {0_B, 1_MiB}};
    }
    plan.cells.push_back({cell, visits});
  }
  plan.refusals.push_back({"movdir64b", "CPUID does not offer it; 'really'", ""});
  return plan;
}

KernelContract some_kernel() {
  KernelContract kernel;
  kernel.name = "rep_stosb";
  kernel.features = {"erms"};
  kernel.store = StoreKind::string;
  kernel.source = "Intel SDM, \"REP\"";
  return kernel;
}

Placement some_placement(std::uint32_t id) {
  Placement placement{id, {}, Json::object({{"share", 1.0}, {"quote\"d", "line\nbreak"}})};
  if (id) placement.common_frames = 0.25;
  return placement;
}

Block some_block(std::uint32_t id, std::uint32_t placement) {
  Block block;
  block.id = id;
  block.placement = placement;
  block.started_s = 0.5 * id;
  block.elapsed = Nanoseconds(4e8);
  block.clearing = Nanoseconds(3e8);
  block.making_state = Nanoseconds(5e7);
  block.add_ns_before = 0.29;
  block.add_ns_after = 0.3;
  block.marked = id % 2 == 1;
  block.steal_s = 0.01;
  block.note = block.marked ? "core clock off by 6 %" : "";
  return block;
}

std::vector<Sample> some_samples(std::uint32_t block, std::uint32_t cells) {
  std::vector<Sample> samples;
  for (std::uint32_t i = 0; i < cells; ++i)
    samples.push_back({block, cells - 1 - i, i == 0 ? Arm::again : Arm::first, i, 1 + i, Nanoseconds(58000.125 + block),
                       Nanoseconds(58000), Nanoseconds(0), Nanoseconds(1e5)});
  return samples;
}

std::vector<Reading> some_readings(std::uint32_t block) {
  return {{block, 1, "cache", "L2:MISS,\"x\"", 1e6 + block, Nanoseconds(100), Nanoseconds(50), "user"},
          {block, 1, "cache", "cycles", 5, Nanoseconds(100), Nanoseconds(100), "user"},
          {block, 0, "cache", "cycles", 6, Nanoseconds(100), Nanoseconds(100), "user+kernel"}};
}

void write_campaign(std::filesystem::path const& path, std::uint32_t blocks) {
  auto writer = CapsuleWriter::open(path, "instance-1");
  std::vector<KernelContract> const kernels{some_kernel()};
  writer.begin({}, some_facts(), some_plan(), kernels, Json::object({{"cache", "definition"}}));
  for (std::uint32_t b = 0; b < blocks; ++b) {
    if (b % 2 == 0) writer.add(some_placement(b / 2));
    writer.commit(some_block(b, b / 2), some_samples(b), some_readings(b),
                  std::vector<Point>{{"series", "label", 1, 2, 0, b}});
  }
  writer.finish("budget spent", true);
}

std::string text_of(Campaign const& c) {
  std::string t =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}\n", c.header.uuid, c.header.kind, c.header.command, c.header.version,
                  c.header.started, c.header.finished, c.header.stop_reason, c.header.complete);
  for (Fact const& f : c.facts.all()) t += fmt::format("fact {}|{}|{}|{}\n", f.key, f.value.dump(), f.source, f.note);
  t += to_json(c.plan).dump() + "\n";
  for (auto const& [cell, visits] : c.plan.cells)
    t += fmt::format("cell {} {}\n", to_json(cell).dump(), encode_visits(visits));
  for (Refusal const& r : c.plan.refusals) t += fmt::format("refusal {}|{}|{}\n", r.subject, r.reason, r.remedy);
  for (auto const& r : c.refused)
    t += fmt::format("refused {} {} {}|{}|{}\n", r.cell, r.placement, r.refusal.subject, r.refusal.reason,
                     r.refusal.remedy);
  for (auto const& k : c.kernels) t += to_json(k).dump() + "\n";
  for (auto const& p : c.placements)
    t += fmt::format("placement {} {} {}\n", p.id, p.common_frames.value_or(-1), p.evidence.dump());
  for (auto const& b : c.blocks)
    t += fmt::format("block {} {} {} {} {} {} {} {} {} {} {}\n", b.id, b.placement, b.started_s, b.elapsed.value,
                     b.clearing.value, b.making_state.value, b.add_ns_before, b.add_ns_after, b.marked, b.steal_s,
                     b.note);
  for (auto const& s : c.samples)
    t += fmt::format("sample {} {} {} {} {} {} {} {} {}\n", s.block, s.cell, int(s.arm), s.position, s.copies,
                     s.wall.value, s.user.value, s.system.value, s.state.value);
  for (auto const& r : c.readings)
    t += fmt::format("reading {} {} {} {} {} {} {} {}\n", r.block, r.cell, r.group, r.event, r.value, r.enabled.value,
                     r.running.value, r.scope);
  for (auto const& p : c.points)
    t += fmt::format("point {} {} {} {} {} {}\n", p.series, p.label, p.x, p.y, int(p.cell.value_or(999)),
                     int(p.block.value_or(999)));
  return t + c.groups.dump();
}

}  // namespace folioscope::record_test
