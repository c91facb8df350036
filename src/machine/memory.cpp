// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "machine/cgroup.hpp"
#include "machine/cpu_list.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

std::optional<Bytes> kilobytes(std::string_view text, std::string_view key) {
  auto value = value_of_key(text, key);
  if (!value) return std::nullopt;
  if (value->ends_with("kB")) value->resize(value->size() - 2);
  auto const number = parse_number(trimmed(*value));
  return number && *number < (std::uint64_t{1} << 50) ? std::optional(Bytes(*number << 10)) : std::nullopt;
}

/// A node's /sys file says "Node 0 MemTotal:  16 kB".
std::optional<Bytes> node_memory(SystemFiles const& files, std::string const& folder, std::string const& node) {
  auto const text = files.text(folder + node + "/meminfo");
  return text ? kilobytes(*text, "Node " + node.substr(4) + " MemTotal") : std::nullopt;
}

void read_memory(Survey& s) {
  auto const text = s.files.text("/proc/meminfo");
  auto const know = [&](std::string key, std::string_view name) {
    auto const size = text ? kilobytes(*text, name) : std::nullopt;
    if (size)
      s.know(std::move(key), size->value, "/proc/meminfo");
    else
      s.unknown(std::move(key), "/proc/meminfo",
                !text                       ? "missing or not readable"
                : value_of_key(*text, name) ? "the " + std::string(name) + " line holds no size"
                                            : "no " + std::string(name) + " line");
    return size;
  };
  know("memory.total_bytes", "MemTotal");
  auto const available = know("memory.free_for_programs_bytes", "MemAvailable");
  auto const limit = read_cgroup_limit(s.files);
  if (limit) {
    s.know("memory.cgroup_limit_bytes", limit->limit.value, limit->source);
    s.know("memory.cgroup_headroom_bytes", limit->headroom.value, limit->source,
           "limit less what is used and cannot be reclaimed");
  } else {
    s.unknown("memory.cgroup_limit_bytes", "/proc/self/cgroup", "no limit is set, or none is visible");
  }
  s.machine.memory_available = available;
  if (limit && (!available || limit->headroom < *available)) s.machine.memory_available = limit->headroom;
  if (s.machine.memory_available)
    s.know("memory.available_bytes", s.machine.memory_available->value,
           limit ? "/proc/meminfo and cgroup" : "/proc/meminfo");
  else
    s.unknown("memory.available_bytes", "/proc/meminfo", "neither MemAvailable nor a cgroup limit is known");
}

bool is_node(std::string const& name) {
  return name.starts_with("node") && parse_number(std::string_view(name).substr(4)).has_value();
}

void read_nodes(Survey& s) {
  std::string const folder = "/sys/devices/system/node/";
  auto names = s.files.names(folder);
  std::erase_if(names, [](std::string const& name) { return !is_node(name); });
  std::ranges::sort(names, {}, [](std::string const& name) { return *parse_number(std::string_view(name).substr(4)); });
  if (names.empty()) {
    s.unknown("numa.nodes", folder, "missing: this Linux has no NUMA support, or /sys is hidden");
    return;
  }
  Json nodes = Json::array();
  std::string memoryless, cpuless;
  for (auto const& name : names) {
    auto const memory = node_memory(s.files, folder, name);
    auto const text = s.files.text(folder + name + "/cpulist");
    auto const cpus = text ? parse_cpu_list(*text) : std::nullopt;
    nodes.push(Json::object({{"node", static_cast<std::int64_t>(*parse_number(std::string_view(name).substr(4)))},
                             {"cpus", cpus ? Json(format_cpu_list(*cpus)) : Json()},
                             {"memory_bytes", memory ? Json(memory->value) : Json()},
                             {"memoryless", memory ? Json(memory->value == 0) : Json()}}));
    if (memory && memory->value == 0) memoryless += " " + name;
    if (cpus && cpus->empty()) cpuless += " " + name;
  }
  std::string note;
  if (!memoryless.empty()) note = "without memory:" + memoryless + "; their CPUs have no local memory to measure";
  if (!cpuless.empty()) note += std::string(note.empty() ? "" : "; ") + "without CPUs:" + cpuless;
  s.know("numa.nodes", std::move(nodes), folder, note);
}

}  // namespace

void survey_memory(Survey& s) {
  read_memory(s);
  read_nodes(s);
}

}  // namespace folioscope
