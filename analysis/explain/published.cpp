// SPDX-License-Identifier: Apache-2.0
#include "explain/published.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "terms/words.hpp"

namespace folioscope {
namespace {

using Way = PublishedRow::Way;

constexpr Word<Way> ways[] = {
    {Way::page_at_a_time, "page at a time"}, {Way::one_call, "one call"}, {Way::target_last, "target last (0)"}};

std::optional<Way> way_of(Cell const& c, Plan const& plan) {
  if (c.prefetch.value != 0) return std::nullopt;
  if (c.order == "sequential") {
    if (c.call == plan.base_page) return Way::page_at_a_time;
    if (c.call >= std::min(plan.folio, c.footprint)) return Way::one_call;
    return std::nullopt;
  }
  if (c.run != plan.base_page || c.call != plan.base_page) return std::nullopt;
  // With target 0 the target-last order is the reverse one: a plan keeps one cell of the two.
  if ((c.order == "target_last" && c.target.value_or(0) == 0) || c.order == "reverse") return Way::target_last;
  return std::nullopt;
}

PublishedRow row_of(Way way, std::uint32_t cell, Runs const& runs) {
  PublishedRow row{way, cell, {}, {}};
  std::array<std::vector<double>, 5> fifths;
  std::uint64_t const placements = runs.placements();
  for (auto const& [placement, log] : runs.placed_log_times(cell))
    // Fewer placements than columns: one each, and the rest stay empty.
    fifths[placements < 5 ? placement : std::uint64_t{placement} * 5 / placements].push_back(std::exp(log));
  double sum = 0;
  int filled = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    if (fifths[i].empty()) continue;
    double total = 0;
    for (double ns : fifths[i]) total += ns;
    row.columns[i] = Nanoseconds(total / static_cast<double>(fifths[i].size()));
    sum += row.columns[i]->value;
    ++filled;
  }
  if (filled) row.mean = Nanoseconds(sum / filled);
  return row;
}

}  // namespace

std::string to_string(Way way) { return word_of(ways, way); }

std::vector<PublishedTable> published_tables(Campaign const& campaign, std::size_t index, Runs const& runs) {
  if (campaign.plan.experiment != "published-table") return {};
  using Key = std::tuple<std::string, State, Backing, std::uint32_t>;
  std::map<Key, std::map<Bytes, std::map<Way, std::uint32_t>>> found;
  auto const& cells = campaign.plan.cells;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    Cell const& c = cells[i].cell;
    if (auto const way = way_of(c, campaign.plan))
      found[{c.kernel, c.state, c.backing, c.threads}][c.footprint].emplace(*way, i);
  }
  std::vector<PublishedTable> tables;
  for (auto const& [key, footprints] : found) {
    PublishedTable table;
    table.campaign = index;
    std::tie(table.kernel, table.state, table.backing, table.threads) = key;
    for (auto const& [footprint, rows] : footprints) {
      PublishedGroup group{footprint, {}};
      for (auto const& [way, cell] : rows) group.rows.push_back(row_of(way, cell, runs));
      table.groups.push_back(std::move(group));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string published_note() {
  return "Five columns, each the mean over a fifth of the placements (two of ten), and the mean of the columns. "
         "Measured in user "
         "space: cond_resched() between the pages cannot be reproduced there.";
}

}  // namespace folioscope
