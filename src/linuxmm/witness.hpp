// SPDX-License-Identifier: Apache-2.0
// Which lines are near right after a fault: what was cleared last is still in a near cache, what was cleared first is
// not. The residency probe's samples (lines of one page, as many as the tick asks for), beside two states made on
// purpose. The second witness where fault times do not depend on the page touched first.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "machine/clock.hpp"
#include "record/capsule.hpp"
#include "terms/random.hpp"
#include "terms/units.hpp"

namespace folioscope {

/// Per line of a page's sample, what reading the clock costs taken off.
struct Nearness {
  Nanoseconds near;    ///< the page after the one touched (the first)
  Nanoseconds last;    ///< the folio's last page
  Nanoseconds cached;  ///< a page whose lines were just loaded
  Nanoseconds cold;    ///< a page just written past the caches
};
/// Of a folio whose page 0 was touched first. Overwrites a page of the folio's middle.
Nearness look_after_fault(std::byte* folio, Bytes length, Bytes base_page, Clock const& clock, Random& random);

/// As points PREFIX.near, .last, .cached and .cold; x: the page touched first.
std::vector<Point> near_points(std::string const& prefix, std::string const& label, double x, Nearness const& seen);

}  // namespace folioscope
