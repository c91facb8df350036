// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "explain/advice.hpp"
#include "explain/linux_words.hpp"
#include "explain/mechanism_text.hpp"
#include "explain/model_words.hpp"
#include "explain/recommend.hpp"
#include "explain/tables.hpp"

namespace folioscope {
namespace {

constexpr std::size_t mail_width = 72;

std::string paragraph(std::string_view text, std::size_t first = 0, std::size_t indent = 0) {
  return wrapped(ascii(text), mail_width, first, indent) + "\n";
}

std::string known(ExplainedCampaign const& c, std::string_view key) {
  Json const& value = c.facts.value(key);
  if (auto const text = value.as_string()) return printable(*text);
  return value.is_null() ? "not known" : printable(value.dump());
}

/// What a list asks of a machine: which core exactly, how many, caches, page settings.
std::string hardware(ExplainedCampaign const& c) {
  std::string text;
  auto const add = [&](std::string_view key, std::string_view before, std::string_view after = "") {
    if (!c.facts.value(key).is_null()) text += fmt::format("{}{}{}", before, known(c, key), after);
  };
  auto const add_bytes = [&](std::string_view key, std::string_view name) {
    auto const bytes = c.facts.value(key).as_number();
    if (bytes && *bytes > 0 && *bytes < 1e15)
      text += fmt::format(", {} {}", name, format_bytes(Bytes(static_cast<std::uint64_t>(*bytes))));
  };
  add("cpu.family", ", family ");
  add("cpu.model_number", " model ");
  add("cpu.stepping", " stepping ");
  add("cpu.midr", ", MIDR ");
  add(fact::cpus_allowed, ", CPUs ");
  add_bytes("cache.L1d.size_bytes", "L1d");
  add_bytes("cache.L2.size_bytes", "L2");
  add_bytes("cache.L3.size_bytes", "L3");
  add("thp.enabled", ", THP ");
  return text;
}

std::string machine_lines(ExplainedCampaign const& c, std::size_t verdicts) {
  std::string out;
  auto const line = [&](std::string_view name, std::string_view value) {
    out += paragraph(fmt::format("{:<9} {}", std::string(name) + ":", value), 0, 10);
  };
  std::string machine = known(c, fact::cpu_model) + " (" + known(c, fact::architecture) + ")";
  if (auto const h = c.facts.value(fact::hypervisor).as_string()) machine += ", guest of " + printable(*h);
  if (c.emulator) machine += ", EMULATED by " + printable(*c.emulator);
  machine += hardware(c);
  line("Machine", machine);
  if (!c.header.started.empty()) line("Date", printable(c.header.started));
  line("Linux", fmt::format("{}, preemption {}, clears with {}", known(c, fact::linux_release),
                            known(c, fact::preemption), known(c, fact::linux_kernel)));
  line("Method",
       fmt::format(
           "user space, folios of {}, {} placements, {} randomised complete blocks, sequential twice in each; ratio = "
           "geometric mean over placements of the median over blocks; 95 % t intervals, Holm over {} verdicts",
           format_bytes(c.folio), c.placements, c.blocks, verdicts));
  return out;
}

std::string emulation(ExplainedCampaign const& c) { return c.emulator ? " EMULATED" : ""; }

/// A table a kernel, state, backing, call and threads: times in us and ratios, a column a footprint, a line an order.
using Group =
    std::tuple<std::vector<std::uint64_t>, std::string, State, Backing, Bytes, std::uint32_t, std::optional<Fence>>;

Group group_of(ExplainedCampaign const& c, Cell const& cell) {
  Cell first = reference_of(cell);
  first.footprint = c.folio;  // footprints are the columns
  return {prominence(c, first), cell.kernel, cell.state, cell.backing, cell.call, cell.threads, cell.fence};
}

constexpr std::size_t most_table_rows = 16;

/// Orders of base-page runs that nothing prefetches: what a table has where an experiment tried dozens of others.
bool leads(ExplainedCampaign const& c, Verdict const* v) {
  Cell const& cell = c.cells[v->cell];
  return (!cell.run || *cell.run == c.base_page) && cell.prefetch.value == 0;
}

bool tells_mechanisms_apart(Cell const& cell) {
  std::string const base = parse_order(cell.order).value_or(OrderName{}).base;
  return base == "streams" || base == "alternate" || base == "gapped";
}

std::string group_text(ExplainedCampaign const& c, Group const& group, std::vector<Verdict const*> verdicts) {
  std::size_t const all = verdicts.size();
  std::set<std::string> marks;
  for (Verdict const* v : verdicts) marks.insert(order_mark(c.cells[v->cell], c.base_page));
  if (marks.size() > most_table_rows) {
    std::erase_if(verdicts, [&](Verdict const* v) { return !leads(c, v); });
    // Orders that somebody could adopt come first, those that tell mechanisms apart as far as there is room.
    std::ranges::stable_sort(verdicts, {}, [&](Verdict const* v) {
      Cell const& cell = c.cells[v->cell];
      return std::pair(tells_mechanisms_apart(cell), prominence(c, cell));
    });
  }
  std::vector<Bytes> footprints;
  std::vector<std::string> orders;
  std::map<std::pair<std::string, Bytes>, Verdict const*> at;
  for (Verdict const* v : verdicts) {
    Cell const& cell = c.cells[v->cell];
    std::string const mark = order_mark(cell, c.base_page);
    bool const known = std::ranges::find(orders, mark) != orders.end();
    if (!known && orders.size() == most_table_rows) continue;
    if (!known) orders.push_back(mark);
    if (std::ranges::find(footprints, cell.footprint) == footprints.end()) footprints.push_back(cell.footprint);
    at[{mark, cell.footprint}] = v;
  }
  std::ranges::sort(footprints);
  Sheet times, ratios;
  std::vector<std::string> sequential{"sequential"};
  times.headings = {{"us a pass"}};
  ratios.headings = {{"ratio to sequential"}};
  for (Bytes f : footprints) {
    times.headings[0].push_back(footprint_mark(f, c.folio));
    ratios.headings[0].push_back(footprint_mark(f, c.folio));
    std::string text = "-";
    for (Verdict const* v : verdicts)
      if (c.cells[v->cell].footprint == f) text = microseconds(v->reference_time);
    sequential.push_back(text);
  }
  times.rows.push_back(std::move(sequential));
  for (auto const& order : orders) {
    std::vector<std::string> time{ascii(order)}, ratio{ascii(order)};
    for (Bytes f : footprints) {
      auto const it = at.find({order, f});
      time.push_back(it == at.end() ? "-" : microseconds(it->second->time));
      ratio.push_back(it == at.end() ? "-" : ascii(verdict_figure(*it->second)));
    }
    times.rows.push_back(std::move(time));
    ratios.rows.push_back(std::move(ratio));
  }
  auto const& [rank, kernel, state, backing, call, threads, fence] = group;
  std::string title = fmt::format("{}, {}, {}, calls of {}, {} thread{}", printable(kernel), to_string(state),
                                  to_string(backing), format_bytes(call), threads, threads == 1 ? "" : "s");
  if (fence) title += ", fence a " + to_string(*fence);
  std::string out =
      "\n" + paragraph(title + emulation(c) + ":") + fitted(times, mail_width, 2) + fitted(ratios, mail_width, 2);
  if (at.size() < all) out += paragraph(fmt::format("({} more comparisons: folioscope report)", all - at.size()), 2, 2);
  return out;
}

/// Tables of a campaign, the one that stands for it first: `from` that many on.
std::string order_tables(Explanation const& e, std::size_t campaign, std::size_t from, std::size_t most) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::map<Group, std::vector<Verdict const*>> groups;
  for (Verdict const& v : e.judgement.verdicts)
    if (v.campaign == campaign && !v.against_baseline) groups[group_of(c, c.cells[v.cell])].push_back(&v);
  std::string out;
  std::size_t shown = 0;
  for (auto const& [group, verdicts] : groups) {
    if (shown < from) {
      ++shown;
      continue;
    }
    if (shown == from + most) {
      if (from == 0) break;  // the others follow further down
      out += "\n" + paragraph(fmt::format("({} more tables of other kernels, states and backings: folioscope report)",
                                          groups.size() - shown));
      break;
    }
    out += group_text(c, group, verdicts);
    ++shown;
  }
  return out;
}

std::string published(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::string out;
  for (PublishedTable const& t : e.published) {
    if (t.campaign != campaign) continue;
    out += "\n" + paragraph(fmt::format("us a pass of N folios of {}, {} {}, {}{}:", format_bytes(c.folio),
                                        to_string(t.state), to_string(t.backing), printable(t.kernel), emulation(c)));
    for (PublishedGroup const& group : t.groups) out += fitted(published_sheet(t, group, c.folio), mail_width, 2);
    out += paragraph(published_note());
  }
  return out;
}

std::string kernel_table(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::size_t left_out = 0;
  Sheet sheet = kernels_sheet(e, campaign, 12, left_out);
  if (sheet.rows.empty()) return {};
  for (auto* rows : {&sheet.headings, &sheet.rows})
    for (auto& row : *rows)
      for (auto& entry : row) entry = ascii(entry);
  std::string out =
      "\n" +
      paragraph("Kernels and call sizes, sequential, time / Linux's own kernel page by page" + emulation(c) + ":") +
      fitted(sheet, mail_width, 2);
  if (left_out) out += paragraph(fmt::format("({} more lines: folioscope report)", left_out), 2, 2);
  return out;
}

std::string without_out(std::string command) {
  auto const begin = command.find(" --out");
  if (begin == std::string::npos || begin + 6 >= command.size() ||
      (command[begin + 6] != ' ' && command[begin + 6] != '='))
    return command;
  bool quoted = false;
  std::size_t end = begin + 7;
  for (; end < command.size() && (quoted || command[end] != ' '); ++end)
    if (command[end] == '\'') quoted = !quoted;
  return command.erase(begin, end - begin);
}

std::string mechanism_table(Explanation const& e, std::size_t campaign) {
  auto const sentences = mechanism_sentences(e, campaign);
  if (sentences.empty()) return {};
  std::string out = "\n" + paragraph("Why? " + mechanism_conclusion(e, campaign) +
                                     " A contrast each, [with what was predicted of it]:");
  for (auto const& s : sentences) out += paragraph("- " + s, 0, 2);
  if (auto const fitted = parameter_sentence(e, campaign); !fitted.empty()) out += paragraph(fitted);
  for (auto const& s : prediction_sentences(e)) out += paragraph(s);
  return out;
}

std::string campaign_mail(Explanation const& e, std::size_t i) {
  ExplainedCampaign const& c = e.campaigns[i];
  Advice const& a = e.advice[i];
  std::string cover = a.findings.empty() ? a.conclusion : a.findings.front() + " " + a.conclusion;
  std::string out = paragraph(cover) + order_tables(e, i, 0, 1) + "\n";
  out += machine_lines(c, e.judgement.verdicts.size());
  for (std::size_t f = 1; f < a.findings.size(); ++f)
    out += (f == 1 ? "\n" : "") + paragraph("- " + a.findings[f], 0, 2);
  if (auto const linux_here = linux_sentences(e, i); !linux_here.empty()) {
    out += "\nWhat this Linux itself does:\n";
    for (auto const& s : linux_here) out += paragraph("- " + s, 0, 2);
  }
  out += mechanism_table(e, i);
  if (auto const todo = recommendation_sentences(e, i); !todo.empty()) {
    out += "\nWhat to do:\n";
    for (auto const& s : todo) out += paragraph("- " + s, 0, 2);
  }
  out += published(e, i) + order_tables(e, i, 1, 3) + kernel_table(e, i);
  out += "\n" + paragraph(
                    "+- is half of the 95 % interval. s: slower, f: faster (Holm-adjusted p < 0.05 and more than the "
                    "noise or 2 %); =: no difference "
                    "above that; ?: cannot tell.");
  out += paragraph(noise_sentence(e, i));
  if (auto const refused = refusals_sentence(c, 3); !refused.empty()) out += paragraph(refused);
  if (!a.would_change.empty()) out += "\nWhat would change this verdict:\n";
  for (std::string const& w : a.would_change) out += paragraph("- " + w, 0, 2);
  // The command stands on a line of its own, whole, to be copied; where its file lay is the sender's own business.
  out += fmt::format("\nTo reproduce (folioscope {}):\n  {}\n", ascii(printable(c.header.version)),
                     ascii(printable(without_out(c.header.command), 4000)));
  return out;
}

}  // namespace

std::string to_mail(Explanation const& e) {
  if (e.campaigns.empty()) return "No campaign: the capsule holds nothing yet. Run folioscope sweep.";
  std::string out;
  std::set<std::string> told;
  for (std::size_t const i : reading_order(e)) {
    if (!e.campaigns[i].prefetchers_off.empty()) continue;  // said below
    auto const instance = machine_of(e.campaigns[i].facts);
    if (instance && !told.insert(*instance).second) continue;  // a mail is about the newest
    if (!out.empty()) out += "\n" + std::string(mail_width, '-') + "\n\n";
    out += campaign_mail(e, i);
  }
  for (std::size_t i = 0; i < e.campaigns.size(); ++i)
    if (auto const causal = prefetchers_off_sentence(e, i); !causal.empty()) out += "\n" + paragraph(causal);
  if (auto const beside = foreign_text(e.foreign, mail_width, 8); !beside.empty()) out += "\n" + ascii(beside);
  out.erase(out.find_last_not_of('\n') + 1);
  return out;
}

}  // namespace folioscope
