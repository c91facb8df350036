// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "terms/cell.hpp"
#include "terms/error.hpp"

namespace folioscope::cli {
namespace {

/// A list such as --orders A,B: never eats the arguments behind it.
CLI::Option* add_list(CLI::App* app, std::string const& name, std::vector<std::string>& into, std::string const& help) {
  return app->add_option(name, into, help)->delimiter(',')->allow_extra_args(false)->type_name("A,B");
}

template <class T, class Parse>
void add_parsed(CLI::App* app, std::string const& name, std::optional<T>& into, std::string const& type,
                std::string const& help, Parse parse, std::string const& example) {
  app->add_option_function<std::string>(
         name,
         [&into, name, parse, example](std::string const& text) {
           into = parse(text);
           if (!into)
             throw UsageError(fmt::format("'{}' is not a value it takes", text), name, "give for example " + example);
         },
         help)
      ->type_name(type);
}

/// Less than a second does not even cover the start-up.
std::optional<Nanoseconds> parse_budget(std::string_view text) {
  auto const time = parse_duration(text);
  return time && time->value >= 1e9 ? time : std::nullopt;
}

void add_machine(CLI::App& app, MachineArguments& a) {
  auto* c = app.add_subcommand("machine",
                               "What this machine is: caches, page sizes, clear instructions, clock, Linux settings");
  c->add_flag("--json", a.json, "JSON on stdout");
  c->add_option("--sysroot", a.sysroot, "read /sys and /proc under DIR, asking this host nothing")->type_name("DIR");
  c->footer(
      "Every fact names its source; what is not known says why.\nExample: folioscope machine --json | jq '.facts[] | "
      "select(.key | startswith(\"cache\"))'");
}

void add_list_command(CLI::App& app, ListArguments& a) {
  auto* c = app.add_subcommand(
      "list", "What can be named: kernels, orders, counters, backings, experiments, paths, mechanisms");
  c->add_option("WHAT", a.what, "kernels | orders | counters | backings | experiments | paths | mechanisms")
      ->required();
  c->add_flag("--json", a.json, "JSON on stdout");
  c->add_option("--groups", a.groups, "counter groups of your own beside the built-in ones")->type_name("DIR");
  c->footer("Example: folioscope list kernels      shows which this machine can run, and why not the others");
}

void add_sweep(CLI::App& app, SweepArguments& a) {
  auto* c = app.add_subcommand("sweep", "Measure an experiment's cells in randomised blocks; ends with the verdict");
  c->add_option("--experiment", a.experiment, "a name of `list experiments`, or a TOML file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_parsed(c, "--budget", a.budget, "TIME", "wall time to spend, start-up included: 60s, 10m (the experiment's own)",
             parse_budget, "60s, 10m; at least 1s");
  c->add_option("--out", a.out, "capsule to write or append to (./MODEL-DATE.folioscope)")->type_name("FILE");
  c->add_flag(
      "--resume", a.resume,
      "continue the last unfinished campaign, by its own plan, of the capsule --out (the newest MODEL-DATE here)");
  add_list(c, "--kernels", a.kernels, "kernels, of `list kernels`");
  add_list(c, "--orders", a.orders, "orders, of `list orders`; a number after @, as neighbourhood_last@2");
  c->add_option("--order-file", a.order_files, "an order of your own, added to the orders; may be given again")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  add_list(c, "--states", a.states, "cold, hot, cold-zero");
  add_list(c, "--footprints", a.footprints, "folios (1,8,100), sizes (64K) or shares of a cache (L2/2)");
  add_list(c, "--backings", a.backings, "base, mthp-64K, thp, thp-pte, hugetlb-2M, tmpfs");
  add_list(c, "--targets", a.targets, "base page that must be hot: 0, 128, N/4, N-1");
  add_list(c, "--runs", a.runs, "the unit an order permutes: 64 to the folio, page, folio");
  add_list(c, "--calls", a.calls, "the most handed to a kernel at once: page, 64K, stretch");
  add_list(c, "--prefetches", a.prefetches, "how far ahead in the order to prefetch: 0, 256, 4K");
  add_list(c, "--fences", a.fences, "call, pass (kernels with weakly ordered stores only)");
  add_list(c, "--threads", a.threads, "1, 2, all");
  add_list(c, "--counters", a.counters,
           "counter groups, of `list counters`: fills, zen4/stores, software, all; counted in passes of their own");
  c->add_option("--groups", a.groups, "counter groups of your own beside the built-in ones")->type_name("DIR");
  add_parsed(c, "--max-memory", a.max_memory, "SIZE", "bound on all buffers together", parse_bytes, "4G");
  add_parsed(
      c, "--seed", a.seed, "N", "seed of the block order and the draws",
      [](std::string const& text) -> std::optional<std::uint64_t> {
        try {
          std::size_t used = 0;
          auto const n = std::stoull(text, &used);
          if (used == text.size() && text[0] != '-') return n;
        } catch (std::exception const&) {
        }
        return std::nullopt;
      },
      "--seed 7");
  c->add_flag("--allow-system-changes", a.allow_system_changes,
              "may switch mTHP sizes and grow hugetlb pools; restored afterwards");
  c->footer(
      "Lists replace the experiment's own levels. Ctrl-C keeps the blocks so far (exit 3).\n"
      "Examples:\n"
      "  folioscope sweep                                        60 s, the usual question\n"
      "  folioscope sweep --experiment standard --out here.folioscope\n"
      "  folioscope sweep --orders reverse,target_last --kernels rep_stosb --footprints 1,512 --budget 30s\n"
      "  folioscope sweep --counters fills,stores,faults         cache misses beside times, where there is a PMU\n"
      "  folioscope sweep --order-file mine=order.txt --orders target_last --out here.folioscope");
}

void add_linux(CLI::App& app, LinuxArguments& a) {
  auto* c = app.add_subcommand(
      "linux", "Measure the running Linux's own clearing, unpatched and unprivileged: in which order, and how fast");
  c->add_option("paths", a.paths, "paths, of `list paths` (all of them)")->type_name("PATH");
  c->add_flag("--json", a.json, "JSON on stdout");
  add_parsed(c, "--budget", a.budget, "TIME", "wall time to spend (60s)", parse_budget, "60s, 10m; at least 1s");
  c->add_option("--out", a.out, "capsule to write or append to (./MODEL-DATE.folioscope)")->type_name("FILE");
  c->add_flag("--resume", a.resume, "continue the capsule's last unfinished campaign by its own plan");
  add_parsed(c, "--max-memory", a.max_memory, "SIZE", "bound on the memory of all paths together", parse_bytes, "4G");
  add_list(c, "--threads", a.threads, "1, 2, all");
  add_list(c, "--index", a.indices, "base pages to touch first: 0, 128, 511 (17 of them, evenly spread)");
  c->add_flag("--allow-system-changes", a.allow_system_changes,
              "may switch mTHP sizes and grow hugetlb pools; restored afterwards");
  c->footer(
      "Which page of a huge page is touched first decides in which order Linux v4.14 to v6.19 clears it.\n"
      "Examples:\n"
      "  folioscope linux fault-order --budget 30s\n"
      "  folioscope linux fault-order --index 0,128,256,384,511 --json");
}

void add_analysis(CLI::App& app, ExplainArguments& e, ReportArguments& r, CompareArguments& c, ExportArguments& x,
                  MergeArguments& m) {
  auto* explain = app.add_subcommand("explain", "The verdict of one or more capsules, in words");
  explain->add_option("files", e.files, "capsules")->required()->type_name("FILE");
  auto* json = explain->add_flag("--json", e.json, "JSON on stdout");
  explain->add_flag("--mail", e.mail, "plain text for a mailing list, 72 columns")->excludes(json);
  auto const add_foreign = [](CLI::App* to, std::vector<std::string>& files) {
    to->add_option("--foreign", files, "published figures of your own to stand beside it; repeatable")
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
  };
  add_foreign(explain, e.foreign);
  explain->footer("Example: folioscope explain amd-epyc-2026-11-30.folioscope --mail | less");

  auto* report = app.add_subcommand("report", "One page with every figure, opens offline");
  report->add_option("files", r.files, "capsules")->required()->type_name("FILE");
  report->add_option("-o,--out", r.out, "the page")->type_name("FILE")->capture_default_str();
  report->add_option("--svg", r.svg, "also write the figures as SVG files")->type_name("DIR");
  add_foreign(report, r.foreign);
  report->footer("Example: folioscope report a.folioscope b.folioscope -o both.html --svg figures");

  auto* compare = app.add_subcommand("compare", "Two or more capsules, cell by cell");
  compare->add_option("files", c.files, "capsules; the first is what the others are compared with")
      ->required()
      ->expected(2, 1000)
      ->type_name("FILE");
  compare->add_flag("--json", c.json, "JSON on stdout");
  compare->add_option("--fail-on", c.fail_on, "exit 4 when a cell is slower by more than this with confidence")
      ->type_name("slower:3%");
  compare->footer("Example: folioscope compare before.folioscope after.folioscope --fail-on slower:3%");

  auto* out = app.add_subcommand("export", "Every sample of a capsule for other tools");
  out->add_option("file", x.file, "capsule")->required()->type_name("FILE");
  auto* csv = out->add_flag_callback(
      "--csv", [&x] { x.format = "csv"; }, "a row a sample");
  auto* xjson = out->add_flag_callback(
                       "--json", [&x] { x.format = "json"; }, "everything")
                    ->excludes(csv);
  out->add_flag_callback(
         "--gbench", [&x] { x.format = "gbench"; }, "as Google Benchmark writes, for its compare.py")
      ->excludes(csv)
      ->excludes(xjson);
  out->footer("Example: folioscope export here.folioscope --csv > samples.csv");

  auto* merge = app.add_subcommand("merge", "Several capsules in one file");
  merge->add_option("files", m.files, "capsules")->required()->type_name("FILE");
  merge->add_option("-o,--out", m.out, "the capsule to write; must not exist")->required()->type_name("FILE");
  merge->footer("Example: folioscope merge monday.folioscope tuesday.folioscope -o week.folioscope");
}

/// A resumed campaign has its plan.
void refuse_beside_resume(CLI::App const& app) {
  if (app.get_option("--resume")->count() == 0) return;
  for (auto const* option : app.get_options()) {
    std::string const name = option->get_name();
    bool const fits = name == "--resume" || name == "--out" || name == "--json" || name == "--budget" ||
                      name == "--allow-system-changes";
    if (option->count() > 0 && !fits)
      throw UsageError(fmt::format("--resume goes on by the campaign's own plan, {} would change it", name),
                       app.get_name(), "leave that out, or leave out --resume");
  }
}

std::vector<std::string> option_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* option : app.get_options())
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* c : app.get_subcommands([](CLI::App const*) { return true; })) names.push_back(c->get_name());
  return names;
}

/// Turns CLI11's complaint into one line with the nearest right word.
[[noreturn]] void complain(CLI::App const& app, CLI::ParseError const& error, int argc, char const* const* argv) {
  auto const chosen = app.get_subcommands();
  CLI::App const& at = chosen.empty() ? app : *chosen.front();
  std::string const where = chosen.empty() ? "command line" : at.get_name();
  std::string const remedy = fmt::format("see `folioscope {}--help`", chosen.empty() ? "" : at.get_name() + " ");
  auto const options = option_names(at);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.starts_with("--")) {
      word = word.substr(0, word.find('='));
      if (std::find(options.begin(), options.end(), word) != options.end() || chosen.empty()) continue;
      auto const near = nearest_name(word, options);
      throw UsageError(fmt::format("unknown option {}", word), where,
                       near ? fmt::format("did you mean {}?", *near) : remedy);
    }
  }
  if (chosen.empty() && argc > 1 && argv[1][0] != '-') {
    auto const near = nearest_name(argv[1], command_names(app));
    throw UsageError(fmt::format("unknown command '{}'", argv[1]), where,
                     near ? fmt::format("did you mean '{}'?", *near) : remedy);
  }
  throw UsageError(error.what(), where, remedy);
}

}  // namespace

Arguments parse(int argc, char const* const* argv) {
  CLI::App app{
      "folioscope: in what order, and with which instructions, should this machine clear huge pages, and why?"};
  app.set_version_flag("--version", "folioscope " FOLIOSCOPE_VERSION);
  app.name("folioscope");
  app.require_subcommand(1);
  app.footer(
      "Start with `folioscope sweep`: a minute later it says what this machine prefers. Each command has --help with "
      "an example.\n"
      "Exit status: 0 done, 1 a file failed or every cell was refused, 2 usage, 3 stopped by a signal with the work "
      "kept, 4 a --fail-on condition held.");
  MachineArguments machine;
  ListArguments list;
  SweepArguments sweep;
  LinuxArguments linux_arguments;
  ExplainArguments explain;
  ReportArguments report;
  CompareArguments compare;
  ExportArguments out;
  MergeArguments merge;
#ifdef FOLIOSCOPE_MEASURE
  add_machine(app, machine);
  add_list_command(app, list);
  add_sweep(app, sweep);
  add_linux(app, linux_arguments);
#endif
  add_analysis(app, explain, report, compare, out, merge);
  if (argc <= 1) {
    std::fputs(app.help().c_str(), stderr);
    throw UsageError("no command given", "command line", "start with `folioscope sweep`");
  }
  try {
    if (argc == 2 && std::string_view(argv[1]) == "help") throw CLI::CallForHelp();
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    auto const chosen = app.get_subcommands();
    std::fputs((chosen.empty() ? app.help() : chosen.front()->help("folioscope")).c_str(), stdout);
    return Nothing{};
  } catch (CLI::CallForVersion const&) {
    std::puts("folioscope " FOLIOSCOPE_VERSION);
    return Nothing{};
  } catch (CLI::ParseError const& error) {
    complain(app, error, argc, argv);
  }
  if (app.got_subcommand("explain")) return explain;
  if (app.got_subcommand("report")) return report;
  if (app.got_subcommand("compare")) return compare;
  if (app.got_subcommand("export")) {
    if (out.format.empty()) throw UsageError("no format given", "export", "add --csv, --json or --gbench");
    return out;
  }
  if (app.got_subcommand("merge")) return merge;
#ifdef FOLIOSCOPE_MEASURE
  for (char const* command : {"sweep", "linux"})
    if (app.got_subcommand(command)) refuse_beside_resume(*app.get_subcommand(command));
  if (app.got_subcommand("machine")) {
    if (machine.sysroot.empty() && app.get_subcommand("machine")->get_option("--sysroot")->count() > 0)
      throw UsageError("an empty name", "--sysroot", "give the folder that holds sys/ and proc/");
    return machine;
  }
  if (app.got_subcommand("list")) return list;
  if (app.got_subcommand("sweep")) return sweep;
  if (app.got_subcommand("linux")) return linux_arguments;
#endif
  return Nothing{};
}

}  // namespace folioscope::cli
