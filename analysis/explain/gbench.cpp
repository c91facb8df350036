// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include "explain/export.hpp"

namespace folioscope {
namespace {

/// The context that Google Benchmark records, from the first campaign's facts; what is not known is left out or null.
Json context_of(std::span<Campaign const> campaigns) {
  Json context =
      Json::object({{"executable", "folioscope"}, {"library_build_type", "release"}, {"caches", Json::array()}});
  if (campaigns.empty()) return context;
  Campaign const& c = campaigns.front();
  context.set("date", c.header.started);
  context.set("host_name", c.facts.value(fact::hostname));
  context.set("folioscope_version", c.header.version);
  for (std::string_view key : {fact::cpu_model, fact::model_key, fact::linux_release, fact::hypervisor, fact::emulator})
    context.set(std::string(key), c.facts.value(key));
  return context;
}

struct Family {
  std::string name;
  std::size_t index = 0;
  std::uint32_t repetitions = 0, next = 0;
};

/// Cells of the same description in several campaigns are repetitions of one benchmark.
std::map<Cell, Family> families_of(std::span<Campaign const> campaigns) {
  std::map<Cell, Family> families;
  for (Campaign const& c : campaigns)
    for (Sample const& s : c.samples) {
      if (s.cell >= c.plan.cells.size() || s.arm == Arm::counted) continue;
      auto const [it, fresh] = families.try_emplace(c.plan.cells[s.cell].cell);
      if (fresh) it->second = {Json(benchmark_name(it->first)).dump(), families.size() - 1, 0, 0};
      ++it->second.repetitions;
    }
  return families;
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string("null"); }

}  // namespace

std::string benchmark_name(Cell const& c) {
  std::string name = c.kernel + "/" + c.order;
  if (c.run) name += "/run:" + compact_bytes(*c.run);
  name += "/call:" + compact_bytes(c.call);
  if (c.prefetch.value) name += "/prefetch:" + compact_bytes(c.prefetch);
  if (c.target) name += fmt::format("/target:{}", *c.target);
  if (c.fence) name += "/fence:" + to_string(*c.fence);
  return name + fmt::format("/{}/{}/{}/threads:{}", to_string(c.state), to_string(c.backing),
                            compact_bytes(c.footprint), c.threads);
}

void export_gbench(std::span<Campaign const> campaigns, std::ostream& out) {
  auto families = families_of(campaigns);
  out << "{\"context\":" << context_of(campaigns).dump(2) << ",\n\"benchmarks\":[";
  bool first = true;
  for (Campaign const& c : campaigns)
    for (Sample const& s : c.samples) {
      if (s.cell >= c.plan.cells.size() || s.arm == Arm::counted) continue;
      Cell const& cell = c.plan.cells[s.cell].cell;
      Family& family = families.at(cell);
      double const copies = std::max<std::uint32_t>(1, s.copies);
      double const wall = s.wall.value / copies;
      double const bytes = static_cast<double>(cell.footprint.value) * cell.threads;
      // A time that is no number would break the compare tool: such a pass is an error, as Google Benchmark writes
      // them.
      bool const good = std::isfinite(wall) && wall > 0;
      out << (first ? "\n" : ",\n")
          << fmt::format(
                 R"({{"name":{0},"family_index":{1},"per_family_instance_index":0,"run_name":{0},"run_type":"iteration","repetitions":{2},)"
                 R"("repetition_index":{3},"threads":{4},"iterations":{5},"real_time":{6},"cpu_time":{7},"time_unit":"ns")",
                 family.name, family.index, family.repetitions, family.next++, cell.threads,
                 static_cast<std::uint64_t>(copies), good ? json_number(wall) : "0",
                 std::isfinite(s.user.value + s.system.value) ? json_number((s.user.value + s.system.value) / copies)
                                                              : "0")
          << (good ? fmt::format(R"(,"bytes_per_second":{}}})", json_number(bytes / wall * 1e9))
                   : std::string(R"(,"error_occurred":true,"error_message":"no time was recorded"})"));
      first = false;
    }
  out << "]}\n";
}

}  // namespace folioscope
