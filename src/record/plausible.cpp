// SPDX-License-Identifier: Apache-2.0
#include "record/plausible.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace folioscope {
namespace {

constexpr double longest_ns = 86400e9, longest_s = 366 * 86400.0;
// Sizes, frame numbers, counts: below 2^63, as everything that Linux counts.
constexpr double largest = 9.3e18;

bool lasts(Nanoseconds time) { return time.value >= 0 && time.value <= longest_ns; }
bool counts(double value) { return std::fabs(value) <= largest; }  // false for what is no number

bool has_times(Sample const& s) {
  // CPU times are differences of clocks of their own: a little below nothing is possible.
  auto const cpu = [](Nanoseconds time) { return std::fabs(time.value) <= longest_ns; };
  return s.wall.value > 0 && lasts(s.wall) && cpu(s.user) && cpu(s.system) && lasts(s.state);
}

/// By cell: whether its kernel stores to all that it is given.
std::vector<bool> storing(Campaign const& c) {
  std::vector<bool> all;
  for (PlannedCell const& planned : c.plan.cells) {
    auto const k = std::ranges::find(c.kernels, planned.cell.kernel, &KernelContract::name);
    all.push_back(k == c.kernels.end() || k->store != StoreKind::none);
  }
  return all;
}

/// Times of a block that cannot be become none; whether there was one.
bool repair(Block& b) {
  bool damaged = false;
  auto const keep = [&](double& value, double most) {
    if (value >= 0 && value <= most) return;
    value = 0;
    damaged = true;
  };
  keep(b.started_s, longest_s);
  for (Nanoseconds* time : {&b.elapsed, &b.clearing, &b.making_state}) keep(time->value, longest_ns);
  for (double* add : {&b.add_ns_before, &b.add_ns_after}) keep(*add, 1e6);
  keep(b.steal_s, longest_s);
  return damaged;
}

}  // namespace

Campaign plausible(Campaign c) {
  auto const stores = storing(c);
  auto const too_fast = [&](Sample const& s) {
    if (s.cell >= stores.size() || !stores[s.cell]) return false;
    double const bytes = static_cast<double>(c.plan.cells[s.cell].cell.footprint.value) * s.copies;
    return bytes / s.wall.value > fastest_bytes_per_ns;
  };
  std::string list;
  auto const say = [&](std::size_t n, std::string_view one, std::string_view why) {
    if (n) list += fmt::format("{}{} {}{} {}", list.empty() ? "" : "; ", n, one, n == 1 ? "" : "s", why);
  };
  say(std::erase_if(c.samples, [](Sample const& s) { return !has_times(s); }), "sample", "with a time that cannot be");
  say(std::erase_if(c.samples, too_fast), "sample", "faster than any core can store (1 TB/s)");
  say(std::erase_if(c.readings,
                    [](Reading const& r) { return !counts(r.value) || !lasts(r.enabled) || !lasts(r.running); }),
      "count", "that cannot be");
  // An x that is no number is the record's null: memory has no bound among the probe's levels.
  say(std::erase_if(c.points, [](Point const& p) { return !(counts(p.x) || std::isnan(p.x)) || !counts(p.y); }),
      "point", "with a figure that cannot be");
  say(static_cast<std::size_t>(std::ranges::count_if(c.blocks, repair)), "block", "with a time that cannot be");
  for (Placement& p : c.placements)
    if (p.common_frames && !(*p.common_frames >= 0 && *p.common_frames <= 1)) p.common_frames.reset();
  if (!list.empty()) c.left_out = "Left out, as damaged: " + list + ".";
  return c;
}

}  // namespace folioscope
