// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

/// Source and scope in one: a socket-wide count and this program's own are never one series.
std::string source_words(Fill const& f) {
  return printable(f.source == "simulated" ? f.source : f.source + ", " + f.scope, 30);
}

std::string trust_words(Fill const& f) {
  if (f.source == "simulated") return "a model, not this machine";
  return f.trust ? "trust " + figure(*f.trust) : std::string("trust not known");
}

/// By cell: its comparison with sequential.
std::vector<Verdict const*> against_sequential(Material const& m, std::size_t campaign) {
  std::vector<Verdict const*> of_cell(m.explanation.campaigns[campaign].cells.size());
  for (Verdict const& v : m.explanation.judgement.verdicts)
    if (v.campaign == campaign && !v.against_baseline && v.estimate.n > 0 && v.cell < of_cell.size())
      of_cell[v.cell] = &v;
  return of_cell;
}

Table fills(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"event", "level", "source", "trust", "trust_words", "per_line",
                                                       "low", "high", "n", "time_us", "ratio", "ratio_low",
                                                       "ratio_high"});
  std::vector<std::vector<Verdict const*>> verdicts;
  for (std::size_t i = 0; i < m.explanation.campaigns.size(); ++i) verdicts.push_back(against_sequential(m, i));
  for (Fill const& f : m.explanation.counts.fills) {
    Cell const& cell = m.explanation.campaigns[f.campaign].cells[f.cell];
    auto const& ci = f.per_line.ci;
    auto const& time = m.explanation.campaigns[f.campaign].times[f.cell];
    Verdict const* const v = verdicts[f.campaign][f.cell];
    bool const interval = v && v->estimate.ci;
    table.add(cell_values(m, f.campaign, cell) +
              std::vector<Value>{
                  printable(f.event, 40), f.level.empty() ? Value() : Value(printable(f.level, 10)), source_words(f),
                  f.trust ? number(*f.trust) : Value(), trust_words(f), number(f.per_line.mean),
                  ci ? number(ci->low) : Value(), ci ? number(ci->high) : Value(), number(f.per_line.n),
                  time ? number(time->value * 1e-3) : Value(),
                  v                    ? number(v->estimate.ratio)
                  : is_reference(cell) ? number(1)
                                       : Value(),
                  interval ? number(v->estimate.ci->low) : Value(), interval ? number(v->estimate.ci->high) : Value()});
  }
  return table;
}

}  // namespace

extern Dataset const dataset_fills{
    "fills",
    "an event that counts lines, of a cell, per cache line cleared: mean over "
    "placements with its 95 % t interval, scaled by enabled over running time; trust is "
    "what it counted of known traffic on that machine; what is simulated comes from a model "
    "of the visits, a stream prefetcher that follows 16 streams and runs ahead after 2 "
    "lines, and has no interval",
    fills};

}  // namespace folioscope
