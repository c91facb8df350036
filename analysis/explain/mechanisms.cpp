// SPDX-License-Identifier: Apache-2.0
#include "explain/mechanisms.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/contrast.hpp"
#include "explain/finder.hpp"
#include "explain/linux_contrast.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace {

using Outcome = ContrastFinding::Outcome;

constexpr Word<MechanismStatus> statuses[] = {{MechanismStatus::supported, "supported"},
                                              {MechanismStatus::contradicted, "contradicted"},
                                              {MechanismStatus::inconclusive, "inconclusive"},
                                              {MechanismStatus::untested, "untested"}};
constexpr std::uint32_t fewest_placements_for_a_claim = 10;

Outcome outcome_of(Contrast const& c, ContrastFinding const& f) {
  if (!f.ci || f.n < fewest_placements_for_a_claim) return Outcome::open;
  bool const holds = (!c.above || f.ci->low > *c.above) && (!c.below || f.ci->high < *c.below);
  if (holds) return Outcome::holds;
  bool const refuted =
      (c.refuted_below && f.ci->high < *c.refuted_below) || (c.refuted_above && f.ci->low > *c.refuted_above);
  return refuted ? Outcome::refuted : Outcome::open;
}

/// What one machine's campaigns offer.
struct Witnesses {
  std::vector<Evaluator> sweeps;
  std::vector<LinuxRatio> linux_ratios;
};

/// The campaign with most placements among those that have the cells speaks.
ContrastFinding evaluate(Contrast const& contrast, Witnesses const& witnesses) {
  ContrastFinding best;
  auto const offer = [&](ContrastFinding f) {
    if (f.outcome != Outcome::missing) f.outcome = outcome_of(contrast, f);
    bool const first = best.why.empty() && best.n == 0 && best.outcome == Outcome::missing;
    // Of campaigns that lack it, one that has the cells knows best what else is missing.
    bool const knows_more = best.outcome == Outcome::missing && f.outcome == Outcome::missing &&
                            best.why.starts_with("not measured") && !f.why.starts_with("not measured");
    if (first || knows_more || (best.outcome == Outcome::missing && f.outcome != Outcome::missing) ||
        (f.outcome != Outcome::missing && f.n > best.n))
      best = std::move(f);
  };
  if (contrast.measure == Measure::linux)
    offer(linux_contrast(contrast, witnesses.linux_ratios));
  else
    for (Evaluator const& e : witnesses.sweeps) offer(e.evaluate(contrast));
  best.what = contrast.what;
  best.predicted = predicted_words(contrast);
  best.optional = contrast.optional;
  return best;
}

struct Tally {
  std::size_t holds = 0, refuted = 0, open = 0, missing = 0;
  bool blind = false;  ///< what is missing is no cell but a counter or a probe
  std::string first_missing;
};

Tally tally_of(Mechanism const& m) {
  Tally t;
  for (ContrastFinding const& f : m.findings) {
    if (f.outcome == Outcome::missing) {
      if (f.optional) continue;
      ++t.missing;
      t.blind = t.blind || f.source != "timed";
      if (t.first_missing.empty()) t.first_missing = f.why;
    } else if (f.outcome == Outcome::refuted) {
      ++t.refuted;
    } else if (f.outcome == Outcome::holds) {
      ++t.holds;
    } else if (!f.optional) {
      ++t.open;
    }
  }
  return t;
}

void untested(Mechanism& m, Tally const& t) {
  m.status = MechanismStatus::untested;
  m.why = fmt::format("{}; run folioscope sweep --experiment {}", t.first_missing, m.experiment);
}

void inconclusive(Mechanism& m, Tally const& t) {
  m.status = MechanismStatus::inconclusive;
  m.why = fmt::format("{} of {} predictions fall between what is predicted and what would contradict it", t.open,
                      t.open + t.holds + t.refuted);
}

/// All predictions must hold; one that is refuted contradicts. Without the counter that it is about nothing is said.
void judge_all(Mechanism& m, Tally const& t) {
  if (t.blind || (t.missing && !t.refuted)) {
    untested(m, t);
  } else if (t.refuted) {
    m.status = MechanismStatus::contradicted;
  } else if (t.open) {
    inconclusive(m, t);
  } else {
    m.status = MechanismStatus::supported;
  }
}

/// One that holds supports; all that were measured must be refuted to contradict.
void judge_any(Mechanism& m, Tally const& t) {
  if (t.holds)
    m.status = MechanismStatus::supported;
  else if (t.open)
    inconclusive(m, t);
  else if (t.refuted)
    m.status = MechanismStatus::contradicted;
  else
    untested(m, t);
}

Mechanism mechanism_of(Hypothesis const& h, Witnesses const& witnesses) {
  Mechanism m;
  m.name = h.name;
  m.title = h.title;
  m.claim = h.claim;
  m.experiment = h.experiment;
  m.counters = h.counters;
  for (Contrast const& c : h.predicts) m.findings.push_back(evaluate(c, witnesses));
  if (!h.unseen.empty()) {
    m.why = h.unseen;
    return m;
  }
  Tally const t = tally_of(m);
  if (h.any)
    judge_any(m, t);
  else
    judge_all(m, t);
  return m;
}

}  // namespace

std::string to_string(MechanismStatus status) { return word_of(statuses, status); }

std::vector<MachineMechanisms> mechanisms(std::span<Campaign const> campaigns, std::span<Runs const> runs,
                                          std::span<LinuxRatio const> linux_ratios) {
  std::map<std::string, std::vector<std::size_t>> instances;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Campaign const& c = campaigns[i];
    if (c.header.kind == "linux" || c.plan.cells.empty() || c.facts.value(fact::emulator).as_string()) continue;
    instances[machine_of(c.facts).value_or("")].push_back(i);
  }
  std::vector<MachineMechanisms> out;
  auto const all = hypotheses();
  for (auto const& [instance, indices] : instances) {
    Witnesses witnesses;
    for (std::size_t i : indices) witnesses.sweeps.emplace_back(campaigns[i], runs[i], i);
    for (LinuxRatio const& r : linux_ratios)
      if (machine_of(campaigns[r.campaign].facts).value_or("") == instance) witnesses.linux_ratios.push_back(r);
    MachineMechanisms machine{instance, indices, {}};
    for (Hypothesis const& h : all) machine.mechanisms.push_back(mechanism_of(h, witnesses));
    out.push_back(std::move(machine));
  }
  std::ranges::sort(out, {}, [](MachineMechanisms const& m) { return m.campaigns.front(); });
  return out;
}

}  // namespace folioscope
