// SPDX-License-Identifier: Apache-2.0
#include "explain/compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "explain/layout.hpp"
#include "stats/comparisons.hpp"
#include "stats/runs.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

/// What is compared: a cell's time, or a cell's ratio to its reference.
struct Key {
  Cell cell;
  std::optional<Cell> reference;
  friend auto operator<=>(Key const&, Key const&) = default;
};

struct Gathered {
  std::map<Key, std::vector<double>> logs;  ///< a value a placement, over all campaigns of the file
  std::map<Stratum, double> noise;
};

void append(std::vector<double>& to, std::vector<double> const& more) { to.insert(to.end(), more.begin(), more.end()); }

Gathered gather(CapsuleContent const& file) {
  Gathered g;
  for (Campaign const& c : file.campaigns) {
    Runs const runs(c);
    auto const& cells = c.plan.cells;
    for (std::uint32_t i = 0; i < cells.size(); ++i)
      if (auto logs = runs.log_times(i); !logs.empty()) append(g.logs[{cells[i].cell, std::nullopt}], logs);
    for (CellPair const& pair : comparisons(c))
      if (pair.reference)
        if (auto logs = runs.log_ratios(pair.cell, *pair.reference); !logs.empty())
          append(g.logs[{cells[pair.cell].cell, cells[*pair.reference].cell}], logs);
  }
  for (StratumNoise const& n : judge(file.campaigns).noise) {
    double& most = g.noise[n.stratum];
    most = std::max(most, n.smallest_effect.value_or(0));
  }
  return g;
}

double noise_of(Gathered const& g, Stratum const& stratum) {
  auto const it = g.noise.find(stratum);
  return it == g.noise.end() ? 0 : it->second;
}

std::string instance_of(CapsuleContent const& file) {
  return file.campaigns.empty() ? std::string() : machine_of(file.campaigns.front().facts).value_or("");
}

ComparedFile describe_file(CapsuleContent const& file, std::string const& base_instance) {
  ComparedFile out;
  out.label = file.label;
  out.machine = "empty";
  if (!file.campaigns.empty()) {
    Facts const& facts = file.campaigns.front().facts;
    out.machine = facts.value(fact::cpu_model).as_string().value_or("CPU unknown") + ", Linux " +
                  facts.value(fact::linux_release).as_string().value_or("release unknown");
    out.emulator = facts.value(fact::emulator).as_string();
    out.guest = facts.value(fact::hypervisor).as_string().has_value();
  }
  std::string const instance = instance_of(file);
  out.same_instance = !instance.empty() && instance == base_instance;
  return out;
}

void decide(Compared& c) {
  constexpr std::uint32_t fewest = 10;
  Estimate const& d = c.difference;
  double const band = std::log1p(c.delta);
  if (c.base.n < fewest || c.other.n < fewest)
    c.why = fmt::format("{} and {} placements, fewer than {}", c.base.n, c.other.n, fewest);
  else if (c.p_holm < 0.05 && std::fabs(std::log(d.ratio)) >= band)
    c.verdict = d.ratio > 1 ? Finding::slower : Finding::faster;
  else if (std::log(d.ci90->low) >= -band && std::log(d.ci90->high) <= band)
    c.verdict = Finding::no_difference;
  else
    c.why = fmt::format("the interval is too wide: {} to {}", fixed(d.ci->low, 3), fixed(d.ci->high, 3));
}

void hold_against(Gathered const& base, Gathered const& other, std::size_t file, ComparedFile& about,
                  std::vector<Compared>& out) {
  for (auto const& [key, logs] : other.logs) {
    auto const it = base.logs.find(key);
    if (!key.reference) ++(it == base.logs.end() ? about.unmatched : about.matched);
    if (it == base.logs.end()) continue;
    // Times of two machines say more of the machines than of what was changed.
    if (!key.reference && !about.same_instance) continue;
    Compared c;
    c.quantity = key.reference ? Compared::Quantity::ratio : Compared::Quantity::time;
    c.file = file;
    c.cell = key.cell;
    c.reference = key.reference;
    c.base = estimate(it->second);
    c.other = estimate(logs);
    c.difference = estimate_difference(logs, it->second);
    Stratum const stratum = stratum_of(key.cell);
    c.delta = std::max({0.02, noise_of(base, stratum), noise_of(other, stratum)});
    out.push_back(std::move(c));
  }
}

}  // namespace

Comparison compare(std::span<CapsuleContent const> files) {
  Comparison out;
  if (files.empty()) return out;
  std::string const instance = instance_of(files.front());
  Gathered const base = gather(files.front());
  for (std::size_t i = 0; i < files.size(); ++i) {
    ComparedFile about = describe_file(files[i], instance);
    if (i > 0) hold_against(base, gather(files[i]), i, about, out.compared);
    out.files.push_back(std::move(about));
  }
  std::vector<double> p;
  for (Compared const& c : out.compared)
    if (c.difference.ci) p.push_back(c.difference.p);
  auto const adjusted = holm(p);
  std::size_t next = 0;
  for (Compared& c : out.compared) {
    if (c.difference.ci) c.p_holm = adjusted[next++];
    decide(c);
  }
  return out;
}

FailOn parse_fail_on(std::string_view text) {
  auto const wrong = [&] {
    return UsageError(fmt::format("'{}' is no condition", printable(text)), "--fail-on",
                      "write slower:3% or faster:3%");
  };
  std::size_t const colon = text.find(':');
  if (colon == std::string_view::npos) throw wrong();
  std::string_view const word = text.substr(0, colon);
  std::string_view number = text.substr(colon + 1);
  FailOn condition;
  if (word == "faster")
    condition.finding = Finding::faster;
  else if (word != "slower")
    throw wrong();
  bool const percent_sign = number.ends_with('%');
  if (percent_sign) number.remove_suffix(1);
  auto const [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), condition.share, std::chars_format::fixed);
  if (!percent_sign || error != std::errc() || end != number.data() + number.size() || !(condition.share >= 0) ||
      condition.share > 1e6)
    throw wrong();
  condition.share /= 100;
  return condition;
}

std::vector<Compared const*> held_by(Comparison const& comparison, FailOn const& condition) {
  std::vector<Compared const*> held;
  for (Compared const& c : comparison.compared) {
    if (c.base.n < 10 || c.other.n < 10 || c.p_holm >= 0.05) continue;
    // A guest's absolute times move by tens of per cent with its neighbours from one run to the next; ratios do not.
    if (c.quantity == Compared::Quantity::time && (comparison.files[0].guest || comparison.files[c.file].guest))
      continue;
    double const log = std::log(c.difference.ratio);
    if ((condition.finding == Finding::slower ? log : -log) >= std::log1p(condition.share) && log != 0)
      held.push_back(&c);
  }
  return held;
}

}  // namespace folioscope
