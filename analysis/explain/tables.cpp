// SPDX-License-Identifier: Apache-2.0
#include "explain/tables.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "explain/advice.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

std::vector<Verdict const*> verdicts_of(Explanation const& e, std::size_t campaign, bool against_baseline) {
  std::vector<Verdict const*> mine;
  for (Verdict const& v : e.judgement.verdicts)
    if (v.campaign == campaign && v.against_baseline == against_baseline) mine.push_back(&v);
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::ranges::stable_sort(mine, {}, [&](Verdict const* v) {
    return std::pair(prominence(c, reference_of(c.cells[v->cell])), prominence(c, c.cells[v->cell]));
  });
  return mine;
}

/// Splits a heading at the ends of its words, and long words at the width of a figure, so that columns stay narrow.
std::vector<std::string> stacked(std::string_view text) {
  constexpr std::size_t widest = 10;
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const room = lines.back().size() + 1 < widest;
    if (!room && i + 1 < text.size() && text[i] != ' ' && text[i + 1] != ' ' &&
        static_cast<unsigned char>(text[i]) < 0x80) {
      lines.back() += '-';
      lines.emplace_back();
    }
    if (text[i] == ' ')
      lines.emplace_back();
    else
      lines.back() += text[i];
    if (text[i] == '_' && i + 1 < text.size()) lines.emplace_back();
  }
  return lines;
}

/// Heading rows of equal height, the last line at the bottom.
std::vector<std::vector<std::string>> headings(std::vector<std::string> const& labels,
                                               std::vector<std::vector<std::string>> const& columns) {
  std::size_t height = 1;
  for (auto const& c : columns) height = std::max(height, c.size());
  std::vector<std::vector<std::string>> rows(height, std::vector<std::string>(labels.size()));
  rows.back() = labels;
  for (auto const& c : columns)
    for (std::size_t i = 0; i < height; ++i) {
      std::size_t const blank = height - c.size();
      rows[i].push_back(i < blank ? std::string() : c[i - blank]);
    }
  return rows;
}

std::string kernel_mark(Cell const& c) {
  return printable(c.kernel, 24) + (c.fence == Fence::call ? " (fence a call)" : "");
}

}  // namespace

std::string order_mark(Cell const& c, Bytes base_page) {
  std::string text = printable(c.order, 24);
  if (c.target) text += fmt::format(" t{}", *c.target);
  if (c.run && *c.run != base_page) text += " run" + compact_bytes(*c.run);
  if (c.prefetch.value) text += " pf" + compact_bytes(c.prefetch);
  return text;
}

std::string verdict_figure(Verdict const& v) {
  constexpr char marks[] = {'s', 'f', '=', '?'};
  Estimate const& e = v.estimate;
  if (e.n == 0) return "-?";
  std::string text = figure(e.ratio);
  if (e.ci) {
    std::string const half = fixed((e.ci->high - e.ci->low) / 2, 2);
    text += "±" + (half.starts_with("0.") ? half.substr(1) : half);
  }
  return text + marks[static_cast<int>(v.verdict)];
}

/// Where an experiment varies much more than orders (run lengths, streams, prefetching), what systems might adopt
/// stays.
bool keep_telling(std::vector<Verdict const*>& verdicts, ExplainedCampaign const& c) {
  constexpr std::size_t most_columns = 9;
  std::set<std::string> columns;
  for (Verdict const* v : verdicts) columns.insert(order_mark(c.cells[v->cell], c.base_page));
  if (columns.size() <= most_columns) return false;
  auto const telling = [&](Verdict const* v) {
    Cell const& cell = c.cells[v->cell];
    bool const plain_run = !cell.run || *cell.run == c.base_page;
    auto const order = parse_order(cell.order).value_or(OrderName{});
    bool const probe = order.base == "streams" || order.base == "alternate" || order.base == "gapped";
    return plain_run && cell.prefetch.value == 0 && !probe && order.parameter.value_or(2) == 2;
  };
  auto const rest = std::stable_partition(verdicts.begin(), verdicts.end(), telling);
  if (rest != verdicts.begin()) verdicts.erase(rest, verdicts.end());
  return true;
}

Sheet orders_sheet(Explanation const& e, std::size_t campaign, std::size_t most, std::size_t& left_out) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  auto verdicts = verdicts_of(e, campaign, false);
  bool const cut = keep_telling(verdicts, c);
  std::vector<std::string> columns;
  std::vector<std::uint32_t> rows;
  for (Verdict const* v : verdicts) {
    std::string const mark = order_mark(c.cells[v->cell], c.base_page);
    if (std::ranges::find(columns, mark) == columns.end()) columns.push_back(mark);
    if (std::ranges::find(rows, v->reference) == rows.end()) rows.push_back(v->reference);
  }
  left_out = rows.size() > most ? rows.size() - most : 0;
  rows.resize(rows.size() - left_out);
  Sheet sheet;
  sheet.cut = cut;
  std::vector<std::vector<std::string>> stacks{{"sequential", "per folio"}};
  for (auto const& mark : columns) stacks.push_back(stacked(mark));
  auto const varies = [&](auto const& factor) {
    return std::ranges::any_of(rows,
                               [&](std::uint32_t r) { return factor(c.cells[r]) != factor(c.cells[rows.front()]); });
  };
  bool const calls = varies([](Cell const& x) { return x.call.value; });
  bool const threads = varies([](Cell const& x) { return std::uint64_t{x.threads}; });
  std::vector<std::string> labels{"state", "size", "backing", "kernel"};
  if (calls) labels.emplace_back("call");
  if (threads) labels.emplace_back("thr");
  if (c.emulator) labels.emplace_back("");
  sheet.gap = 1;
  if (!rows.empty()) {
    Cell const& any = c.cells[rows.front()];
    if (!calls) sheet.constants += fmt::format(", calls of {}", format_bytes(any.call));
    if (!threads) sheet.constants += fmt::format(", {} thread{}", any.threads, any.threads == 1 ? "" : "s");
  }
  sheet.labels = labels.size();
  sheet.headings = headings(labels, stacks);
  for (std::uint32_t r : rows) {
    Cell const& cell = c.cells[r];
    std::vector<std::string> row{to_string(cell.state), footprint_mark(cell.footprint, c.folio),
                                 to_string(cell.backing), kernel_mark(cell)};
    if (calls) row.push_back(compact_bytes(cell.call));
    if (threads) row.push_back(std::to_string(cell.threads));
    if (c.emulator) row.emplace_back("emulated");
    double const folios = std::max(1.0, static_cast<double>(cell.footprint.value) /
                                            static_cast<double>(std::max<std::uint64_t>(1, c.folio.value)));
    // A cell without its reference stands in a row of its own; its time is no sequential one.
    row.push_back(c.times[r] && is_reference(cell) ? format_time(Nanoseconds(c.times[r]->value / folios)) : "-");
    row.resize(sheet.labels + 1 + columns.size());
    for (Verdict const* v : verdicts)
      if (v->reference == r) {
        auto const at = std::ranges::find(columns, order_mark(c.cells[v->cell], c.base_page)) - columns.begin();
        row[sheet.labels + 1 + static_cast<std::size_t>(at)] = verdict_figure(*v);
      }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

Sheet kernels_sheet(Explanation const& e, std::size_t campaign, std::size_t most, std::size_t& left_out) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  auto const verdicts = verdicts_of(e, campaign, true);
  using Row = std::tuple<std::string, Bytes, std::optional<Fence>>;
  std::vector<Row> rows;
  std::vector<Stratum> columns;
  for (Verdict const* v : verdicts) {
    Cell const& cell = c.cells[v->cell];
    Row const row{cell.kernel, cell.call, cell.fence};
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    if (std::ranges::find(columns, stratum_of(cell)) == columns.end()) columns.push_back(stratum_of(cell));
  }
  left_out = rows.size() > most ? rows.size() - most : 0;
  rows.resize(rows.size() - left_out);
  Sheet sheet;
  std::vector<std::string> labels{"kernel", "call"};
  if (c.emulator) labels.emplace_back("");
  sheet.labels = labels.size();
  std::vector<std::vector<std::string>> stacks;
  for (Stratum const& s : columns) {
    stacks.push_back({to_string(s.state), to_string(s.backing), footprint_mark(s.footprint, c.folio)});
    if (s.threads > 1) stacks.back().back() += fmt::format(" x{}", s.threads);
  }
  sheet.headings = headings(labels, stacks);
  for (auto const& [kernel, call, fence] : rows) {
    Cell named;
    named.kernel = kernel;
    named.fence = fence;
    std::vector<std::string> row{kernel_mark(named), compact_bytes(call)};
    if (c.emulator) row.emplace_back("emulated");
    row.resize(sheet.labels + columns.size());
    for (Verdict const* v : verdicts) {
      Cell const& cell = c.cells[v->cell];
      if (Row{cell.kernel, cell.call, cell.fence} != Row{kernel, call, fence}) continue;
      auto const at = std::ranges::find(columns, stratum_of(cell)) - columns.begin();
      row[sheet.labels + static_cast<std::size_t>(at)] = verdict_figure(*v);
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

Sheet published_sheet(PublishedTable const&, PublishedGroup const& group, Bytes folio) {
  Sheet sheet;
  sheet.headings = {{footprint_mark(group.footprint, folio), "1", "2", "3", "4", "5", "mean"}};
  for (PublishedRow const& row : group.rows) {
    std::vector<std::string> line{to_string(row.way)};
    for (auto const& ns : row.columns) line.push_back(ns ? microseconds(*ns) : "-");
    line.push_back(row.mean ? microseconds(*row.mean) : "-");
    sheet.rows.push_back(std::move(line));
  }
  return sheet;
}

std::vector<std::size_t> reading_order(Explanation const& e) {
  std::vector<std::size_t> order(e.campaigns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const machine = [&](std::size_t i) { return machine_of(e.campaigns[i].facts).value_or(fmt::format("#{}", i)); };
  std::map<std::string, std::size_t> first;
  for (std::size_t i : order) first.try_emplace(machine(i), i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    std::size_t const of_a = first[machine(a)], of_b = first[machine(b)];
    return of_a != of_b ? of_a < of_b : e.campaigns[a].header.started > e.campaigns[b].header.started;
  });
  return order;
}

std::string noise_sentence(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::uint32_t pairs = 0;
  double least = INFINITY, most = 0;
  for (StratumNoise const& n : e.judgement.noise) {
    if (n.campaign != campaign) continue;
    pairs += n.pairs;
    if (n.smallest_effect) {
      least = std::min(least, *n.smallest_effect);
      most = std::max(most, *n.smallest_effect);
    }
  }
  std::string text;
  if (pairs == 0) {
    text = "A/A: no sequential cell ran twice in two placements or more, so the noise is not known.";
  } else {
    Interval const rate = e.judgement.aa_ci.value_or(Interval{0, 1});
    text =
        fmt::format("A/A: {} of {} pairs of identical runs{} differ at 5 % unadjusted (rate {} to {}), {} after Holm. ",
                    e.judgement.aa_flagged, e.judgement.aa_pairs, e.campaigns.size() > 1 ? " (all campaigns)" : "",
                    percent(rate.low), percent(rate.high), e.judgement.aa_flagged_holm);
    text += fmt::format("Smallest effect seen through the noise: {}{}.", percent(least),
                        percent(most) != percent(least) ? " to " + percent(most) : "");
  }
  if (c.marked_blocks)
    text += fmt::format(
        " {} of {} blocks ran with the core clock off by more than 5 %; they count, for a ratio stays within its "
        "block.",
        c.marked_blocks, c.blocks);
  constexpr double worth_saying = 0.05;
  if (c.away && *c.away > worth_saying)
    text += fmt::format(
        " Other programs, or the hypervisor, had the CPU in {} of the timed time: long passes, and with them times and "
        "GB/s of large footprints, are inflated; measure again when the machine is quiet.",
        percent(*c.away));
  if (c.steal_s > 0.01) text += fmt::format(" The hypervisor took {} s.", fixed(c.steal_s, 2));
  if (!c.left_out.empty()) text += " " + c.left_out;
  return text;
}

std::string refusals_sentence(ExplainedCampaign const& c, std::size_t most) {
  if (c.refusals.empty()) return {};
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (Refusal const& r : c.refusals) {
    auto it = std::ranges::find(by_reason, r.reason, [](auto const& entry) { return entry.first; });
    if (it == by_reason.end()) it = by_reason.insert(by_reason.end(), {r.reason, {}});
    it->second.push_back(printable(r.subject, 40));
  }
  std::string text = fmt::format("Refused ({}): ", c.refusals.size());
  std::size_t shown = 0;
  for (auto const& [reason, subjects] : by_reason) {
    if (shown == most) {
      text += fmt::format("; {} more reasons in --json", by_reason.size() - shown);
      break;
    }
    text += shown++ ? "; " : "";
    for (std::size_t i = 0; i < std::min<std::size_t>(subjects.size(), 3); ++i) text += (i ? ", " : "") + subjects[i];
    if (subjects.size() > 3) text += fmt::format(" and {} more", subjects.size() - 3);
    text += " (" + printable(reason, 80) + ")";
  }
  return text + ".";
}

std::string campaign_sentence(ExplainedCampaign const& c) {
  std::string text =
      fmt::format("{} {}, {} block{} in {} placement{}, begun {}",
                  c.header.kind == "sweep" ? "Experiment" : printable(c.header.kind), printable(c.experiment), c.blocks,
                  c.blocks == 1 ? "" : "s", c.placements, c.placements == 1 ? "" : "s", printable(c.header.started));
  if (!c.header.stop_reason.empty()) text += "; ended: " + printable(c.header.stop_reason, 200);
  if (!c.header.complete) text += "; not complete";
  return text + ".";
}

}  // namespace folioscope
