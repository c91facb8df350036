// SPDX-License-Identifier: Apache-2.0
#include "stats/comparisons.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace folioscope {
namespace {

KernelKind kind_of(Campaign const& campaign, std::string_view kernel) {
  KernelContract const* contract = contract_of(campaign, kernel);
  return contract ? contract->kind : KernelKind::clear;
}

bool stores_nothing(Campaign const& campaign, std::string_view kernel) {
  KernelContract const* contract = contract_of(campaign, kernel);
  return contract && contract->store == StoreKind::none;
}

/// Baselines by stratum. Where Linux's kernel needs a fence, one a pass is the nearer to what Linux does.
std::map<Stratum, std::uint32_t> baselines(Campaign const& campaign) {
  std::map<Stratum, std::uint32_t> found;
  auto const linux_kernel = campaign.facts.value(fact::linux_kernel).as_string();
  if (!linux_kernel) return found;
  auto const& cells = campaign.plan.cells;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    Cell const& c = cells[i].cell;
    if (c.kernel != *linux_kernel || !is_reference(c) || c.call != std::min(campaign.plan.base_page, c.footprint))
      continue;
    auto const [place, fresh] = found.emplace(stratum_of(c), i);
    if (!fresh && cells[place->second].cell.fence == Fence::call) place->second = i;
  }
  return found;
}

}  // namespace

KernelContract const* contract_of(Campaign const& campaign, std::string_view kernel) {
  auto const it = std::ranges::find(campaign.kernels, kernel, &KernelContract::name);
  return it == campaign.kernels.end() ? nullptr : &*it;
}

std::optional<std::uint32_t> baseline_of(Campaign const& campaign, Cell const& cell) {
  auto const all = baselines(campaign);
  auto const it = all.find(stratum_of(cell));
  return it == all.end() ? std::nullopt : std::optional(it->second);
}

std::vector<CellPair> comparisons(Campaign const& campaign) {
  auto const& cells = campaign.plan.cells;
  std::map<Cell, std::uint32_t> places;
  for (std::uint32_t i = 0; i < cells.size(); ++i) places.emplace(cells[i].cell, i);
  auto const base = baselines(campaign);
  std::vector<CellPair> pairs;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    Cell const& c = cells[i].cell;
    if (stores_nothing(campaign, c.kernel)) continue;
    if (!is_reference(c)) {
      auto const it = places.find(reference_of(c));
      // Linux's own paths have cells of their own kind, of which only some have a sequential counterpart.
      if (it == places.end() && campaign.header.kind != "sweep") continue;
      pairs.push_back({i, it == places.end() ? std::nullopt : std::optional(it->second), false});
      continue;
    }
    // Linux's own paths do more than a kernel does: their times are compared among themselves.
    if (campaign.header.kind != "sweep" && !contract_of(campaign, c.kernel)) continue;
    auto const it = base.find(stratum_of(c));
    if (it == base.end() || it->second == i) continue;
    if (kind_of(campaign, c.kernel) != kind_of(campaign, cells[it->second].cell.kernel)) continue;
    pairs.push_back({i, it->second, true});
  }
  return pairs;
}

}  // namespace folioscope
