// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "machine/cpu_list.hpp"
#include "machine/midr.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

#if defined(__x86_64__)
constexpr char const* built_for = "x86_64";
#else
constexpr char const* built_for = "aarch64";
#endif

std::string of_cpu(unsigned cpu, std::string_view rest) { return fmt::format("{}cpu{}/{}", cpu_folder, cpu, rest); }

void read_cpuinfo(Survey& s) {
  // Live x86-64 needs the first CPU's flags only, and Linux makes the file slowly where there are many CPUs.
  constexpr std::size_t enough = 1 << 14, largest = 1 << 24;
  bool const short_form = s.live() && std::string_view(built_for) == "x86_64";
  auto const text = short_form ? s.files.start_of("/proc/cpuinfo", enough) : s.files.text("/proc/cpuinfo", largest);
  if (text) s.cpuinfo = parse_cpuinfo(*text);
}

/// Under a sysroot: from what only one architecture has.
std::pair<std::string, std::string> architecture_of_files(Survey const& s) {
  if (!s.cpuinfo.architecture.empty()) return {s.cpuinfo.architecture, "/proc/cpuinfo"};
  if (s.files.exists(of_cpu(0, "regs/identification/midr_el1"))) return {"aarch64", of_cpu(0, "regs/identification")};
  for (auto const& pmu : s.files.names("/sys/bus/event_source/devices"))
    if (pmu.starts_with("armv8") || pmu.starts_with("armv9"))
      return {"aarch64", "/sys/bus/event_source/devices/" + pmu};
  return {};
}

void find_architecture(Survey& s) {
  auto& architecture = s.machine.architecture;
  if (s.live()) {
    architecture = built_for;
    s.know(std::string(fact::architecture), architecture, "this program");
    s.foreign_cpuinfo = !s.cpuinfo.architecture.empty() && s.cpuinfo.architecture != architecture;
    if (s.foreign_cpuinfo) s.cpuinfo = {};
    return;
  }
  auto const [name, source] = architecture_of_files(s);
  architecture = name;
  if (name.empty())
    s.unknown(std::string(fact::architecture), "/proc/cpuinfo", "no file tells");
  else
    s.know(std::string(fact::architecture), name, source);
}

std::optional<std::vector<unsigned>> know_cpus(Survey& s, std::string key, std::string_view file) {
  auto const path = std::string(cpu_folder) + std::string(file);
  auto const text = s.files.text(path);
  auto cpus = text ? parse_cpu_list(*text) : std::nullopt;
  if (cpus && !cpus->empty()) {
    s.know(std::move(key), format_cpu_list(*cpus), path);
    return cpus;
  }
  s.unknown(std::move(key), path, text ? "not a list of CPUs" : "missing or not readable");
  return std::nullopt;
}

std::vector<unsigned> cpus_of_cpuinfo(Survey const& s) {
  std::vector<unsigned> cpus;
  for (auto const& entry : s.cpuinfo.cpus) cpus.push_back(entry.cpu);
  return cpus;
}

void find_cpu_sets(Survey& s) {
  auto const key = std::string(fact::cpus_allowed);
  auto const present = know_cpus(s, "cpu.present", "present");
  auto const online = know_cpus(s, "cpu.online", "online");
  // A container can hide /sys; then the CPUs that /proc/cpuinfo lists are online.
  s.online = online ? *online : cpus_of_cpuinfo(s);
  s.present = present ? *present : s.online;
  std::vector<unsigned> wanted;
  std::string source;
  if (s.live()) {
    wanted = affinity();
    source = "sched_getaffinity";
  } else if (auto const status = s.files.text("/proc/self/status")) {
    if (auto const list = value_of_key(*status, "Cpus_allowed_list")) wanted = parse_cpu_list(*list).value_or(wanted);
    source = "/proc/self/status";
  }
  auto& allowed = s.machine.allowed_cpus;
  if (!wanted.empty() && (online || !s.live())) {
    allowed = intersection(wanted, s.online);
    source += " and online";
    // Linux lets nobody run on a CPU that is offline; if /sys says otherwise, /sys is not this machine's.
    if (allowed.empty() && s.live()) allowed = wanted, source = "sched_getaffinity; /sys lists none of them as online";
  } else if (!wanted.empty()) {
    allowed = wanted;
  } else {
    allowed = s.online;
    source = online ? std::string(cpu_folder) + "online" : "/proc/cpuinfo";
  }
  if (allowed.empty())
    s.unknown(key, source, "no allowed and online CPU is known");
  else
    s.know(key, format_cpu_list(allowed), source, allowed.size() < s.online.size() ? "fewer than are online" : "");
}

void identify_x86(Survey& s) {
  X86Identity identity;
  std::string source;
  if (s.cpuid) {
    identity = decode_identity(*s.cpuid);
    source = "cpuid";
    s.family = identity.family, s.model_number = identity.model, s.stepping = identity.stepping;
  } else if (!s.cpuinfo.cpus.empty()) {
    auto const& first = s.cpuinfo.cpus.front();
    identity.vendor = first.vendor, identity.name = first.name;
    s.family = first.family, s.model_number = first.model, s.stepping = first.stepping;
    source = "/proc/cpuinfo";
  }
  s.machine.vendor = identity.vendor;
  s.machine.model = identity.name;
  auto const know = [&](std::string_view key, Json value) {
    bool const missing = value.is_null() || value == Json("");
    if (missing)
      s.unknown(std::string(key), source, "not told");
    else
      s.know(std::string(key), std::move(value), source);
  };
  know(fact::cpu_vendor, identity.vendor);
  know(fact::cpu_model, identity.name);
  know("cpu.family", s.family);
  know("cpu.model_number", s.model_number);
  know("cpu.stepping", s.stepping);
}

std::string kinds_joined(std::vector<CoreKind> const& kinds) {
  std::string joined;
  std::set<std::string> seen;
  for (auto const& kind : kinds)
    if (!kind.name.empty() && seen.insert(kind.name).second) joined += (joined.empty() ? "" : " + ") + kind.name;
  return joined;
}

void identify_arm64(Survey& s, std::vector<CoreKind> const& kinds) {
  for (auto const& kind : kinds)
    if (!s.machine.allowed_cpus.empty() && std::ranges::binary_search(kind.cpus, s.machine.allowed_cpus.front()))
      s.midr = kind.midr;
  std::string source = s.files.exists(of_cpu(0, "regs/identification/midr_el1")) ? "midr_el1 in /sys" : "/proc/cpuinfo";
  if (s.live() && !s.midr) {
    s.midr = read_midr();
    source = "MIDR_EL1";
  }
  if (!s.midr) {
    for (auto key : {fact::cpu_vendor, fact::cpu_model, std::string_view("cpu.midr")})
      s.unknown(std::string(key), source, "no MIDR is readable");
    return;
  }
  auto const midr = decode_midr(*s.midr);
  s.machine.vendor = implementer_name(midr.implementer);
  s.machine.model = kinds_joined(kinds);
  if (s.machine.model.empty()) s.machine.model = core_name(midr.implementer, midr.part);
  bool const named = !core_name(midr.implementer, midr.part).empty();
  if (s.machine.model.empty()) s.machine.model = describe(midr);
  s.know(std::string(fact::cpu_vendor), s.machine.vendor, source);
  s.know(std::string(fact::cpu_model), s.machine.model, source, named ? "" : "a part that folioscope has no name for");
  s.know("cpu.midr", fmt::format("{:#010x}", *s.midr), source, describe(midr));
}

void know_kinds(Survey& s, std::vector<CoreKind> const& kinds) {
  Json list = Json::array();
  for (auto const& kind : kinds) {
    Json entry =
        Json::object({{"name", kind.name.empty() ? Json() : Json(kind.name)}, {"cpus", format_cpu_list(kind.cpus)}});
    entry.set("midr", kind.midr ? Json(fmt::format("{:#010x}", *kind.midr)) : Json());
    entry.set("pmu", kind.pmu.empty() ? Json() : Json(kind.pmu));
    Json l1d;
    for (unsigned const cpu : kind.cpus) {  // the first that tells
      auto const size = s.files.text(of_cpu(cpu, "cache/index0/size"));
      auto const bytes = size ? parse_bytes(*size) : std::nullopt;
      if (!bytes || bytes->value == 0) continue;
      l1d = Json(bytes->value);
      break;
    }
    entry.set("l1d_bytes", l1d);
    auto const frequency = s.files.number(of_cpu(kind.cpus.front(), "cpufreq/cpuinfo_max_freq"));
    entry.set("max_frequency_khz", frequency && *frequency != 0 && *frequency < (1u << 30) ? Json(*frequency) : Json());
    list.push(std::move(entry));
  }
  if (kinds.empty())
    s.unknown("cpu.kinds", cpu_folder, "no CPU is known");
  else
    s.know("cpu.kinds", std::move(list), "identity, PMU, capacity and L1d of each CPU",
           kinds.size() > 1 ? "different cores in one machine: a figure of one kind says nothing of the other" : "");
}

/// SMT siblings of the allowed CPUs: groups of two or more.
void find_siblings(Survey& s) {
  Json groups = Json::array();
  std::set<unsigned> done;
  bool known = false;
  for (unsigned const cpu : s.machine.allowed_cpus) {
    if (done.contains(cpu)) continue;
    auto const text = s.files.text(of_cpu(cpu, "topology/thread_siblings_list"));
    auto const siblings = text ? parse_cpu_list(*text) : std::nullopt;
    if (!siblings) continue;
    known = true;
    done.insert(siblings->begin(), siblings->end());
    if (siblings->size() > 1) groups.push(format_cpu_list(*siblings));
  }
  auto const source = "topology/thread_siblings_list in " + std::string(cpu_folder);
  bool const all = done.size() >= s.machine.allowed_cpus.size();
  if (!known)
    s.unknown("cpu.smt_siblings", source, "missing or not readable");
  else if (!all)
    s.know("cpu.smt_siblings", groups, source,
           fmt::format("of {} of {} allowed CPUs; the others' are not readable", done.size(),
                       s.machine.allowed_cpus.size()));
  else
    s.know("cpu.smt_siblings", groups, source, groups.items().empty() ? "no two allowed CPUs share a core" : "");
}

}  // namespace

void survey_cpus(Survey& s) {
  if (s.live()) {
    s.cpuid = read_cpuid();
    s.registers = read_arm64_registers();
  }
  read_cpuinfo(s);
  find_architecture(s);
  find_cpu_sets(s);
  auto const kinds = read_kinds(s);
  if (s.machine.architecture == "x86_64")
    identify_x86(s);
  else if (s.machine.architecture == "aarch64")
    identify_arm64(s, kinds);
  else
    for (auto key : {fact::cpu_vendor, fact::cpu_model})
      s.unknown(std::string(key), "/proc/cpuinfo", "the architecture is unknown");
  for (auto const& kind : kinds) s.machine.kinds.push_back({kind.name, kind.cpus});
  know_kinds(s, kinds);
  find_siblings(s);
}

}  // namespace folioscope
