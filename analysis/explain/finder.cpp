// SPDX-License-Identifier: Apache-2.0
#include "explain/finder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "explain/advice.hpp"
#include "stats/comparisons.hpp"

namespace folioscope {
namespace {

/// Bytes of a size word; `page` and `stretch` by what they mean here.
std::optional<Bytes> size_of(std::string const& word, Bytes page, Bytes extent) {
  if (word == "page") return std::min(page, extent);
  if (word == "stretch" || word == "folio") return extent;
  if (word == "0") return Bytes(0);
  return parse_bytes(word);
}

/// Where factors must be named whole: a number of folios, or a size.
std::optional<Bytes> footprint_of(std::string const& word, Bytes folio) {
  std::uint64_t n = 0;
  auto const end = word.data() + word.size();
  auto const [at, error] = std::from_chars(word.data(), end, n);
  if (error == std::errc() && at == end) return folio * n;
  return parse_bytes(word);
}

/// A page of the folio; a quarter into it as a rule.
std::uint64_t target_of(std::string const& word, std::uint64_t pages) {
  std::uint64_t n = 0;
  auto const end = word.data() + word.size();
  auto const [at, error] = std::from_chars(word.data(), end, n);
  return error == std::errc() && at == end ? n : pages / 4;
}

}  // namespace

CellFinder::CellFinder(Campaign const& campaign) : campaign_(campaign) {
  auto const& cells = campaign.plan.cells;
  for (std::uint32_t i = 0; i < cells.size(); ++i) places_.emplace(cells[i].cell, i);
  ExplainedCampaign outline;  // what prominence looks at
  outline.facts = campaign.facts;
  outline.kernels = campaign.kernels;
  outline.base_page = campaign.plan.base_page;
  outline.folio = campaign.plan.folio;
  std::optional<std::vector<std::uint64_t>> best;
  for (PlannedCell const& planned : cells) {
    Cell const& c = planned.cell;
    if (!is_reference(c) || c.footprint < campaign.plan.folio) continue;
    KernelContract const* contract = contract_of(campaign, c.kernel);
    if (contract && (contract->store == StoreKind::none || contract->kind != KernelKind::clear)) continue;
    auto rank = prominence(outline, c);
    if (best && !(rank < *best)) continue;
    best = std::move(rank);
    main_ = c;
  }
}

std::optional<std::uint32_t> CellFinder::find(Cell const& cell) const {
  auto const it = places_.find(cell);
  return it == places_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::uint32_t> CellFinder::reference(std::uint32_t cell) const {
  return find(reference_of(campaign_.plan.cells[cell].cell));
}

/// The kernel of that kind with most cells: what an experiment chose as the widest.
KernelContract const* CellFinder::widest(StoreKind store) const {
  KernelContract const* best = nullptr;
  std::size_t most = 0;
  for (KernelContract const& k : campaign_.kernels) {
    if (k.store != store || k.kind != KernelKind::clear || k.direction != Direction::up) continue;
    auto const n = static_cast<std::size_t>(
        std::ranges::count_if(campaign_.plan.cells, [&](PlannedCell const& p) { return p.cell.kernel == k.name; }));
    if (n > most) {
      most = n;
      best = &k;
    }
  }
  return best;
}

std::optional<std::string> CellFinder::kernel(std::string_view word) const {
  auto const name = [](KernelContract const* k) { return k ? std::optional(k->name) : std::nullopt; };
  auto const has_cells = [&](std::string const& kernel) {
    return std::ranges::any_of(campaign_.plan.cells, [&](PlannedCell const& p) { return p.cell.kernel == kernel; });
  };
  if (word == "linux") return main_ ? std::optional(main_->kernel) : std::nullopt;
  if (word == "plain") return name(widest(StoreKind::plain));
  if (word == "string") return name(widest(StoreKind::string));
  if (word == "zeroing") return name(widest(StoreKind::zeroing));
  if (word == "nothing") return name(widest(StoreKind::none));
  if (word == "bypass") {
    auto const* k = widest(StoreKind::non_temporal);
    // Zeroing instructions bypass on some machines only; Linux's own kernel is no contrast to itself.
    if (!k) k = widest(StoreKind::zeroing);
    return k && main_ && k->name == main_->kernel ? std::nullopt : name(k);
  }
  if (word == "down" || word == "up_twin") {
    for (KernelContract const& k : campaign_.kernels) {
      if (k.direction != Direction::down || !has_cells(k.name) || !k.name.ends_with("_down")) continue;
      return word == "down" ? k.name : k.name.substr(0, k.name.size() - 5);
    }
    return std::nullopt;
  }
  return std::string(word);
}

std::optional<Cell> CellFinder::cell_of(CellSelector const& s, std::string& why) const {
  if (!main_) {
    why = "no sequential clear of a whole folio was measured";
    return std::nullopt;
  }
  auto const word = [&](char const* key, std::string const& other) {
    auto const it = s.factors.find(key);
    return it == s.factors.end() ? other : it->second;
  };
  Bytes const page = campaign_.plan.base_page;
  Cell c;
  c.order = s.order;
  auto const kernel_here = kernel(word("kernel", "linux"));
  if (!kernel_here) {
    why = fmt::format("no kernel of the kind '{}' was measured", word("kernel", "linux"));
    return std::nullopt;
  }
  c.kernel = *kernel_here;
  c.state = parse_state(word("state", "cold")).value_or(State::cold);
  c.backing = parse_backing(word("backing", to_string(main_->backing))).value_or(main_->backing);
  c.footprint = footprint_of(word("footprint", "1"), campaign_.plan.folio).value_or(campaign_.plan.folio);
  Bytes const extent = std::min(c.footprint, campaign_.plan.folio);
  if (c.order != "sequential") c.run = size_of(word("run", "page"), page, extent);
  c.call = size_of(word("call", "page"), page, extent).value_or(page);
  if (c.run && !s.factors.contains("call")) c.call = std::min(c.call, *c.run);
  c.prefetch = size_of(word("prefetch", "0"), page, extent).value_or(Bytes(0));
  std::string const threads = word("threads", "1");
  if (threads == "all") {
    for (PlannedCell const& p : campaign_.plan.cells) c.threads = std::max(c.threads, p.cell.threads);
    if (c.threads == 1) {
      why = "no pass of several threads was measured";
      return std::nullopt;
    }
  }
  KernelContract const* contract = contract_of(campaign_, c.kernel);
  if (contract && contract->weakly_ordered) c.fence = parse_fence(word("fence", "pass"));
  auto const order = parse_order(c.order);
  bool const aims =
      order && (order->base == "target_last" || order->base == "neighbourhood_last" || order->base == "far_ascending");
  if (aims) c.target = target_of(word("target", ""), extent / page);
  return c;
}

std::vector<std::uint32_t> CellFinder::find_all(CellSelector const& s, std::string& why) const {
  auto const wanted = s.factors.find("prefetch");
  if (wanted == s.factors.end() || wanted->second != "any") {
    auto const one = find(s, why);
    return one ? std::vector{*one} : std::vector<std::uint32_t>{};
  }
  std::set<Bytes> distances;
  for (PlannedCell const& p : campaign_.plan.cells)
    if (p.cell.prefetch.value != 0) distances.insert(p.cell.prefetch);
  std::vector<std::uint32_t> found;
  std::string missing = "no order was measured with prefetching";
  for (Bytes const distance : distances) {
    CellSelector at = s;
    at.factors["prefetch"] = format_bytes(distance);
    if (auto const cell = find(at, missing)) found.push_back(*cell);
  }
  if (found.empty()) why = missing;
  return found;
}

std::optional<std::uint32_t> CellFinder::find(CellSelector const& s, std::string& why) const {
  if (auto const it = s.factors.find("prefetch"); it != s.factors.end() && it->second == "any") {
    auto const all = find_all(s, why);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }
  auto c = cell_of(s, why);
  if (!c) return std::nullopt;
  if (auto const at = find(*c)) return at;
  if (auto const it = s.factors.find("call"); c->run && it != s.factors.end() && it->second == "stretch") {
    // Where no runs merge to longer stretches, the longest call is a run.
    c->call = *c->run;
    if (auto const at = find(*c)) return at;
  }
  if (!s.factors.contains("call") && c->run) {
    // Where some runs happen to merge, their calls may be as long as a base page.
    Cell longer = *c;
    longer.call = std::min(campaign_.plan.base_page, c->footprint);
    if (auto const at = find(longer)) return at;
  }
  why = "not measured: " + describe(*c);
  return std::nullopt;
}

}  // namespace folioscope
