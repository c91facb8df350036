// SPDX-License-Identifier: Apache-2.0
// What the residency probe found, in sentences.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/advice.hpp"
#include "explain/after_words.hpp"
#include "explain/layout.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

std::string listed(std::vector<std::string> const& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

/// What target-last is for: the target's page hot.
std::optional<std::string> target_finding(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  auto const linux_kernel = c.facts.value(fact::linux_kernel).as_string();
  TargetLatency const *sequential = nullptr, *last = nullptr;
  for (TargetLatency const& t : e.residency.targets) {
    Cell const& cell = c.cells[t.cell];
    if (t.campaign != campaign || t.distance != 0 || cell.kernel != linux_kernel || cell.call != c.base_page) continue;
    if (is_reference(cell)) sequential = &t;
    if (parse_order(cell.order).value_or(OrderName{}).base == "target_last") last = &t;
  }
  if (!sequential || !last || sequential->target != last->target) return std::nullopt;
  return fmt::format(
      "A load from the target's page takes {:.3g} ns{} after target last and {:.3g} ns{} after plain ascending (page "
      "{} "
      "of the folio).",
      last->ns.value, last->ns.ci ? fmt::format(" ({:.3g} to {:.3g})", last->ns.ci->low, last->ns.ci->high) : "",
      sequential->ns.value,
      sequential->ns.ci ? fmt::format(" ({:.3g} to {:.3g})", sequential->ns.ci->low, sequential->ns.ci->high) : "",
      last->target);
}

/// Of all lines of the folio, how many are in a cache afterwards, a kernel each.
std::optional<std::string> residency_finding(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::map<std::uint32_t, ProbedMisses const*> farthest;  // the last level before memory
  for (ProbedMisses const& m : e.residency.misses)
    if (m.campaign == campaign && is_reference(c.cells[m.cell]) && c.cells[m.cell].footprint == c.folio &&
        c.cells[m.cell].call == c.base_page)
      farthest[m.cell] = &m;
  std::vector<std::string> parts;
  for (auto const& [cell, m] : farthest)
    parts.push_back(fmt::format("{} of it after {}", percent(1 - m->share.value), printable(c.cells[cell].kernel)));
  if (parts.empty()) return std::nullopt;
  return fmt::format("Once a folio is cleared, first page to last, caches hold {} (probed by latency).", listed(parts));
}

/// "1 folio: each of its 512 pages (26 to 31 samples), ..." what the samples allow, for each footprint.
std::string resolution_words(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  // By footprint: of all cells the one with fewest pages seen, and how many samples pages have.
  struct Reached {
    ResidencyMap const* map = nullptr;
    std::uint32_t least = ~0u, most = 0;
  };
  std::map<Bytes, Reached> reached;
  for (ResidencyMap const& m : e.residency.maps)
    if (m.campaign == campaign) {
      Reached& there = reached[c.cells[m.cell].footprint];
      if (!there.map || m.bins_seen() < there.map->bins_seen()) there.map = &m;
      auto const [least, most] = std::ranges::minmax(m.samples);
      there.least = std::min(there.least, least), there.most = std::max(there.most, most);
    }
  std::vector<std::string> parts;
  for (auto const& [footprint, r] : reached) {
    ResidencyMap const& map = *r.map;
    std::string const part = map.pages_a_bin == 1 ? fmt::format("{} of {} pages one by one", map.bins_seen(), map.pages)
                                                  : fmt::format("{} of {} bins of {} pages", map.bins_seen(),
                                                                map.samples.size(), map.pages_a_bin);
    parts.push_back(
        fmt::format("{} ({}: {} to {} samples each)", part, footprint_words(footprint, c.folio), r.least, r.most));
  }
  return listed(parts);
}

std::vector<std::string> probe_findings(Explanation const& e, std::size_t campaign) {
  auto const resolution = resolution_words(e, campaign);
  std::vector<std::string> out;
  for (ProbeCheck const& check : e.residency.checks) {
    if (check.campaign != campaign || resolution.empty()) continue;
    std::vector<std::string> levels;
    for (auto const& level : check.levels) levels.push_back(printable(level, 30));
    out.push_back(fmt::format(
        "The probe tells {} apart here; of pages brought there on purpose it found at least {} (worst: {}). Its "
        "samples give a map of {}.",
        listed(levels), least_right_words(check), printable(check.least_right_level, 30), resolution));
    if (!check.merged.empty()) {
      std::vector<std::string> merged;
      for (auto const& level : check.merged) merged.push_back(printable(level, 30));
      out.push_back(
          fmt::format("{} count as one level: pages brought there on purpose while it ran were found in the "
                      "right one less often than in 95 % of cases.",
                      listed(merged)));
    }
    if (!check.left_out.empty())
      out.push_back(
          fmt::format("What was probed in {} of {} placements does not count: pages brought to a level on "
                      "purpose were surely found there less often than in 95 % of cases.",
                      check.left_out.size(), check.placements));
  }
  return out;
}

}  // namespace

std::vector<std::string> residency_findings(Explanation const& e, std::size_t campaign) {
  std::vector<std::string> out;
  for (auto const& text : {target_finding(e, campaign), residency_finding(e, campaign)})
    if (text) out.push_back(*text);
  for (auto& text : probe_findings(e, campaign)) out.push_back(std::move(text));
  return out;
}

}  // namespace folioscope
