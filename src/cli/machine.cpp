// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "kernels/kernel.hpp"

namespace folioscope::cli {
namespace {

#if defined(__x86_64__)
constexpr std::string_view built_for = "x86_64";
#else
constexpr std::string_view built_for = "aarch64";
#endif

std::string shown(Json const& value) {
  return value.is_null() ? "unknown" : value.is_string() ? *value.as_string() : value.dump();
}

Json kernels_json(Machine const& machine) {
  Json out = Json::array();
  for (Kernel const& kernel : kernel_catalogue()) {
    auto const refusal = refuse(kernel.contract, machine.features);
    Json entry = to_json(kernel.contract);
    entry.set("usable", !refusal);
    entry.set("reason", refusal ? Json(refusal->reason) : Json());
    out.push(entry);
  }
  return out;
}

Json facts_json(Facts const& facts) {
  Json out = Json::array();
  for (Fact const& f : facts.all())
    out.push(Json::object(
        {{"key", f.key}, {"value", f.value}, {"source", f.source}, {"note", f.note.empty() ? Json() : Json(f.note)}}));
  return out;
}

void print_facts(Machine const& machine) {
  std::string section;
  for (Fact const& f : machine.facts.all()) {
    auto const dot = f.key.find('.');
    std::string const head = f.key.substr(0, dot);
    if (head != section) {
      fmt::print("{}{}\n", section.empty() ? "" : "\n", head);
      section = head;
    }
    std::string line =
        fmt::format("  {:<26} {}", dot == std::string::npos ? f.key : f.key.substr(dot + 1), printable(shown(f.value)));
    if (!f.source.empty()) line += fmt::format("  [{}]", printable(f.source));
    if (!f.note.empty()) line += fmt::format("  ({})", printable(f.note));
    fmt::print("{}\n", line);
  }
}

void print_kernels(Machine const& machine) {
  fmt::print("\nkernels\n");
  for (Kernel const& kernel : kernel_catalogue()) {
    auto const refusal = refuse(kernel.contract, machine.features);
    fmt::print("  {:<26} {}\n", kernel.contract.name, refusal ? "no: " + refusal->reason : "usable");
  }
}

}  // namespace

ExitStatus run_machine(MachineArguments const& a) {
  if (!a.sysroot.empty() && !std::filesystem::is_directory(a.sysroot))
    throw UsageError("no such folder", a.sysroot, "give the folder that holds sys/ and proc/");
  Machine const machine = read_machine(a.sysroot);
  // A tree of another architecture says nothing about this build's kernels.
  bool const same = machine.architecture == built_for;
  if (a.json) {
    fmt::print("{}\n",
               Json::object({{"facts", facts_json(machine.facts)}, {"kernels", same ? kernels_json(machine) : Json()}})
                   .dump(2));
    return ExitStatus::done;
  }
  print_facts(machine);
  if (same) print_kernels(machine);
  return ExitStatus::done;
}

}  // namespace folioscope::cli
