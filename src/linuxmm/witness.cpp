// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/witness.hpp"

#include <algorithm>
#include <cstdint>

#include "backing/state.hpp"
#include "probe/chain.hpp"

namespace folioscope {

Nearness look_after_fault(std::byte* folio, Bytes length, Bytes base_page, Clock const& clock, Random& random) {
  std::uint64_t const line = 64 * (1 + random.below(base_page.value / 64 - 1));  // not the touched one
  auto const near = static_cast<std::uint32_t>(base_page.value + line);
  auto const last = static_cast<std::uint32_t>(length.value - base_page.value + line);
  auto const middle = static_cast<std::uint32_t>(length.value / 2);
  std::uint32_t const touched = 0;
  auto const load = [&](std::uint32_t offset) {
    // A load of the touched line first: the translation and the loop itself are warm, as they are not after a fault.
    chase_ticks(folio, {&touched, 1});
    std::uint64_t const empty = chase_ticks(folio, {});
    std::uint64_t const with = chase_ticks(folio, {&offset, 1});
    return Nanoseconds(std::max(0.0, static_cast<double>(with) - static_cast<double>(empty)) * clock.ns_per_tick);
  };
  Nearness seen;
  // By turns, so that neither always comes behind the fault's own wake.
  if (random.below(2)) {
    seen.near = load(near);
    seen.last = load(last);
  } else {
    seen.last = load(last);
    seen.near = load(near);
  }
  seen.cached = load(near);
  std::byte* const page = folio + middle;
  make_state(State::cold, std::span(&page, 1), base_page, base_page, random);
  seen.cold = load(middle + static_cast<std::uint32_t>(line));
  return seen;
}

std::vector<Point> near_points(std::string const& prefix, std::string const& label, double x, Nearness const& seen) {
  return {{prefix + ".near", label, x, seen.near.value, {}, {}},
          {prefix + ".last", label, x, seen.last.value, {}, {}},
          {prefix + ".cached", label, x, seen.cached.value, {}, {}},
          {prefix + ".cold", label, x, seen.cold.value, {}, {}}};
}

}  // namespace folioscope
