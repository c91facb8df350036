// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/text.hpp"
#include "kernels/kernel.hpp"

namespace folioscope::cli {
namespace {

std::string slug(std::string const& name) {
  std::string out;
  for (char c : name) {
    bool const word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    bool const capital = c >= 'A' && c <= 'Z';
    if (word || capital)
      out += static_cast<char>(capital ? c - 'A' + 'a' : c);
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "machine" : out.substr(0, 40);
}

std::string model_slug(Machine const& machine) {
  return slug(machine.model.empty() ? machine.architecture : machine.model);
}

/// The load average of a minute remembers what has ended, such as the build of this very program.
bool others_run_now() {
  constexpr int looks = 5;
  int seen = 0;
  for (int i = 0; i < looks; ++i) {
    double average = 0;
    int running = 0;
    if (std::ifstream file("/proc/loadavg"); file >> average >> average >> average >> running) seen += running > 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return seen > looks / 2;
}

}  // namespace

std::string default_out(Machine const& machine) {
  std::time_t const now = std::time(nullptr);
  std::tm day{};
  localtime_r(&now, &day);
  return fmt::format("{}-{:04}-{:02}-{:02}.folioscope", model_slug(machine), day.tm_year + 1900, day.tm_mon + 1,
                     day.tm_mday);
}

std::string newest_out(Machine const& machine) {
  constexpr std::string_view date = "-0000-00-00.folioscope";
  std::string const begin = model_slug(machine);
  std::string newest;
  std::error_code unreadable;
  for (auto const& entry : std::filesystem::directory_iterator(".", unreadable)) {
    std::string name = entry.path().filename().string();
    bool const ours =
        name.size() == begin.size() + date.size() && name.starts_with(begin) && name.ends_with(".folioscope");
    if (ours && name > newest) newest = std::move(name);  // dates sort as text
  }
  return newest.empty() ? default_out(machine) : newest;
}

void refuse_other_machine(Campaign const& before, Machine const& machine, std::string const& out) {
  Plan const& plan = before.plan;
  if (plan.base_page != machine.base_page || (machine.folio && plan.folio != *machine.folio))
    throw Error(fmt::format("its plan is for pages of {} and {}, and this Linux has {} and {}",
                            format_bytes(plan.base_page), format_bytes(plan.folio), format_bytes(machine.base_page),
                            machine.folio ? format_bytes(*machine.folio) : "unknown"),
                out, "measure anew with another --out");
  auto const was = before.facts.value(fact::linux_release).as_string();
  auto const is = machine.facts.value(fact::linux_release).as_string();
  if (was && is && *was != *is)
    say("folioscope: this campaign began on Linux {}, and {} runs now: both stand in its figures\n", printable(*was),
        printable(*is));
  else if (before.facts.value(fact::boot_id) != machine.facts.value(fact::boot_id))
    say("folioscope: this machine was booted anew since the campaign began: both boots stand in its figures\n");
}

std::vector<KernelContract> contracts() {
  std::vector<KernelContract> out;
  for (Kernel const& kernel : kernel_catalogue()) out.push_back(kernel.contract);
  return out;
}

void say_refusals(std::vector<Refusal> const& refusals) {
  if (refusals.empty()) return;
  say("folioscope: not measured here:\n");
  std::size_t said = 0;
  for (Refusal const& r : refusals) {
    if (++said > 12) {
      say("  ... and {} more (explain lists them)\n", refusals.size() - 12);
      break;
    }
    say("  {}: {}{}\n", printable(r.subject), printable(r.reason), r.remedy.empty() ? "" : "; " + printable(r.remedy));
  }
}

void say_load(Machine const& machine) {
  double load = 0;
  if (std::ifstream file("/proc/loadavg"); !(file >> load)) return;
  auto const cpus = static_cast<double>(std::max<std::size_t>(machine.allowed_cpus.size(), 1));
  if (load > 0.5 * cpus && others_run_now())
    say("folioscope: other programs keep this machine busy (load average {:.1f} on {:.0f} CPUs): figures will be "
        "rough; leave it alone meanwhile\n",
        load, cpus);
}

void say_outcome(Outcome const& outcome, bool resumed, std::string const& out) {
  say("folioscope: {}; {} {}block{} in {}\n", outcome.stop_reason, outcome.blocks, resumed ? "more " : "",
      outcome.blocks == 1 ? "" : "s", out);
}

void show(ProgressLine& line, Progress const& p) {
  double const total = p.elapsed_s + p.left_s;
  line.show(total > 0 ? p.elapsed_s / total : 0, p.elapsed_s, p.left_s,
            fmt::format("block {}, placement {}, {:.0f} % of ratios precise", p.blocks + 1, p.placements,
                        p.precise_share * 100));
}

}  // namespace folioscope::cli
