// SPDX-License-Identifier: Apache-2.0
#include "explain/observed.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace folioscope {
namespace {

bool is_among(std::string_view name, std::string_view names) {
  while (!names.empty()) {
    auto const end = std::min(names.find('|'), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

std::map<std::uint32_t, std::uint32_t> placements_of(Campaign const& campaign) {
  std::map<std::uint32_t, std::uint32_t> out;
  for (Block const& b : campaign.blocks) out[b.id] = b.placement;
  return out;
}

/// Means by placement of what is added block by block.
class Means {
 public:
  void add(std::uint32_t placement, double value) {
    if (!std::isfinite(value)) return;
    auto& [sum, n] = sums_[placement];
    sum += value;
    ++n;
  }
  std::map<std::uint32_t, double> finish() const {
    std::map<std::uint32_t, double> out;
    for (auto const& [placement, entry] : sums_) out[placement] = entry.first / entry.second;
    return out;
  }

 private:
  std::map<std::uint32_t, std::pair<double, double>> sums_;
};

}  // namespace

std::map<std::uint32_t, double> counted_per_line(Campaign const& campaign, std::uint32_t cell, std::string_view names) {
  constexpr double line_bytes = 64;
  auto const placements = placements_of(campaign);
  std::map<std::uint32_t, std::uint32_t> copies;
  for (Sample const& s : campaign.samples)
    if (s.arm == Arm::counted && s.cell == cell) copies[s.block] = s.copies;
  Cell const& c = campaign.plan.cells[cell].cell;
  std::map<std::uint32_t, double> by_block;
  for (Reading const& r : campaign.readings) {
    if (r.cell != cell || r.running.value <= 0 || !is_among(r.event, names)) continue;
    auto const it = copies.find(r.block);
    double const lines = static_cast<double>(c.footprint.value) / line_bytes * c.threads *
                         (it == copies.end() ? 1 : std::max<std::uint32_t>(1, it->second));
    by_block[r.block] += r.value * r.enabled.value / r.running.value / lines;
  }
  Means means;
  for (auto const& [block, value] : by_block)
    if (auto const it = placements.find(block); it != placements.end()) means.add(it->second, value);
  return means.finish();
}

std::map<std::uint32_t, double> probed_share(Campaign const& campaign, std::uint32_t cell, std::string_view level) {
  auto const placements = placements_of(campaign);
  std::vector<std::string_view> scale;  // nearest first
  for (Point const& p : campaign.points)
    if (p.series == "probe.level" && std::ranges::find(scale, p.label) == scale.end()) scale.push_back(p.label);
  // Two levels that cannot be told apart are one: "L2/L3".
  auto const rank = [&](auto const& is) { return std::ranges::find_if(scale, is) - scale.begin(); };
  auto const wanted = rank([&](std::string_view l) { return l.find(level) != std::string_view::npos; });
  if (wanted == std::ssize(scale)) return {};
  Means means;
  for (Point const& p : campaign.points) {
    if (p.series != "probe.page" || p.cell != cell || !p.block) continue;
    auto const it = placements.find(*p.block);
    if (it == placements.end()) continue;
    means.add(it->second, rank([&](std::string_view l) { return l == p.label; }) <= wanted ? 1 : 0);
  }
  return means.finish();
}

std::map<std::uint32_t, double> billed_total(Campaign const& campaign, std::uint32_t cell, BilledUse const& use) {
  auto const placements = placements_of(campaign);
  // A label is the pattern, what is done to a line, and the company: "from_target modify corunner 128".
  std::string const wanted = use.pattern + " modify " + (use.corunner ? "corunner" : "alone");
  double largest = 0;
  std::map<std::pair<std::uint32_t, double>, std::pair<double, int>> sums;  // by block and share used
  for (Point const& p : campaign.points) {
    bool const clear = p.series == "bill.clear", used = p.series == "bill.use";
    if ((!clear && !used) || p.cell != cell || !p.block || !p.label.starts_with(wanted)) continue;
    largest = std::max(largest, p.x);
    auto& [sum, parts] = sums[{*p.block, p.x}];
    sum += p.y;
    ++parts;
  }
  Means means;
  for (auto const& [key, entry] : sums) {
    auto const it = placements.find(key.first);
    // Of several targets a block has a pair each: their mean.
    if (key.second == largest && entry.second >= 2 && it != placements.end())
      means.add(it->second, entry.first / (entry.second / 2.0));
  }
  return means.finish();
}

std::vector<std::uint32_t> billed_cells(Campaign const& campaign) {
  std::set<std::uint32_t> cells;
  for (Point const& p : campaign.points)
    if (p.series == "bill.use" && p.cell && *p.cell < campaign.plan.cells.size()) cells.insert(*p.cell);
  return {cells.begin(), cells.end()};
}

}  // namespace folioscope
