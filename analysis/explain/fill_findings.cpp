// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/counts.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

/// Fills that differ by less than this do not explain orders whose times differ by more.
constexpr double same_fills = 1.05;
constexpr double telling_time = 1.2;  ///< or its inverse

struct FillPair {
  Verdict const* verdict;
  Fill const* order;
  Fill const* reference;
  double ratio = 1;
  bool same = false, differ = false;
};

Fill const* fill_of(Counts const& counts, std::size_t campaign, std::uint32_t cell, Fill const& like) {
  auto const it = std::ranges::find_if(counts.fills, [&](Fill const& f) {
    return f.campaign == campaign && f.cell == cell && f.group == like.group && f.event == like.event &&
           f.scope == like.scope;
  });
  return it == counts.fills.end() ? nullptr : &*it;
}

/// The ratio of two means with an interval, by the errors' shares: counts are far from 0 where this is asked.
FillPair fill_pair(Verdict const& v, Fill const& order, Fill const& reference) {
  FillPair c{&v, &order, &reference};
  double const a = order.per_line.mean, b = reference.per_line.mean;
  if (!(b > 0) || !(a > 0) || !order.per_line.ci || !reference.per_line.ci) return c;
  auto const share = [](CountEstimate const& e) { return (e.ci->high - e.ci->low) / 2 / e.mean; };
  double const half = std::hypot(share(order.per_line), share(reference.per_line));
  c.ratio = a / b;
  double const low = c.ratio * std::exp(-half), high = c.ratio * std::exp(half);
  c.same = low > 1 / same_fills && high < same_fills;
  c.differ = low > same_fills || high < 1 / same_fills;
  return c;
}

std::string trust_words(Fill const& f) {
  return f.trust ? fmt::format("trust {}", figure(*f.trust)) : std::string("trust not known");
}

std::string order_words(Campaign const& campaign, Verdict const& v) {
  Cell const& cell = campaign.plan.cells[v.cell].cell;
  return fmt::format("{} with {} ({})", printable(cell.order), printable(cell.kernel), to_string(cell.state));
}

std::string counted_words(Fill const& f) {
  return fmt::format("{}{}, {}, {}", printable(f.event), f.level.empty() ? "" : " into " + printable(f.level, 20),
                     printable(f.scope, 20), trust_words(f));
}

std::string sentence(Campaign const& campaign, FillPair const& c) {
  std::string const times = fmt::format("{} takes {} times as long as sequential", order_words(campaign, *c.verdict),
                                        figure(c.verdict->estimate.ratio));
  std::string const fills = fmt::format("{} lines a line cleared against {} ({})", figure(c.order->per_line.mean),
                                        figure(c.reference->per_line.mean), counted_words(*c.order));
  if (c.same)
    return fmt::format(
        "{}, and its fills do not differ: {}. The number of misses does not explain it, their overlap may.", times,
        fills);
  return fmt::format("{}, and its fills differ: {}.", times, fills);
}

}  // namespace

std::vector<std::string> fill_findings(Campaign const& campaign, std::size_t index, Counts const& counts,
                                       Judgement const& judgement) {
  std::vector<FillPair> all;
  for (Verdict const& v : judgement.verdicts) {
    if (v.campaign != index || v.against_baseline || v.cell == v.reference) continue;
    if (v.verdict != Finding::slower && v.verdict != Finding::faster) continue;
    if (std::abs(std::log(v.estimate.ratio)) < std::log(telling_time)) continue;
    for (Fill const& f : counts.fills) {
      if (f.campaign != index || f.cell != v.cell) continue;
      if (auto const* const reference = fill_of(counts, index, v.reference, f))
        all.push_back(fill_pair(v, f, *reference));
    }
  }
  // The largest difference in time speaks for each kind of finding.
  std::ranges::stable_sort(all, std::greater<>(),
                           [](FillPair const& c) { return std::abs(std::log(c.verdict->estimate.ratio)); });
  std::vector<std::string> out;
  for (bool const same : {true, false}) {
    auto const it = std::ranges::find_if(all, [same](FillPair const& c) { return same ? c.same : c.differ; });
    if (it != all.end()) out.push_back(sentence(campaign, *it));
  }
  return out;
}

}  // namespace folioscope
