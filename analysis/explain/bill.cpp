// SPDX-License-Identifier: Apache-2.0
#include "explain/bill.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "explain/after_points.hpp"
#include "stats/comparisons.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

constexpr std::size_t least_radii = 3;  ///< a map needs some
constexpr double least_delta = 0.02;

/// What one cell and use took in one block: the mean of its runs there.
struct BlockBill {
  std::uint32_t placement = 0, block = 0;
  double clear = 0, used = 0;
  unsigned clears = 0, uses = 0;
  bool whole() const { return clears > 0 && uses > 0 && clear > 0 && used > 0; }
  double log_clear() const { return std::log(clear / clears); }
  double log_used() const { return std::log(used / uses); }
  double log_total() const { return std::log(clear / clears + used / uses); }
};

struct UseOfCell {
  std::uint32_t cell = 0;
  std::string label;
  double fraction = 0;
  friend auto operator<=>(UseOfCell const&, UseOfCell const&) = default;
};
using Blocks = std::vector<BlockBill>;
using Ledger = std::map<UseOfCell, Blocks>;

Ledger ledger_of(Campaign const& c) {
  Ledger ledger;
  for (auto const& p : placed_points(c, {"bill.clear", "bill.use"})) {
    Blocks& blocks = ledger[{p.cell, p.point->label, p.point->x}];
    if (blocks.empty() || blocks.back().block != p.block) blocks.push_back({p.placement, p.block, 0, 0, 0, 0});
    BlockBill& b = blocks.back();
    if (p.point->series == "bill.clear")
      b.clear += p.point->y, ++b.clears;
    else
      b.used += p.point->y, ++b.uses;
  }
  return ledger;
}

/// One value a placement: the median over its blocks of what `value` makes of a block. Blocks stand by placement.
template <class Value>
std::vector<double> by_placement(Blocks const& blocks, Value value) {
  std::vector<double> medians, group;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (auto const v = value(blocks[i]); v && std::isfinite(*v)) group.push_back(*v);
    bool const last = i + 1 == blocks.size() || blocks[i + 1].placement != blocks[i].placement;
    if (last && !group.empty()) medians.push_back(median_of(group)), group.clear();
  }
  return medians;
}

template <class Part>
std::vector<double> log_ratios(Blocks const& blocks, Blocks const& base, Part part) {
  auto at = base.begin();
  return by_placement(blocks, [&](BlockBill const& b) -> std::optional<double> {
    while (at != base.end() && std::tie(at->placement, at->block) < std::tie(b.placement, b.block)) ++at;
    if (at == base.end() || at->block != b.block || !at->whole() || !b.whole()) return std::nullopt;
    return (b.*part)() - ((*at).*part)();
  });
}

bool is_radius(Cell const& cell, Bytes base_page) {
  auto const order = parse_order(cell.order);
  return order && order->base == "neighbourhood_last" && cell.target && cell.run == base_page &&
         cell.prefetch.value == 0;
}
/// Of Linux v7.0, where the order's name says nothing else.
constexpr std::uint64_t linux_radius_pages = 2;
std::uint64_t radius_pages(Cell const& cell) { return parse_order(cell.order)->parameter.value_or(linux_radius_pages); }

bool maps_radii(Campaign const& c) {
  std::set<std::uint64_t> radii;
  for (PlannedCell const& p : c.plan.cells)
    if (is_radius(p.cell, c.plan.base_page)) radii.insert(radius_pages(p.cell));
  return radii.size() >= least_radii;
}

std::optional<std::uint32_t> cell_index(Campaign const& c, Cell const& cell) {
  for (std::uint32_t i = 0; i < c.plan.cells.size(); ++i)
    if (c.plan.cells[i].cell == cell) return i;
  return std::nullopt;
}

double delta_of(Judgement const& j, std::size_t campaign, Cell const& cell) {
  for (StratumNoise const& n : j.noise)
    if (n.campaign == campaign && n.stratum == stratum_of(cell))
      return std::max(least_delta, n.smallest_effect.value_or(least_delta));
  return least_delta;
}

Finding finding_of(BillLine const& line, std::uint32_t least_placements) {
  Estimate const& e = line.ratio;
  double const edge = std::log(1 + line.delta);
  if (!e.ci90 || e.n < least_placements) return Finding::cannot_tell;
  if (line.p_holm < 0.05 && std::abs(std::log(e.ratio)) >= edge) return e.ratio > 1 ? Finding::slower : Finding::faster;
  if (std::log(e.ci90->low) >= -edge && std::log(e.ci90->high) <= edge) return Finding::no_difference;
  return Finding::cannot_tell;
}

/// Lines of one campaign, with their ratios; one Holm family.
void add_lines(Bills& bills, Campaign const& c, std::size_t index, Judgement const& j, Ledger const& ledger) {
  bool const radii = maps_radii(c);
  auto const first = bills.lines.size();
  std::map<std::uint32_t, std::optional<std::uint32_t>> references;
  for (auto const& [key, blocks] : ledger) {
    auto const use = use_of(key.label, key.fraction);
    if (!use) continue;
    Cell const& cell = c.plan.cells[key.cell].cell;
    auto const whole = [](BlockBill const& b, double v) { return b.whole() ? std::optional(v) : std::nullopt; };
    auto const mean = [&](auto value) {
      return estimate(by_placement(blocks, [&](BlockBill const& b) { return whole(b, b.whole() ? value(b) : 0); }));
    };
    Estimate const total = mean([](BlockBill const& b) { return b.log_total(); });
    if (total.n == 0) continue;
    BillLine line;
    line.campaign = index;
    line.cell = key.cell;
    line.use = *use;
    line.clear = Nanoseconds(mean([](BlockBill const& b) { return b.log_clear(); }).ratio);
    line.spent = Nanoseconds(mean([](BlockBill const& b) { return b.log_used(); }).ratio);
    line.total = Nanoseconds(total.ratio);
    line.ci = total.ci;
    line.n = total.n;
    line.delta = delta_of(j, index, cell);
    auto [reference, is_new] = references.try_emplace(key.cell);
    if (is_new) reference->second = radii ? cell_index(c, reference_of(cell)) : baseline_of(c, cell);
    if (reference->second && *reference->second != key.cell)
      if (auto const base = ledger.find({*reference->second, key.label, key.fraction}); base != ledger.end()) {
        line.reference = reference->second;
        line.ratio = estimate(log_ratios(blocks, base->second, &BlockBill::log_total));
        line.clear_ratio = estimate(log_ratios(blocks, base->second, &BlockBill::log_clear));
        line.use_ratio = estimate(log_ratios(blocks, base->second, &BlockBill::log_used));
      }
    bills.lines.push_back(line);
  }
  std::vector<double> p;
  for (auto i = first; i < bills.lines.size(); ++i) p.push_back(bills.lines[i].ratio.p);
  auto const adjusted = holm(p);
  for (auto i = first; i < bills.lines.size(); ++i) {
    BillLine& line = bills.lines[i];
    line.p_holm = adjusted[i - first];
    line.finding = line.reference ? finding_of(line, c.plan.min_placements < 10 ? 10 : c.plan.min_placements)
                                  : Finding::cannot_tell;
  }
}

/// What two lines must share to be held against each other.
using SameUse = std::tuple<std::string, double, Stratum>;
SameUse same_use(Campaign const& c, BillLine const& line) {
  return {label_of(line.use), line.use.fraction, stratum_of(c.plan.cells[line.cell].cell)};
}

void add_winners(Bills& bills, Campaign const& c, std::size_t first) {
  std::map<SameUse, std::vector<std::size_t>> uses;
  for (auto i = first; i < bills.lines.size(); ++i) uses[same_use(c, bills.lines[i])].push_back(i);
  for (auto const& [use, lines] : uses) {
    if (lines.size() < 2) continue;
    auto const at = [&](std::size_t i) -> BillLine const& { return bills.lines[i]; };
    auto best = *std::ranges::min_element(lines, {}, [&](auto i) { return at(i).total.value; });
    // Where another order of the same kernel is as cheap, the plain one is the answer.
    Cell const plain = reference_of(c.plan.cells[at(best).cell].cell);
    for (auto const i : lines)
      if (c.plan.cells[at(i).cell].cell == plain && at(i).total.value <= at(best).total.value * (1 + at(best).delta))
        best = i;
    auto const fastest = *std::ranges::min_element(lines, {}, [&](auto i) { return at(i).clear.value; });
    auto const baseline = baseline_of(c, c.plan.cells[at(best).cell].cell);
    auto const base = std::ranges::find_if(lines, [&](auto i) { return baseline == at(i).cell; });
    if (base != lines.end()) bills.winners.push_back({best, *base, best == fastest});
  }
}

/// Two sequential cells of one call and stratum, over the fractions of one pattern of use.
void add_crossover(Bills& bills, std::size_t index, Ledger const& ledger, std::uint32_t a, std::uint32_t b,
                   std::string const& label) {
  struct At {
    double fraction;
    Estimate ratio;  ///< a ÷ b
  };
  std::vector<At> at;
  for (auto it = ledger.lower_bound({a, label, 0});
       it != ledger.end() && it->first.cell == a && it->first.label == label; ++it)
    if (auto const other = ledger.find({b, label, it->first.fraction}); other != ledger.end())
      if (Estimate const e = estimate(log_ratios(it->second, other->second, &BlockBill::log_total)); e.ci)
        at.push_back({it->first.fraction, e});
  auto const surely = [](Estimate const& e) { return e.ci->high < 1 ? -1 : e.ci->low > 1 ? 1 : 0; };
  for (std::size_t i = 0; i < at.size(); ++i) {
    int const side = surely(at[i].ratio);
    if (side == 0) continue;
    std::size_t next = i + 1;
    while (next < at.size() && surely(at[next].ratio) == 0) ++next;
    if (next == at.size() || surely(at[next].ratio) == side) continue;
    // Between the two, by the straight line of log ratio over log fraction around the change of sign.
    std::size_t k = i;
    while (k + 1 < next && (at[k + 1].ratio.ratio < 1) == (side < 0)) ++k;
    double const y0 = std::log(at[k].ratio.ratio), y1 = std::log(at[k + 1].ratio.ratio);
    double const x0 = std::log(at[k].fraction), x1 = std::log(at[k + 1].fraction);
    auto use = use_of(label, std::clamp(std::exp(x0 + (x1 - x0) * y0 / (y0 - y1)), at[k].fraction, at[k + 1].fraction));
    if (use)
      bills.crossovers.push_back(
          {index, side < 0 ? a : b, side < 0 ? b : a, *use, {at[i].fraction, at[next].fraction}});
  }
}

void add_crossovers(Bills& bills, Campaign const& c, std::size_t index, Ledger const& ledger) {
  std::set<std::pair<std::uint32_t, std::string>> uses;
  for (auto const& [key, blocks] : ledger)
    if (is_reference(c.plan.cells[key.cell].cell)) uses.emplace(key.cell, key.label);
  for (auto const& [a, label] : uses)
    for (auto const& [b, other] : uses) {
      Cell const &one = c.plan.cells[a].cell, &two = c.plan.cells[b].cell;
      if (a < b && label == other && stratum_of(one) == stratum_of(two) && one.call == two.call)
        add_crossover(bills, index, ledger, a, b, label);
    }
}

void add_radii(Bills& bills, Campaign const& c, std::size_t first) {
  auto const linux_kernel = c.facts.value(fact::linux_kernel).as_string();
  for (auto i = first; i < bills.lines.size(); ++i) {
    Cell const& cell = c.plan.cells[bills.lines[i].cell].cell;
    if (!is_radius(cell, c.plan.base_page)) continue;
    auto const pages = radius_pages(cell);
    // v7.0 without full preemption, and where the architecture has a clear of several pages: whole ranges in one call.
    bool const whole_ranges = cell.call >= std::min(cell.footprint, c.plan.folio);
    bills.radii.push_back(
        {i, c.plan.base_page * pages, pages == linux_radius_pages && whole_ranges && linux_kernel == cell.kernel});
  }
}

}  // namespace

void add_bills(Bills& bills, Campaign const& c, std::size_t index, Judgement const& judgement) {
  Ledger const ledger = ledger_of(c);
  if (ledger.empty()) return;
  auto const first = bills.lines.size();
  add_lines(bills, c, index, judgement, ledger);
  if (maps_radii(c)) {
    add_radii(bills, c, first);
  } else {
    add_winners(bills, c, first);
    add_crossovers(bills, c, index, ledger);
  }
}

}  // namespace folioscope
