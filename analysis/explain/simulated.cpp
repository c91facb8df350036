// SPDX-License-Identifier: Apache-2.0
#include "explain/simulated.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "stats/comparisons.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t most_lines = 200'000'000;  ///< simulated for one campaign: some seconds at the worst

bool fills_caches(Campaign const& campaign, Cell const& cell) {
  KernelContract const* const k = contract_of(campaign, cell.kernel);
  return k && k->kind == KernelKind::clear && (k->store == StoreKind::plain || k->store == StoreKind::string);
}

/// The largest working set of the idle curve that is still nearer, in ratio, to the smallest set's latency at `from`
/// than to memory's.
std::optional<Bytes> seen_reach(Campaign const& campaign, Bytes from) {
  std::map<double, double> curve;
  for (Point const& p : campaign.points)
    if (p.series == "latency.idle" && p.x > 0 && p.x < 1e15 && p.y > 0 && std::isfinite(p.y)) curve[p.x] = p.y;
  auto const near = curve.lower_bound(static_cast<double>(from.value));
  if (near == curve.end()) return std::nullopt;
  double const middle = std::sqrt(near->second * curve.rbegin()->second);
  if (!(middle > near->second * 1.5)) return std::nullopt;  // the curve does not get past this cache
  auto reach = near;
  for (auto it = near; it != curve.end() && it->second < middle; ++it) reach = it;
  return Bytes(static_cast<std::uint64_t>(reach->first));
}

}  // namespace

CacheModel cache_model(Campaign const& campaign) {
  CacheModel model;
  for (char const* level : {"L1d", "L2", "L3", "L4"}) {
    std::string const key = std::string(fact::cache_prefix) + level;
    auto const size = campaign.facts.value(key + ".size_bytes").as_number();
    if (!size || !(*size >= 64) || *size > 1e12) continue;
    if (auto const line = campaign.facts.value(key + ".line_bytes").as_number(); line && *line >= 16 && *line <= 4096)
      model.line = Bytes(static_cast<std::uint64_t>(*line));
    Bytes const bytes(static_cast<std::uint64_t>(*size));
    model.levels.push_back({std::string(level).substr(0, 2), bytes});
  }
  if (model.levels.size() > 1) {
    Bytes const before = model.levels[model.levels.size() - 2].bytes;
    if (auto const seen = seen_reach(campaign, before))
      model.levels.back().bytes = std::max(before, std::min(model.levels.back().bytes, *seen));
  }
  return model;
}

std::vector<Fill> simulated_fills(Campaign const& campaign, std::size_t index) {
  std::vector<Fill> fills;
  if (campaign.header.kind != "sweep" || campaign.facts.value(fact::emulator).is_string()) return fills;
  CacheModel const model = cache_model(campaign);
  std::map<std::tuple<std::string, std::optional<Bytes>, std::optional<std::uint64_t>, Bytes, Bytes, bool>, double>
      known;
  std::uint64_t lines = 0;
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i) {
    PlannedCell const& planned = campaign.plan.cells[i];
    Cell const& c = planned.cell;
    if (c.state == State::hot || c.threads != 1 || c.prefetch.value != 0 || !fills_caches(campaign, c)) continue;
    Bytes const extent = std::min(c.footprint, campaign.plan.folio);
    bool const down = contract_of(campaign, c.kernel)->direction == Direction::down;
    auto const [it, fresh] = known.try_emplace({c.order, c.run, c.target, extent, c.call, down}, 0.0);
    if (fresh) {
      lines += extent / model.line;
      if (lines > most_lines) return fills;
      it->second = simulated_demand({&planned.visits, c.call, down}, model);
    }
    Fill fill;
    fill.campaign = index;
    fill.cell = i;
    fill.group = "model";
    fill.event = "lines fetched on demand";
    fill.source = "simulated";
    fill.scope = "model";
    fill.per_line.mean = it->second;
    fills.push_back(std::move(fill));
  }
  return fills;
}

}  // namespace folioscope
