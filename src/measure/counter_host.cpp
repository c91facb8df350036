// SPDX-License-Identifier: Apache-2.0
#include "measure/counter_host.hpp"

#include "machine/cpu_list.hpp"

namespace folioscope {
namespace {

std::vector<ListedPmu> listed(Json const& pmus) {
  std::vector<ListedPmu> out;
  for (Json const& pmu : pmus.items()) {
    auto const type = pmu["type"].as_integer();
    if (!type) continue;  // it cannot be opened without
    ListedPmu p;
    p.name = pmu["name"].as_string().value_or("");
    p.type = static_cast<std::uint32_t>(*type);
    if (auto const cpus = pmu["cpus"].as_string())
      if (auto const list = parse_cpu_list(*cpus)) p.cpus = *list;
    out.push_back(std::move(p));
  }
  return out;
}

std::optional<unsigned> number(Json const& value) {
  auto const n = value.as_integer();
  return n && *n >= 0 ? std::optional(static_cast<unsigned>(*n)) : std::nullopt;
}

}  // namespace

CounterHost counter_host(Machine const& machine) {
  Facts const& facts = machine.facts;
  CounterHost host;
  host.architecture = machine.architecture;
  host.cpu_name = machine.model;
  host.vendor = facts.value(fact::cpu_vendor).as_string().value_or("");
  host.family = number(facts.value("cpu.family"));
  host.model = number(facts.value("cpu.model_number"));
  if (auto const midr = facts.value("cpu.midr").as_string()) try {
      host.midr = std::stoull(*midr, nullptr, 0);
    } catch (std::exception const&) {
    }
  if (!machine.allowed_cpus.empty()) host.cpu = machine.allowed_cpus.front();
  host.pmus_known = !facts.value("pmu.listed").is_null();
  host.pmus = listed(facts.value("pmu.listed"));
  if (auto const level = facts.value("perf.event_paranoid").as_integer()) host.paranoid = static_cast<int>(*level);
  if (auto const dog = facts.value("perf.nmi_watchdog").as_integer()) host.nmi_watchdog = *dog == 1;
  host.hypervisor = facts.value(fact::hypervisor).as_string();
  host.emulator = machine.emulator;
  read_privileges(host);
  return host;
}

}  // namespace folioscope
