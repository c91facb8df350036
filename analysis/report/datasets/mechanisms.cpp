// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

std::string outcome_words(ContrastFinding::Outcome outcome) {
  switch (outcome) {
    case ContrastFinding::Outcome::holds:
      return "holds";
    case ContrastFinding::Outcome::refuted:
      return "contradicted";
    case ContrastFinding::Outcome::open:
      return "open";
    case ContrastFinding::Outcome::missing:
      return "not measured";
  }
  return {};
}

Table mechanisms(Material const& m) {
  Table table({"campaign", "mechanism", "status", "what", "predicted", "outcome", "value", "low", "high", "quantity",
               "source", "cell", "over", "n", "why"});
  for (MachineMechanisms const& machine : m.explanation.mechanisms)
    for (Mechanism const& mechanism : machine.mechanisms) {
      std::string const label = m.labels[machine.campaigns.front()];
      if (mechanism.findings.empty())
        table.add({label, mechanism.title, to_string(mechanism.status), Value(), Value(), Value(), Value(), Value(),
                   Value(), Value(), Value(), Value(), Value(), Value(), mechanism.why});
      for (ContrastFinding const& f : mechanism.findings) {
        bool const there = f.outcome != ContrastFinding::Outcome::missing;
        auto const cell = [&](std::optional<std::uint32_t> i) {
          return there && i ? Value(printable(describe(m.explanation.campaigns[f.campaign].cells[*i]), 120)) : Value();
        };
        table.add({label, mechanism.title, to_string(mechanism.status), f.what, f.predicted, outcome_words(f.outcome),
                   there ? number(f.value) : Value(), f.ci ? number(f.ci->low) : Value(),
                   f.ci ? number(f.ci->high) : Value(), f.quantity, f.source, cell(f.cell), cell(f.over),
                   there ? number(f.n) : Value(), there ? Value() : Value(printable(f.why, 160))});
      }
    }
  return table;
}

}  // namespace

extern Dataset const dataset_mechanisms{
    "mechanisms",
    "a contrast that a hypothesis predicts: the figure of cell over cell, what was predicted of it, and what it says",
    mechanisms};

}  // namespace folioscope
