// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace folioscope {
namespace {

constexpr double at(PhysicalValues const& values, Physical which) { return values[static_cast<std::size_t>(which)]; }

}  // namespace

std::array<PhysicalName, physicals> const& physical_names() {
  static constexpr std::array<PhysicalName, physicals> names{{
      {Physical::stream, "stream", "ns/byte", "streaming on through contiguous lines"},
      {Physical::write_back, "write_back", "ns/byte", "writing back what the last-level cache no longer holds"},
      {Physical::llc_share, "llc_share", "bytes", "what the last-level cache holds of the cleared lines"},
      {Physical::page_start, "page_start", "ns/page", "more per base page while a stretch runs up"},
      {Physical::spilled_start, "spilled_start", "ns/page",
       "that price's increase where lines are written back meanwhile"},
      {Physical::run_up, "run_up", "bytes", "until a stretch that started anew streams"},
      {Physical::streams, "streams", "streams", "streams by turns that the machine follows"},
      {Physical::call, "call", "ns/call", "a call of the kernel, of a base page or more"},
      {Physical::fence, "fence", "ns/fence", "a fence after a call"},
  }};
  return names;
}

bool is_price(Physical p) { return p != Physical::llc_share && p != Physical::run_up && p != Physical::streams; }

PassShape shape_of(PlannedCell const& planned, Bytes base_page, Bytes folio) {
  Cell const& c = planned.cell;
  PassShape shape;
  double const extent = static_cast<double>(std::min(c.footprint, folio).value);
  shape.footprint = shape.bytes = static_cast<double>(c.footprint.value);
  shape.base_page = static_cast<double>(base_page.value);
  double const folios = extent > 0 ? shape.bytes / extent : 0;
  std::unordered_map<std::uint64_t, std::uint32_t> ended_at;  // by address, the stretch that ended there
  std::map<std::pair<std::uint64_t, std::int64_t>, double> kinds;
  double calls = 0;
  std::uint32_t index = 0;
  for (Stretch const& s : planned.visits) {
    auto const before = ended_at.find(s.offset.value);
    std::int64_t const others = before == ended_at.end() ? -1 : std::int64_t{index} - before->second - 1;
    kinds[{s.length.value, others}] += folios;
    ended_at[s.offset.value + s.length.value] = index++;
    std::uint64_t const call = std::max<std::uint64_t>(1, c.call.value);
    calls += std::ceil(static_cast<double>(s.length.value) / static_cast<double>(call));
  }
  shape.calls = calls * folios;
  shape.fences = c.fence == Fence::call ? shape.calls : 0;
  for (auto const& [kind, count] : kinds)
    shape.stretches.push_back({static_cast<double>(kind.first),
                               kind.second < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(kind.second)),
                               count});
  return shape;
}

double lost_share(double others, double streams) {
  // Between "always followed" and "never": replacement among trackers is not exact, and a power of four comes near what
  // an eightfold range of streams shows.
  double const square = std::pow(streams / others, 2);
  return others <= 0 ? 0 : 1 / (1 + square * square);
}

double cost(PassShape const& shape, PhysicalValues const& v) {
  double ns = shape.bytes * at(v, Physical::stream);
  double const spilled = std::max(0.0, 1 - at(v, Physical::llc_share) / std::max(1.0, shape.footprint));
  ns += shape.bytes * spilled * at(v, Physical::write_back);
  ns += shape.calls * at(v, Physical::call) + shape.fences * at(v, Physical::fence);
  double const start = at(v, Physical::page_start) + spilled * at(v, Physical::spilled_start);
  for (StretchKind const& k : shape.stretches) {
    double const lost = k.others ? lost_share(*k.others, at(v, Physical::streams)) : 1;
    ns += k.count * lost * start * std::min(k.length, at(v, Physical::run_up)) / shape.base_page;
  }
  return ns;
}

}  // namespace folioscope
