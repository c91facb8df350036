// SPDX-License-Identifier: Apache-2.0
#include "explain/path_bill.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "explain/after_points.hpp"
#include "explain/linux_paths.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

constexpr std::string_view apart_suffix = "_apart";
constexpr double least_path_delta = 0.02;
constexpr std::uint32_t placements_for_a_finding = 10;

/// ns a folio of one cell in one block, means over its runs there; 0: not known.
struct PathBlock {
  double clear = 0, used = 0, total = 0;
};
enum class Part { clear, used, total };
double of(PathBlock const& b, Part part) {
  return part == Part::clear ? b.clear : part == Part::used ? b.used : b.total;
}
/// By placement, then block.
using PathBlocks = std::map<std::pair<std::uint32_t, std::uint32_t>, PathBlock>;

double folios_in_a_pass(Campaign const& campaign, Cell const& c) {
  double const folio = static_cast<double>(c.backing.size.value_or(campaign.plan.folio).value);
  return folio > 0 ? std::max(1.0, static_cast<double>(c.footprint.value) * c.threads / folio) : 1;
}

std::string base_kernel(std::string const& kernel) {
  return kernel.ends_with(apart_suffix) ? kernel.substr(0, kernel.size() - apart_suffix.size()) : kernel;
}

/// The cells of one workload: same kernel (together and apart), memory and tasks.
using Workload = std::tuple<std::string, Backing, Bytes, std::uint32_t>;
Workload workload_of(Cell const& c) { return {base_kernel(c.kernel), c.backing, c.footprint, c.threads}; }

/// The mean of each series over the runs of a block.
std::map<std::uint32_t, PathBlocks> blocks_with_phases(Campaign const& campaign) {
  std::map<std::uint32_t, PathBlocks> all;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view>, unsigned> runs;
  for (PlacedPoint const& p : placed_points(campaign, {"path.clear", "path.use"})) {
    if (!(p.point->y > 0)) continue;
    PathBlock& block = all[p.cell][{p.placement, p.block}];
    double& mean = p.point->series == "path.clear" ? block.clear : block.used;
    double const ns = p.point->y / folios_in_a_pass(campaign, campaign.plan.cells[p.cell].cell);
    mean += (ns - mean) / ++runs[{p.cell, p.block, p.point->series}];
  }
  for (auto& [cell, blocks] : all)
    for (auto& [at, block] : blocks) block.total = block.clear > 0 && block.used > 0 ? block.clear + block.used : 0;
  return all;
}

/// Of cells whose clear and use mingle the passes' own time is the total.
PathBlocks blocks_of_passes(Campaign const& campaign, std::uint32_t cell) {
  std::map<std::uint32_t, std::uint32_t> placement_of;
  for (Block const& b : campaign.blocks) placement_of[b.id] = b.placement;
  std::set<std::uint32_t> lost;
  for (RefusedCell const& r : campaign.refused)
    if (r.cell == cell) lost.insert(r.placement);
  PathBlocks out;
  std::map<std::uint32_t, unsigned> runs;
  for (Sample const& s : campaign.samples) {
    auto const placement = placement_of.find(s.block);
    if (s.cell != cell || s.copies == 0 || !(s.wall.value > 0) || placement == placement_of.end() ||
        lost.contains(placement->second))
      continue;
    double& mean = out[{placement->second, s.block}].total;
    double const ns = s.wall.value / s.copies / folios_in_a_pass(campaign, campaign.plan.cells[cell].cell);
    mean += (ns - mean) / ++runs[s.block];
  }
  return out;
}

/// One value a placement: the median over its blocks of log(part), or of its ratio to `base` in the same block.
std::vector<double> path_logs(PathBlocks const& blocks, Part part, PathBlocks const* base) {
  std::map<std::uint32_t, std::vector<double>> values;
  for (auto const& [at, block] : blocks) {
    double value = of(block, part);
    if (base) {
      auto const other = base->find(at);
      double const reference = other == base->end() ? 0 : of(other->second, part);
      value = reference > 0 ? value / reference : 0;
    }
    if (value > 0 && std::isfinite(value)) values[at.first].push_back(std::log(value));
  }
  std::vector<double> logs;
  for (auto& [placement, of_it] : values) logs.push_back(median_of(of_it));
  return logs;
}

double path_delta(Judgement const& judgement, std::size_t campaign, Cell const& cell) {
  for (StratumNoise const& n : judgement.noise)
    if (n.campaign == campaign && n.stratum == stratum_of(cell))
      return std::max(least_path_delta, n.smallest_effect.value_or(least_path_delta));
  return least_path_delta;
}

Finding path_finding(PathBillLine const& line) {
  Estimate const& e = line.ratio;
  double const edge = std::log(1 + line.delta);
  if (!e.ci90 || e.n < placements_for_a_finding) return Finding::cannot_tell;
  if (line.p_holm < 0.05 && std::abs(std::log(e.ratio)) >= edge) return e.ratio > 1 ? Finding::slower : Finding::faster;
  if (std::log(e.ci90->low) >= -edge && std::log(e.ci90->high) <= edge) return Finding::no_difference;
  return Finding::cannot_tell;
}

PathBillLine path_line(Campaign const& campaign, std::uint32_t index, bool chooses_a_page) {
  Cell const& cell = campaign.plan.cells[index].cell;
  PathBillLine line;
  line.cell = index;
  Cell named = cell;
  named.kernel = base_kernel(cell.kernel);
  line.path = path_words(named);
  line.memory = cell.footprint * cell.threads;
  line.apart = !chooses_a_page || named.kernel != cell.kernel;
  line.downwards = cell.order == "descending";
  if (!chooses_a_page) return line;
  std::uint64_t const pages = cell.backing.size.value_or(campaign.plan.folio) / campaign.plan.base_page;
  // What a program touches first that touches no page on purpose.
  std::uint64_t const own = line.downwards && !line.apart && pages > 0 ? pages - 1 : 0;
  line.first = cell.target.value_or(own);
  line.last = *line.first + 1 == pages;
  return line;
}

void compare(PathBillLine& line, PathBlocks const& blocks, PathBlocks const& base) {
  line.ratio = estimate(path_logs(blocks, Part::total, &base));
  if (!line.clear) return;
  line.clear_ratio = estimate(path_logs(blocks, Part::clear, &base));
  line.use_ratio = estimate(path_logs(blocks, Part::used, &base));
}

/// Fills in the times; false where there is nothing.
bool measure(PathBillLine& line, PathBlocks const& blocks) {
  Estimate const total = estimate(path_logs(blocks, Part::total, nullptr));
  if (total.n == 0) return false;
  line.total = Nanoseconds(total.ratio);
  line.ci = total.ci;
  line.n = total.n;
  Estimate const clear = estimate(path_logs(blocks, Part::clear, nullptr));
  Estimate const spent = estimate(path_logs(blocks, Part::used, nullptr));
  if (clear.n > 0 && spent.n > 0) {
    line.clear = Nanoseconds(clear.ratio);
    line.spent = Nanoseconds(spent.ratio);
  }
  return true;
}

bool is_reference_of(PathBillLine const& r, PathBillLine const& line) {
  if (r.apart != line.apart || r.path != line.path || r.cell == line.cell) return false;
  return line.first ? r.first == 0u && r.downwards == line.downwards : !r.downwards;
}

void add_path_bills(std::vector<PathBillLine>& all, Campaign const& campaign, std::size_t index,
                    Judgement const& judgement) {
  auto blocks = blocks_with_phases(campaign);
  auto const& cells = campaign.plan.cells;
  std::set<Workload> with_phases, choosing;
  for (auto const& [cell, of_it] : blocks) with_phases.insert(workload_of(cells[cell].cell));
  for (PlannedCell const& p : cells)
    if (p.cell.target) choosing.insert(workload_of(p.cell));
  std::vector<PathBillLine> lines;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    Cell const& cell = cells[i].cell;
    if (!is_path_kernel(cell.kernel) || !with_phases.contains(workload_of(cell))) continue;
    if (!blocks.contains(i)) blocks[i] = blocks_of_passes(campaign, i);
    PathBillLine line = path_line(campaign, i, choosing.contains(workload_of(cell)));
    line.campaign = index;
    line.delta = path_delta(judgement, index, cell);
    if (measure(line, blocks[i])) lines.push_back(std::move(line));
  }
  std::vector<double> p;
  for (PathBillLine& line : lines)
    for (PathBillLine const& r : lines)
      if (is_reference_of(r, line)) {
        line.reference = r.cell;
        compare(line, blocks[line.cell], blocks[r.cell]);
        p.push_back(line.ratio.p);
        break;
      }
  auto const adjusted = holm(p);
  std::size_t next = 0;
  for (PathBillLine& line : lines)
    if (line.reference) {
      line.p_holm = adjusted[next++];
      line.finding = path_finding(line);
    }
  std::ranges::stable_sort(
      lines, {}, [](PathBillLine const& l) { return std::tuple(l.path, l.downwards, l.apart, l.first.value_or(0)); });
  all.insert(all.end(), lines.begin(), lines.end());
}

}  // namespace

std::vector<PathBillLine> path_bills(std::span<Campaign const> campaigns, Judgement const& judgement) {
  std::vector<PathBillLine> all;
  for (std::size_t i = 0; i < campaigns.size(); ++i)
    if (campaigns[i].header.kind == "linux" && campaigns[i].plan.base_page.value > 0)
      add_path_bills(all, campaigns[i], i, judgement);
  return all;
}

}  // namespace folioscope
