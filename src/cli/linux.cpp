// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <set>

#include "campaign/after.hpp"
#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/curves.hpp"
#include "cli/progress.hpp"
#include "cli/stop.hpp"
#include "cli/system.hpp"
#include "cli/text.hpp"
#include "explain/fault_order.hpp"
#include "explain/linux_paths.hpp"
#include "explain/linux_ratios.hpp"
#include "explain/path_bill.hpp"
#include "explain/returned.hpp"
#include "linuxmm/path.hpp"
#include "linuxmm/together.hpp"
#include "record/plausible.hpp"

namespace folioscope::cli {
namespace {

std::uint64_t number(std::string const& text, char const* option) {
  std::uint64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("'{}' is no whole number", printable(text)), option, "give for example 0,128,511");
  return n;
}

std::vector<LinuxPath const*> chosen(LinuxArguments const& a) {
  std::vector<LinuxPath const*> paths;
  for (std::string const& name : a.paths)
    if (auto const* path = &find_linux_path(name); std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  if (paths.empty()) paths.assign(linux_paths().begin(), linux_paths().end());
  return paths;
}

LinuxRequest request_of(LinuxArguments const& a, Machine const& machine) {
  LinuxRequest request;
  for (std::string const& index : a.indices) {
    request.indices.push_back(number(index, "--index"));
    if (machine.folio && request.indices.back() >= *machine.folio / machine.base_page)
      throw UsageError(fmt::format("a huge page has no page {}", index), "--index",
                       fmt::format("the last one is {}", *machine.folio / machine.base_page - 1));
  }
  auto const cpus = static_cast<std::uint64_t>(std::max<std::size_t>(1, machine.allowed_cpus.size()));
  for (std::string const& threads : a.threads) {
    auto const n = threads == "all" ? cpus : number(threads, "--threads");
    if (n == 0 || n > cpus)
      throw UsageError(fmt::format("{} threads, and this process may use {} CPU(s)", n, cpus), "--threads",
                       "allow more CPUs or ask for fewer");
    request.threads.push_back(static_cast<std::uint32_t>(n));
  }
  request.max_memory = a.max_memory;
  request.paths = chosen(a).size();
  if (a.budget) request.budget = *a.budget;
  request.allow_system_changes = a.allow_system_changes;
  return request;
}

void print_result(Campaign const& campaign, bool json) {
  auto const findings = fault_orders({&campaign, 1});
  auto const paths = path_outcomes(campaign);
  auto const returned = returned_memory(campaign);
  auto const bills = path_bills({&campaign, 1}, judge({&campaign, 1}));
  std::vector<LinuxRatio> const ratios = linux_ratios({&campaign, 1}, findings, bills);
  if (json) {
    Json faults = Json::array(), outcomes = Json::array(), used = Json::array();
    for (auto const& f : findings) faults.push(to_json(f));
    for (auto const& p : paths) outcomes.push(to_json(p));
    for (PathBillLine const& line : bills) {
      Json row = Json::object({{"path", line.path}});
      Json const bill = to_json(line);
      for (auto const& [key, value] : bill.members()) row.set(key, value);
      used.push(std::move(row));
    }
    fmt::print("{}\n", Json::object({{"fault_order", std::move(faults)},
                                     {"paths", std::move(outcomes)},
                                     {"clear_and_use", std::move(used)},
                                     {"returned_memory", returned ? to_json(*returned) : Json()}})
                           .dump(2));
    return;
  }
  for (auto const& f : findings) fmt::print("{}\n\n", to_text(f));
  for (auto const& p : paths) fmt::print("{}\n", to_text(p));
  if (auto const text = to_text(bills, 100); !text.empty()) fmt::print("\n{}", text);
  if (returned) fmt::print("\n{}\n", to_text(*returned));
  if (auto const text = to_text(ratios, 100); !text.empty()) fmt::print("\n{}", text);
}

/// The capsule, and its last unfinished campaign, which is one of this command.
CapsuleWriter open_to_resume(std::string const& out, Machine const& machine, std::optional<Campaign>& unfinished) {
  if (!std::filesystem::exists(out)) throw Error("no such capsule to resume", out, "name it with --out");
  CapsuleWriter writer = CapsuleWriter::open(out, machine.instance_key);
  unfinished = writer.unfinished();
  if (!unfinished)
    throw Error("every campaign is complete; nothing to resume", out, "run without --resume to append one");
  if (unfinished->header.kind != "linux")
    throw Error("its last unfinished campaign is a sweep", out, "continue that one with folioscope sweep --resume");
  refuse_other_machine(*unfinished, machine, out);
  return writer;
}

ExitStatus linux_here(LinuxArguments const& a, std::string const& command, Changes& changes) {
  double const started = steady_seconds();
  StopSignals signals;
  auto const paths = chosen(a);
  Machine machine = read_machine();
  Clock const clock = read_clock();
  LinuxRequest wanted = request_of(a, machine);
  std::string const out = !a.out.empty() ? a.out : a.resume ? newest_out(machine) : default_out(machine);
  std::optional<CapsuleWriter> writer;
  std::optional<Campaign> before;
  if (a.resume) {
    writer = open_to_resume(out, machine, before);
  }
  LinuxPlan planned = before ? resumed_plan(before->plan, machine, out) : plan_linux(paths, machine, wanted);
  Plan& plan = planned.plan;
  if (a.budget) plan.budget = *a.budget;
  say_refusals(plan.refusals);
  if (plan.cells.empty()) {
    Campaign nothing;
    nothing.header.kind = "linux";
    nothing.plan = plan;
    if (a.json) print_result(nothing, true);
    throw Error("every path was refused", "linux",
                "the reasons are above; `folioscope machine` says what this machine has");
  }
  if (changes.allowed()) {
    say_refusals(provide_backings(plan, machine, changes));
    machine = read_machine();
  }
  say_load(machine);
  if (machine.emulator)
    say("folioscope: this is an emulator ({}); its timings are never results\n", printable(*machine.emulator));

  // Before the paths take their memory: caches are looked for in as much.
  Machine bounded = machine;
  bound_memory(bounded, a.max_memory);
  auto const seen = levels_seen(bounded, clock, plan);
  wanted.levels = seen.levels;
  std::vector<Together::Part> parts;
  for (LinuxPlan::Part& part : planned.parts) {
    part.plan.budget = plan.budget;
    if (!part.plan.cells.empty())
      parts.push_back({std::string(part.path->name), part.plan.cells.size(),
                       part.path->subject(part.plan, machine, clock, wanted)});
  }
  // On the CPU that the paths were just pinned to; what it finds in states made on purpose says how well it tells what
  // lies near after a fault.
  PageProbe probe({seen.levels, machine.base_page, {clock.ns_per_tick, clock.tick, {}}, plan.seed});
  Together subject(std::move(parts), clock, &probe);
  auto const refused = subject.newly_refused();
  std::vector<Refusal> late;
  for (RefusedCell const& r : refused)
    if (std::ranges::none_of(late, [&](Refusal const& l) { return l.reason == r.refusal.reason; }))
      late.push_back(r.refusal);
  say_refusals(late);
  if (refused.size() == plan.cells.size()) throw Error("every cell was refused", "linux", "the reasons are above");

  signals.work_begins();
  if (before) {
    writer->continue_campaign(before->header.id);
  } else {
    writer = CapsuleWriter::open(out, machine.instance_key);
    CampaignHeader header;
    header.kind = "linux";
    header.command = command;
    header.version = FOLIOSCOPE_VERSION;
    writer->begin(header, machine.facts, plan, contracts(), Json());
    writer->add(std::span<RefusedCell const>(refused));
    auto points = points_of_curve("latency.idle", "", seen.curve);
    std::ranges::move(points_of(probe), std::back_inserter(points));
    writer->add(points);
  }
  Outcome outcome;
  {
    ProgressLine line;
    RunRequest request;
    request.plan = &plan;
    request.subject = &subject;
    request.writer = &*writer;
    request.before = before ? &*before : nullptr;
    request.already_spent_s = steady_seconds() - started;
    request.stop = &signals.flag();
    request.progress = [&line](Progress const& p) { show(line, p); };
    outcome = run_campaign(request);
  }
  writer.reset();
  Capsule const capsule = Capsule::open(out);
  print_result(plausible(capsule.load(capsule.headers().back().id)), a.json);
  say_outcome(outcome, before.has_value(), out);
  if (outcome.interrupted) {
    say("folioscope: the blocks so far are kept; `folioscope linux --resume --out {}` continues\n", out);
    return ExitStatus::interrupted;
  }
  return outcome.blocks > 0 ? ExitStatus::done : ExitStatus::failed;
}

}  // namespace

ExitStatus run_linux(LinuxArguments const& a, std::string const& command) {
  return with_changes(a.allow_system_changes, [&](Changes& changes) { return linux_here(a, command, changes); });
}

}  // namespace folioscope::cli
