// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/witness.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "backing/state.hpp"
#include "probe/residency.hpp"

namespace folioscope {

namespace {

/// Every line of a page, so that each is near.
void load_page(std::byte const* page, Bytes bytes) {
  std::vector<std::uint32_t> lines;
  for (std::uint32_t line = 0; line < bytes.value; line += 64) lines.push_back(line);
  chase_ticks(page, lines);
}

}  // namespace

Nearness look_after_fault(std::byte* folio, Bytes length, Bytes base_page, Clock const& clock, Random& random) {
  Bytes const bytes = std::min(base_page, 4_KiB);  // two of them are within what may be looked at after one pass
  ProbeClock const probe_clock{clock.ns_per_tick, clock.tick, {}};
  auto const clock_cost = clock_cost_ticks();
  std::byte* const near = folio + base_page.value;
  std::byte* const last = folio + length.value - base_page.value;
  std::byte* const middle = folio + length.value / 2;
  auto const sample = [&](std::byte const* page) {
    return sample_page(page, bytes, probe_clock, clock_cost, random).per_line;
  };
  // The loop itself is warm, as it is not after a fault.
  sample(folio);
  Nearness seen;
  // By turns, so that neither always comes behind the fault's own wake.
  if (random.below(2)) {
    seen.near = sample(near);
    seen.last = sample(last);
  } else {
    seen.last = sample(last);
    seen.near = sample(near);
  }
  load_page(near, bytes);
  seen.cached = sample(near);
  make_state(State::cold, std::span(&middle, 1), base_page, base_page, random);
  seen.cold = sample(middle);
  return seen;
}

std::vector<Point> near_points(std::string const& prefix, std::string const& label, double x, Nearness const& seen) {
  return {{prefix + ".near", label, x, seen.near.value, {}, {}},
          {prefix + ".last", label, x, seen.last.value, {}, {}},
          {prefix + ".cached", label, x, seen.cached.value, {}, {}},
          {prefix + ".cold", label, x, seen.cold.value, {}, {}}};
}

}  // namespace folioscope
