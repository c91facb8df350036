// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "campaign/after.hpp"
#include "campaign/sweep.hpp"
#include "cli/campaign.hpp"
#include "cli/causal.hpp"
#include "cli/commands.hpp"
#include "cli/counting.hpp"
#include "cli/curves.hpp"
#include "cli/progress.hpp"
#include "cli/stop.hpp"
#include "cli/system.hpp"
#include "cli/text.hpp"
#include "explain/explain.hpp"
#include "plan/experiment.hpp"
#include "record/plausible.hpp"

namespace folioscope::cli {
namespace {

constexpr std::size_t largest_order_file = 16u << 20;

std::string read_order_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw Error("cannot be read", path, "check the name and its permissions; a folder is no order file");
  std::string text(largest_order_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > largest_order_file)
    throw Error("larger than 16 MiB", path, "an order file holds one index or run a line");
  return text;
}

Overrides overrides_of(SweepArguments const& a) {
  Overrides o;
  o.kernels = a.kernels;
  o.orders = a.orders;
  o.states = a.states;
  o.footprints = a.footprints;
  o.backings = a.backings;
  o.targets = a.targets;
  o.runs = a.runs;
  o.calls = a.calls;
  o.fences = a.fences;
  o.threads = a.threads;
  o.prefetches = a.prefetches;
  o.budget = a.budget;
  o.max_memory = a.max_memory;
  o.seed = a.seed;
  o.allow_system_changes = a.allow_system_changes;
  for (std::string const& file : a.order_files) {
    auto const equals = file.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == file.size())
      throw UsageError(fmt::format("'{}' does not name an order and its file", file), "--order-file",
                       "write NAME=FILE");
    o.order_files.emplace_back(file.substr(0, equals), read_order_file(file.substr(equals + 1)));
  }
  return o;
}

/// A file's order that visits as another one does is that one's cell: its name will not be in the tables.
void say_same_orders(Plan const& plan, std::vector<std::string> const& order_files) {
  auto const same = plan.options.find("same_cells");
  if (same == plan.options.end()) return;
  for (std::string const& file : order_files) {
    std::string const name = " file:" + file.substr(0, file.find('=')) + " ";
    auto const at = same->second.find(name);
    if (at == std::string::npos) continue;
    auto const begin = same->second.rfind('\n', at) + 1;  // npos + 1: the first line
    say("folioscope: the same visits, so one cell: {}\n",
        printable(same->second.substr(begin, same->second.find('\n', at) - begin)));
  }
}

ExitStatus sweep_here(SweepArguments const& a, std::string const& command, Changes& changes) {
  double const started = steady_seconds();
  StopSignals signals;
  Machine machine = read_machine();
  Clock const clock = read_clock();
  std::string const out = !a.out.empty() ? a.out : a.resume ? newest_out(machine) : default_out(machine);

  std::vector<LatencyPoint> curve;
  if (!caches_known(machine))  // the plan needs sizes before its own budget is known: the usual minute stands in
    curve = fill_unknown_caches(machine, clock, a.max_memory, a.budget.value_or(Nanoseconds(60e9)), a.seed.value_or(1));

  std::optional<CapsuleWriter> writer;
  std::optional<Campaign> before;
  Plan plan;
  if (a.resume) {
    if (!std::filesystem::exists(out)) throw Error("no such capsule to resume", out, "name it with --out");
    writer = CapsuleWriter::open(out, machine.instance_key);
    before = writer->unfinished();
    if (!before)
      throw Error("every campaign is complete; nothing to resume", out, "run without --resume to append one");
    plan = before->plan;
    if (a.budget) plan.budget = *a.budget;
    if (before->header.kind != "sweep")
      throw Error("its last unfinished campaign is of `folioscope linux`", out,
                  "continue that one with folioscope linux --resume");
    refuse_other_machine(*before, machine, out);
    writer->continue_campaign(before->header.id);
  } else {
    plan = expand(load_experiment(a.experiment), overrides_of(a), machine);
  }
  auto const switches = before ? std::vector<PrefetcherSwitch>{} : switches_to_try(plan, machine, changes);
  // Before the subject hires threads: counters count those that start after them.
  Counting const counting = open_counting(a.counters, a.groups, machine, plan, a.resume);
  say_refusals(plan.refusals);
  say_same_orders(plan, a.order_files);
  if (plan.cells.empty())
    throw Error("every cell was refused", "sweep",
                "the reasons are above; `folioscope machine` says what this machine has");

  if (changes.allowed()) {
    say_refusals(provide_backings(plan, machine, changes));
    Machine const changed = read_machine();
    machine.mthp = changed.mthp;
    machine.hugetlb = changed.hugetlb;
    machine.thp_mode = changed.thp_mode;
    machine.facts = changed.facts;
  }

  bound_memory(machine, a.max_memory);  // now that the pools are planned

  SweepOptions options;
  options.max_memory = a.max_memory;
  options.counters = counting.passes();
  options.counted_cpus = counting.counted_cpus;
  auto const seen = levels_seen(machine, clock, plan, std::move(curve));
  options.levels = seen.levels;
  auto const loaded = loaded_curve(machine, clock, seen.levels, plan);
  SweepSubject subject(plan, machine, clock, options);
  auto const refused = subject.newly_refused();
  std::vector<Refusal> late;
  for (auto const& r : refused)
    if (std::ranges::find(late, r.refusal) == late.end()) late.push_back(r.refusal);
  say_refusals(late);
  say_refusals(subject.limits());
  if (subject.measurable() == 0) throw Error("every cell was refused", "sweep", "the reasons are above");
  if (machine.emulator)
    say("folioscope: this is an emulator ({}); its timings are never results\n", printable(*machine.emulator));

  signals.work_begins();
  if (!writer) {
    // Only now: a sweep that cannot measure anything leaves no file behind.
    writer = CapsuleWriter::open(out, machine.instance_key);
    CampaignHeader header;
    header.command = command;
    header.version = FOLIOSCOPE_VERSION;
    writer->begin(header, machine.facts, plan, contracts(), counting.record);
    auto points = points_of_curve("latency.idle", "", seen.curve);
    std::ranges::move(points_of(subject.probe()), std::back_inserter(points));
    std::ranges::move(points_of_curve("latency.loaded", "another CPU clears", loaded), std::back_inserter(points));
    writer->add(points);
    auto const limits = subject.limits();
    writer->add(std::span<Refusal const>(limits));
  }
  if (!before) writer->add(std::span<RefusedCell const>(refused));  // a resumed campaign has them on record

  say_load(machine);
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
  std::int64_t const main_id = Capsule::open(out).headers().back().id;
  if (!outcome.interrupted && !switches.empty())
    say_refusals(measure_without_prefetchers(
        {&plan, &machine, &clock, options.levels, contracts(), out, command, &signals.flag()}, switches, changes));

  Capsule const capsule = Capsule::open(out);
  std::vector<Campaign> campaigns;
  for (CampaignHeader const& header : capsule.headers())
    if (header.id >= main_id) campaigns.push_back(plausible(capsule.load(header.id)));
  fmt::print("{}\n", to_text(explain(campaigns)));
  std::fflush(stdout);  // both may go to one log
  say_outcome(outcome, before.has_value(), out);
  if (outcome.interrupted) {
    say("folioscope: the blocks so far are kept; `folioscope sweep --resume --out {}` continues\n", out);
    return ExitStatus::interrupted;
  }
  return ExitStatus::done;
}

}  // namespace

ExitStatus run_sweep(SweepArguments const& a, std::string const& command) {
  return with_changes(a.allow_system_changes, [&](Changes& changes) { return sweep_here(a, command, changes); });
}

}  // namespace folioscope::cli
