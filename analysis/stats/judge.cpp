// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "stats/comparisons.hpp"
#include "stats/distributions.hpp"
#include "stats/runs.hpp"
#include "stats/verdict.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

constexpr std::uint32_t fewest_placements = 10;
constexpr double least_delta = 0.02;
constexpr double significance = 0.05;

/// The A/A comparisons of one campaign, one a reference cell, and the noise of each stratum.
void measure_noise(Campaign const& campaign, std::size_t index, Runs const& runs, Judgement& out,
                   std::vector<double>& aa_p) {
  std::map<Stratum, std::vector<std::vector<double>>> strata;
  auto const& cells = campaign.plan.cells;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (!is_reference(cells[i].cell)) continue;
    KernelContract const* contract = contract_of(campaign, cells[i].cell.kernel);
    if (contract && contract->store == StoreKind::none) continue;
    auto logs = runs.aa_log_ratios(i);
    Estimate const e = estimate(logs);
    if (!e.ci) continue;
    aa_p.push_back(e.p);
    strata[stratum_of(cells[i].cell)].push_back(std::move(logs));
  }
  for (auto const& [stratum, samples] : strata) {
    double const half = pooled_half_width(samples);
    out.noise.push_back({index, stratum, static_cast<std::uint32_t>(samples.size()),
                         std::isfinite(half) ? std::optional(std::expm1(half)) : std::nullopt});
  }
}

double delta_of(Judgement const& judgement, std::size_t campaign, Stratum const& stratum) {
  for (StratumNoise const& n : judgement.noise)
    if (n.campaign == campaign && n.stratum == stratum) return std::max(least_delta, n.smallest_effect.value_or(0));
  return least_delta;
}

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.3g} %", share * 100) : "- %"; }

void decide(Verdict& v, bool has_reference) {
  Estimate const& e = v.estimate;
  double const band = std::log1p(v.delta);
  v.verdict = Finding::cannot_tell;
  if (!has_reference) {
    v.why = "the plan has no reference to compare it with";
  } else if (e.n == 0) {
    v.why = "no block has both it and its reference";
  } else if (e.n < fewest_placements) {
    v.why = fmt::format("{} placement{}, fewer than {}", e.n, e.n == 1 ? "" : "s", fewest_placements);
  } else if (v.p_holm < significance && std::fabs(std::log(e.ratio)) >= band) {
    v.verdict = e.ratio > 1 ? Finding::slower : Finding::faster;
  } else if (std::log(e.ci90->low) >= -band && std::log(e.ci90->high) <= band) {
    v.verdict = Finding::no_difference;
  } else if (v.p_holm < significance) {
    v.why = fmt::format("a difference below {}, the least that counts, but perhaps not far below", percent(v.delta));
  } else {
    v.why = fmt::format("the interval is too wide: {} to {}", fixed(e.ci->low, 3), fixed(e.ci->high, 3));
  }
}

/// p values of comparisons that have one; those without data are tested by nobody and widen no family.
void adjust(std::vector<Verdict>& verdicts) {
  std::vector<double> p;
  for (Verdict const& v : verdicts)
    if (v.estimate.ci) p.push_back(v.estimate.p);
  auto const adjusted = holm(p);
  std::size_t next = 0;
  for (Verdict& v : verdicts)
    if (v.estimate.ci) v.p_holm = adjusted[next++];
}

}  // namespace

Judgement judge(std::span<Campaign const> campaigns) {
  Judgement out;
  std::vector<double> aa_p;
  std::vector<bool> has_reference;
  for (std::size_t c = 0; c < campaigns.size(); ++c) {
    Campaign const& campaign = campaigns[c];
    Runs const runs(campaign);
    measure_noise(campaign, c, runs, out, aa_p);
    for (CellPair const& pair : comparisons(campaign)) {
      // Linux's own paths are no kernels: what their times say is told by itself, with a family of its own.
      if (campaign.header.kind == "linux" && !contract_of(campaign, campaign.plan.cells[pair.cell].cell.kernel))
        continue;
      Verdict v;
      v.campaign = c;
      v.cell = pair.cell;
      v.reference = pair.reference.value_or(pair.cell);
      v.against_baseline = pair.against_baseline;
      if (pair.reference) v.estimate = estimate(runs.log_ratios(pair.cell, *pair.reference));
      v.delta = delta_of(out, c, stratum_of(campaign.plan.cells[pair.cell].cell));
      v.time = runs.time(pair.cell).value_or(Nanoseconds(std::numeric_limits<double>::quiet_NaN()));
      v.reference_time = runs.time(v.reference).value_or(Nanoseconds(std::numeric_limits<double>::quiet_NaN()));
      has_reference.push_back(pair.reference.has_value());
      out.verdicts.push_back(std::move(v));
    }
  }
  adjust(out.verdicts);
  for (std::size_t i = 0; i < out.verdicts.size(); ++i) decide(out.verdicts[i], has_reference[i]);
  out.aa_pairs = static_cast<std::uint32_t>(aa_p.size());
  for (double p : aa_p) out.aa_flagged += p < significance ? 1 : 0;
  for (double p : holm(aa_p)) out.aa_flagged_holm += p < significance ? 1 : 0;
  out.aa_ci = clopper_pearson(out.aa_flagged, out.aa_pairs);
  return out;
}

std::vector<double> relative_half_widths(Campaign const& campaign) {
  Runs const runs(campaign);
  std::vector<double> widths;
  for (CellPair const& pair : comparisons(campaign)) {
    if (!pair.reference) continue;  // no number of blocks makes it narrower
    Estimate const e = estimate(runs.log_ratios(pair.cell, *pair.reference));
    widths.push_back(e.ci ? (e.ci->high - e.ci->low) / (2 * e.ratio) : std::numeric_limits<double>::infinity());
  }
  return widths;
}

}  // namespace folioscope
