// SPDX-License-Identifier: Apache-2.0
// bench_clear: every usable clear kernel x order x footprint x state x backing as Google Benchmark sees it. Time is
// manual, from measure(); repetitions are interleaved at random. Google Benchmark's own flags (--benchmark_filter,
// --benchmark_out) work as ever.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/matrix.hpp"
#include "bench/stand.hpp"
#include "kernels/kernel.hpp"
#include "measure/counter_host.hpp"

namespace folioscope::bench {
namespace {

void print_help() {
  fmt::print(
      "bench_clear times kernels that clear memory, in every order, from cold and hot\n\n"
      "  --kernels A,B  --orders A,B  --runs 4K,64K  --calls 4K,2M  --footprints 64K,1,100   sizes, or folios\n"
      "  --states cold,hot,cold-zero  --backings thp,base,hugetlb-2M  --threads 1,2  --fences pass,call  --prefetches "
      "0,1K\n"
      "  --in-place N       a pass clears the same memory N times in a row, as programs that loop over one buffer do;\n"
      "                     8 such passes\n"
      "  --counters A,B     counter groups, of `folioscope list counters`: means a pass as user counters, events and\n"
      "                     their trust; --groups DIR: groups of your own\n"
      "\nexample: bench_clear --benchmark_filter='clear/rep_stosb/.*/1folio/cold/thp' --benchmark_out=a.json\n"
      "         (two such files: Google Benchmark's tools/compare.py benchmarks a.json b.json)\n\n");
}

std::optional<std::uint32_t> take_in_place(int& argc, char** argv) {
  std::string const text = take_flag(argc, argv, "in-place");
  if (text.empty()) return std::nullopt;
  std::uint32_t times = 0;
  auto const [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), times);
  if (trouble != std::errc{} || end != text.data() + text.size() || times == 0)
    throw UsageError(fmt::format("'{}' is no value of it", text), "--in-place", "give a number of times, from 1");
  return times;
}

/// Before the user's own flags, so that those win. The means of repetitions that follow each other would show drift as
/// difference.
std::vector<std::string> with_defaults(int argc, char** argv) {
  std::vector<std::string> arguments{argv[0], "--benchmark_enable_random_interleaving=true",
                                     "--benchmark_repetitions=3", "--benchmark_min_time=0.02"};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return arguments;
}

void add_context(Machine const& machine, Clock const& clock) {
  benchmark::AddCustomContext("folioscope", FOLIOSCOPE_VERSION);
  benchmark::AddCustomContext("cpu", machine.model);
  benchmark::AddCustomContext("thp", machine.thp_mode);
  benchmark::AddCustomContext("base_page", compact_bytes(machine.base_page));
  benchmark::AddCustomContext("folio", machine.folio ? compact_bytes(*machine.folio) : "unknown");
  benchmark::AddCustomContext("linux_clear_kernel", machine.linux_kernel);
  benchmark::AddCustomContext("clocksource", clock.source);
  benchmark::AddCustomContext("tick_ns", fmt::format("{:.3g}", clock.tick.value));
  benchmark::AddCustomContext("ns_per_add", fmt::format("{:.4g}", ns_per_add(clock)));
  for (std::string_view key : {fact::linux_release, fact::preemption, fact::hypervisor})
    if (Json const& value = machine.facts.value(key); !value.is_null())
      benchmark::AddCustomContext(std::string(key), value.as_string() ? *value.as_string() : value.dump());
  if (machine.emulator) benchmark::AddCustomContext("emulator", *machine.emulator + ": timings are no results");
}

/// A pass in place is as long as its caller wants: finding a number of passes would repeat the state for nothing.
constexpr int passes_in_place = 8;

void add_benchmarks(Levels const& levels, Machine const& machine, Stand& stand, bool in_place) {
  for (Kernel const& kernel : kernel_catalogue())
    if (auto const refusal = refuse(kernel.contract, machine.features); refusal && kernel.clear)
      benchmark::RegisterBenchmark(
          ("clear/" + kernel.contract.name).c_str(),
          [reason = refusal->reason](benchmark::State& state) { state.SkipWithError(reason.c_str()); });
  for (NamedCell const& named : cells_of(levels, machine)) {
    if (refuse(find_kernel(named.cell.kernel)->contract, machine.features)) continue;
    auto* const added =
        benchmark::RegisterBenchmark(named.name.c_str(),
                                     [&stand, cell = named.cell](benchmark::State& state) { stand.run(state, cell); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
    if (in_place) added->Iterations(passes_in_place);
  }
}

std::vector<std::string> words_of(std::string const& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

/// What does not count is named on stderr; the trust of what does stands in the context of the output.
Counters open_groups(std::string const& list, std::string const& folder, Machine const& machine) {
  CounterHost const host = counter_host(machine);
  CounterCatalogue const catalogue = CounterCatalogue::read(folder);
  auto const chosen = catalogue.choose(words_of(list), host);
  Counters counters = open_counters(chosen, catalogue, host);
  for (EventStatus const& event : counters.events)
    if (event.usable)
      benchmark::AddCustomContext(event.group + " " + event.name,
                                  fmt::format("{}, by {}, trust {}", event.scope, event.opened_by,
                                              event.trust ? fmt::format("{:.3g}", *event.trust) : "not known"));
    else
      fmt::print(stderr, "bench_clear: {} {} is not counted: {}{}\n", event.group, event.name, event.reason,
                 event.remedy.empty() ? "" : "; " + event.remedy);
  if (counters.passes.empty()) throw Error("no event of it counts here", "--counters " + list, "the reasons are above");
  return counters;
}

int run(int argc, char** argv) {
  std::string const groups = take_flag(argc, argv, "counters");
  std::string const own_groups = take_flag(argc, argv, "groups");
  std::optional<std::uint32_t> const in_place = take_in_place(argc, argv);
  Levels const levels = take_levels(argc, argv);
  std::vector<std::string> arguments = with_defaults(argc, argv);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, pointers.data(), print_help);
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  Machine const machine = read_machine();
  Counters counters;
  if (!groups.empty()) counters = open_groups(groups, own_groups, machine);
  Stand stand(machine, *std::ranges::max_element(levels.threads), std::move(counters.passes), in_place);
  add_context(machine, stand.clock());
  add_benchmarks(levels, machine, stand, in_place.has_value());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace folioscope::bench

int main(int argc, char** argv) try {
  return folioscope::bench::run(argc, argv);
} catch (folioscope::Error const& error) {
  fmt::print(stderr, "bench_clear: {}\n", error.what());
  return static_cast<int>(error.status());
}
