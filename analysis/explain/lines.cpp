// SPDX-License-Identifier: Apache-2.0
#include "explain/lines.hpp"

#include <algorithm>
#include <cmath>

#include "stats/comparisons.hpp"

namespace folioscope {
namespace {

constexpr double line_bytes = 64;  ///< what a latency chain steps by and a kernel's granule divides

/// y at x of a curve, on logarithmic x; its ends beyond them.
std::optional<double> at(std::vector<std::pair<double, double>> const& curve, double x) {
  if (curve.empty()) return std::nullopt;
  if (x <= curve.front().first) return curve.front().second;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    auto const& [x0, y0] = curve[i - 1];
    auto const& [x1, y1] = curve[i];
    if (x <= x1 && x1 > x0) return y0 + (y1 - y0) * std::log(x / x0) / std::log(x1 / x0);
  }
  return curve.back().second;
}

std::vector<std::pair<double, double>> curve_of(Campaign const& campaign, std::string_view series) {
  std::vector<std::pair<double, double>> curve;
  for (Point const& p : campaign.points)
    if (p.series == series && p.x > 0 && p.y > 0 && std::isfinite(p.x) && std::isfinite(p.y))
      curve.emplace_back(p.x, p.y);
  std::ranges::sort(curve);
  return curve;
}

std::optional<Nanoseconds> latency_of(Campaign const& campaign, std::string_view series, Cell const& cell) {
  auto const curve = curve_of(campaign, series);
  double const working_set = cell.state == State::hot ? static_cast<double>(cell.footprint.value) : INFINITY;
  auto const ns = at(curve, working_set);
  return ns ? std::optional(Nanoseconds(*ns)) : std::nullopt;
}

bool bypasses(Campaign const& campaign, Cell const& cell) {
  KernelContract const* k = contract_of(campaign, cell.kernel);
  return !k || k->store == StoreKind::non_temporal || k->store == StoreKind::hint || k->store == StoreKind::zeroing ||
         k->store == StoreKind::library;
}

bool is_telling(Campaign const& campaign, Cell const& c) {
  KernelContract const* k = contract_of(campaign, c.kernel);
  if (k && (k->store == StoreKind::none || k->kind != KernelKind::clear)) return false;
  return c.footprint >= campaign.plan.folio && c.prefetch.value == 0 && c.call == campaign.plan.base_page &&
         (!c.run || *c.run == campaign.plan.base_page);
}

}  // namespace

std::optional<Nanoseconds> idle_latency(Campaign const& campaign, Cell const& cell) {
  return latency_of(campaign, "latency.idle", cell);
}
std::optional<Nanoseconds> loaded_latency(Campaign const& campaign, Cell const& cell) {
  return latency_of(campaign, "latency.loaded", cell);
}

double lines_in_flight(Cell const& cell, Nanoseconds pass, Nanoseconds latency) {
  return static_cast<double>(cell.footprint.value) / line_bytes * latency.value / pass.value;
}

std::vector<LinesInFlight> lines_in_flight(Campaign const& campaign, Runs const& runs, std::size_t index) {
  std::vector<LinesInFlight> out;
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i) {
    Cell const& c = campaign.plan.cells[i].cell;
    if (!is_telling(campaign, c)) continue;
    Estimate const e = estimate(runs.log_times(i));
    if (e.n == 0) continue;
    LinesInFlight l;
    l.campaign = index;
    l.cell = i;
    l.n = e.n;
    auto const idle = idle_latency(campaign, c), loaded = loaded_latency(campaign, c);
    if (idle) l.idle_ns = idle->value;
    if (loaded) l.loaded_ns = loaded->value;
    if (bypasses(campaign, c)) {
      l.why = "the kernel's stores may bypass the caches: no line is filled";
    } else if (!idle) {
      l.why = "no latency curve was measured";
    } else {
      l.idle = lines_in_flight(c, Nanoseconds(e.ratio), *idle);
      if (e.ci)
        l.ci = Interval{lines_in_flight(c, Nanoseconds(e.ci->high), *idle),
                        lines_in_flight(c, Nanoseconds(e.ci->low), *idle)};
      if (loaded) l.loaded = lines_in_flight(c, Nanoseconds(e.ratio), *loaded);
    }
    out.push_back(std::move(l));
  }
  return out;
}

}  // namespace folioscope
