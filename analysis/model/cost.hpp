// SPDX-License-Identifier: Apache-2.0
// What a pass costs by a few physical quantities. A stretch streams at a price per byte. Where a stretch starts anew,
// its first bytes cost more, page by page, until it has run up; where it goes on from where an earlier stretch ended,
// that is spared as long as few other streams came between. Calls, of a base page or more, and fences cost a
// fixed time each. What no longer fits the last-level cache's share must be written back while clearing, and a start
// may cost more then.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "terms/cell.hpp"
#include "terms/plan.hpp"

namespace folioscope {

enum class Physical { stream, write_back, llc_share, page_start, spilled_start, run_up, streams, call, fence };
inline constexpr std::size_t physicals = 9;

struct PhysicalName {
  Physical which;
  std::string_view name, unit, meaning;
};
std::array<PhysicalName, physicals> const& physical_names();
/// Else a length or a number, that prices depend on.
bool is_price(Physical which);

/// By Physical, in ns and bytes: stream and write_back per byte, page_start and spilled_start per base page, run_up and
/// llc_share in bytes, streams as a number, call and fence per call.
using PhysicalValues = std::array<double, physicals>;

/// Stretches of one length that begin alike.
struct StretchKind {
  double length = 0;                    ///< bytes
  std::optional<std::uint32_t> others;  ///< stretches since the one that it goes on from; null: it starts anew
  double count = 0;                     ///< per pass
};

/// All that the costs depend on.
struct PassShape {
  double bytes = 0;      ///< of one thread's pass
  double footprint = 0;  ///< bytes
  double base_page = 4096;
  double calls = 0, fences = 0;
  std::vector<StretchKind> stretches;
};
PassShape shape_of(PlannedCell const& planned, Bytes base_page, Bytes folio);

/// Nanoseconds of a pass.
double cost(PassShape const& shape, PhysicalValues const& values);
/// The share of a fresh start's cost that a resumed stretch pays with so many others in between: a half where they are
/// as many as the machine follows.
double lost_share(double others, double streams);

}  // namespace folioscope
