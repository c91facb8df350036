// SPDX-License-Identifier: Apache-2.0
#include "campaign/disturbance.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace folioscope {
namespace {

constexpr double tolerance = 0.05;
constexpr int steal_column = 8;  // proc(5): user nice system idle iowait irq softirq steal

double median(std::span<double const> ascending) {
  std::size_t const middle = ascending.size() / 2;
  return ascending.size() % 2 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2;
}

}  // namespace

void mark(Block& block, std::string_view why) {
  block.marked = true;
  block.note += fmt::format("{}{}", block.note.empty() ? "" : "; ", why);
}

void CoreClock::seen(Block const& block) {
  for (double const ns : {block.add_ns_before, block.add_ns_after})
    if (ns > 0 && std::isfinite(ns)) readings_.insert(std::ranges::upper_bound(readings_, ns), ns);
}

void CoreClock::judge(Block& block) {
  seen(block);
  if (readings_.empty()) return;
  double const usual = median(readings_);
  for (double const ns : {block.add_ns_before, block.add_ns_after}) {
    double const off = usual / ns - 1;  // as a clock: more ns an add is a slower core
    if (!(ns > 0) || !(std::fabs(off) > tolerance)) continue;
    mark(block, fmt::format("core clock {:+.0f} %", off * 100));
    return;
  }
}

std::optional<double> stolen_seconds(std::string_view stat, std::span<unsigned const> cpus, double ticks_per_second) {
  std::istringstream lines{std::string(stat)};
  double ticks = 0;
  bool any = false;
  for (std::string line; std::getline(lines, line);) {
    unsigned cpu = 0;
    if (!line.starts_with("cpu")) break;  // the CPUs come first; the interrupt counts behind them may be megabytes
    auto const [end, error] = std::from_chars(line.data() + 3, line.data() + line.size(), cpu);
    if (error != std::errc() || !std::ranges::binary_search(cpus, cpu)) continue;
    std::istringstream columns(line.substr(static_cast<std::size_t>(end - line.data())));
    double value = 0;
    int column = 0;
    while (column < steal_column && columns >> value) ++column;
    if (column < steal_column) continue;
    ticks += value;
    any = true;
  }
  return any ? std::optional(ticks / ticks_per_second) : std::nullopt;
}

double stolen_now(std::span<unsigned const> cpus, std::filesystem::path const& stat) {
  std::ifstream file(stat);
  std::stringstream text;
  text << file.rdbuf();
  return stolen_seconds(text.str(), cpus, static_cast<double>(sysconf(_SC_CLK_TCK)))
      .value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace folioscope
