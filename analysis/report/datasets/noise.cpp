// SPDX-License-Identifier: Apache-2.0
#include "report/dataset.hpp"

namespace folioscope {
namespace {

StratumNoise const* noise_of(Material const& m, std::size_t campaign, Cell const& cell) {
  for (StratumNoise const& n : m.explanation.judgement.noise)
    if (n.campaign == campaign && n.stratum == stratum_of(cell)) return &n;
  return nullptr;
}

Table noise(Material const& m) {
  Table table(cell_fields() +
              std::vector<std::string>{"ratio", "low", "high", "effect_low", "effect_high", "effect", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (std::uint32_t c : m.cells[i]) {
      Cell const& cell = m.explanation.campaigns[i].cells[c];
      if (!is_reference(cell)) continue;
      Estimate const e = estimate(m.runs[i].aa_log_ratios(c));
      if (e.n == 0) continue;
      StratumNoise const* const n = noise_of(m, i, cell);
      double const effect = n && n->smallest_effect ? *n->smallest_effect : NAN;
      table.add(cell_values(m, i, cell) + std::vector<Value>{number(e.ratio), number(e.ci ? e.ci->low : NAN),
                                                             number(e.ci ? e.ci->high : NAN), number(1 / (1 + effect)),
                                                             number(1 + effect), number(100 * effect), number(e.n)});
    }
  return table;
}

}  // namespace

extern Dataset const dataset_noise{"noise",
                                   "a sequential cell that ran twice in every block: second time over first, and the "
                                   "smallest effect of its stratum, in "
                                   "percent and as the ratios it lies between",
                                   noise};

}  // namespace folioscope
