// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

/// Source and scope in one: a socket-wide count and this program's own are never one series.
std::string source_words(Fill const& f) { return printable(f.source + ", " + f.scope, 30); }

std::string trust_words(Fill const& f) {
  if (f.source == "simulated") return "a model, not this machine";
  return f.trust ? "trust " + figure(*f.trust) : std::string("trust not known");
}

Table fills(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"event", "level", "source", "trust", "trust_words", "per_line",
                                                       "low", "high", "n", "time_us"});
  for (Fill const& f : m.explanation.counts.fills) {
    auto const& ci = f.per_line.ci;
    auto const& time = m.explanation.campaigns[f.campaign].times[f.cell];
    table.add(cell_values(m, f.campaign, m.explanation.campaigns[f.campaign].cells[f.cell]) +
              std::vector<Value>{printable(f.event, 40), f.level.empty() ? Value() : Value(printable(f.level, 10)),
                                 source_words(f), f.trust ? number(*f.trust) : Value(), trust_words(f),
                                 number(f.per_line.mean), ci ? number(ci->low) : Value(),
                                 ci ? number(ci->high) : Value(), number(f.per_line.n),
                                 time ? number(time->value * 1e-3) : Value()});
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
