// SPDX-License-Identifier: Apache-2.0
#include "explain/contrast.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "explain/lines.hpp"
#include "explain/observed.hpp"
#include "stats/distributions.hpp"

namespace folioscope {
namespace {

std::vector<double> both_known(std::map<std::uint32_t, double> const& a, std::map<std::uint32_t, double> const& b) {
  std::vector<double> logs;
  for (auto const& [placement, value] : a)
    if (auto const it = b.find(placement); it != b.end() && value > 0 && it->second > 0)
      logs.push_back(std::log(value / it->second));
  return logs;
}

/// The quotient of two means over the same placements, its error by the delta method (Cochran, Sampling Techniques, ch.
/// 6: the ratio estimator): numerator and denominator may have either sign in one placement.
Estimate ratio_of_means(std::vector<double> const& over, std::vector<double> const& under) {
  Estimate e;
  double const n = static_cast<double>(over.size());
  e.n = static_cast<std::uint32_t>(over.size());
  if (over.size() < 2) return e;
  double a = 0, b = 0;
  for (std::size_t i = 0; i < over.size(); ++i) a += over[i] / n, b += under[i] / n;
  e.ratio = a / b;
  double squares = 0;
  for (std::size_t i = 0; i < over.size(); ++i) squares += std::pow(over[i] - e.ratio * under[i], 2);
  double const error = std::sqrt(squares / (n - 1) / n) / std::fabs(b);
  double const half = student_quantile(0.975, n - 1) * error;
  e.ci = Interval{e.ratio - half, e.ratio + half};
  return e;
}

std::string measure_words(Contrast const& c) {
  switch (c.measure) {
    case Measure::time:
      return c.relative ? "ratio to sequential ÷ ratio to sequential" : "time ÷ time";
    case Measure::start:
      return "cost of a start ÷ cost of a start";
    case Measure::call:
      return "cost of a call ÷ cost of a call";
    case Measure::lines:
      return "apparent lines in flight";
    case Measure::count:
      return "events a line ÷ events a line";
    case Measure::probe:
      return "share found ÷ share found";
    case Measure::miss:
      return "share not found ÷ share not found";
    case Measure::linux:
      return "ratio in Linux ÷ ratio in user space";
  }
  return {};
}

/// Of several distances the least stands, whichever it is: its interval holds all of theirs at once (Bonferroni).
void of_the_least(ContrastFinding& f, std::size_t n, auto&& estimates) {
  f.quantity += fmt::format(", the least of {} distances", n);
  f.ci.reset();
  double low = INFINITY, high = INFINITY;
  for (Estimate const& e : estimates) {
    f.n = std::min(f.n, e.n);
    if (!e.ci || e.n < 2) return;
    double const wider =
        student_quantile(1 - 0.025 / static_cast<double>(n), e.n - 1.0) / student_quantile(0.975, e.n - 1.0);
    low = std::min(low, e.ratio * std::pow(e.ci->low / e.ratio, wider));
    high = std::min(high, e.ratio * std::pow(e.ci->high / e.ratio, wider));
  }
  f.ci = Interval{low, high};
}

}  // namespace

std::string source_words(Contrast const& c) {
  switch (c.measure) {
    case Measure::count:
      return "counted";
    case Measure::probe:
    case Measure::miss:
      return "probed";
    case Measure::linux:
      return "Linux";
    default:
      return "timed";
  }
}

Evaluator::Evaluator(Campaign const& campaign, Runs const& runs, std::size_t index)
    : campaign_(&campaign), runs_(&runs), index_(index), finder_(campaign) {}

/// Campaigns that ran with prefetchers switched off speak only where that is asked for; `off` means all of them.
bool Evaluator::is_meant(CellSelector const& s) const {
  auto const wanted = s.factors.find("prefetchers");
  auto const option = campaign_->plan.options.find("prefetchers_off");
  if (wanted == s.factors.end()) return option == campaign_->plan.options.end();
  return option != campaign_->plan.options.end() &&
         option->second == (wanted->second == "off" ? "all" : wanted->second);
}

std::vector<Evaluator::Cells> Evaluator::cells_of(Contrast const& c, std::string& why) const {
  if (!is_meant(c.cell)) {
    why = campaign_->plan.options.contains("prefetchers_off") ? "measured with prefetchers off"
                                                              : "prefetchers were never switched off here";
    return {};
  }
  std::vector<Cells> out;
  for (std::uint32_t const cell : finder_.find_all(c.cell, why)) {
    auto const over = c.over ? finder_.find(*c.over, why) : finder_.reference(cell);
    if (over)
      out.push_back({cell, *over});
    else if (!c.over)
      why = "no sequential reference of " + describe(campaign_->plan.cells[cell].cell);
  }
  return out;
}

Estimate Evaluator::time(Contrast const& c, Cells const& cells, std::string& why) const {
  std::vector<Runs::Term> terms{{cells.cell, 1}, {cells.over, -1}};
  if (c.relative) {
    auto const mine = finder_.reference(cells.cell), other = finder_.reference(cells.over);
    if (!mine || !other) {
      why = "no sequential reference of both cells";
      return {};
    }
    terms.push_back({*mine, -1});
    terms.push_back({*other, 1});
  }
  return estimate(runs_->log_products(terms));
}

Estimate Evaluator::price(Cells const& cells, Cells const& bases, double const (&counts)[2]) const {
  std::map<std::uint32_t, double> values[2];
  std::uint32_t const both[2]{cells.cell, cells.over}, below[2]{bases.cell, bases.over};
  for (int side = 0; side < 2; ++side) {
    std::map<std::uint32_t, double> base;
    for (auto const& p : runs_->placed_log_times(below[side])) base[p.placement] = std::exp(p.log);
    for (auto const& p : runs_->placed_log_times(both[side]))
      if (base.contains(p.placement)) values[side][p.placement] = (std::exp(p.log) - base[p.placement]) / counts[side];
  }
  std::vector<double> costs[2];
  for (auto const& [placement, value] : values[0])
    if (values[1].contains(placement)) {
      costs[0].push_back(value);
      costs[1].push_back(values[1][placement]);
    }
  return ratio_of_means(costs[0], costs[1]);
}

Estimate Evaluator::start(Cells const& cells, std::string& why) const {
  auto const mine = finder_.reference(cells.cell), other = finder_.reference(cells.over);
  if (!mine || !other) {
    why = "no sequential reference of " + describe(campaign_->plan.cells[mine ? cells.over : cells.cell].cell);
    return {};
  }
  auto const stretches = [&](std::uint32_t cell) {
    return static_cast<double>(campaign_->plan.cells[cell].visits.size());
  };
  return price(cells, {*mine, *other}, {stretches(cells.cell), stretches(cells.over)});
}

Estimate Evaluator::call(Cells const& cells, std::string& why) const {
  auto const in_one = [&](std::uint32_t cell) {
    Cell one = campaign_->plan.cells[cell].cell;
    one.call = campaign_->plan.folio;
    return finder_.find(one);
  };
  auto const mine = in_one(cells.cell), other = in_one(cells.over);
  if (!mine || !other) {
    why = "no cell of one call a folio beside " + describe(campaign_->plan.cells[mine ? cells.over : cells.cell].cell);
    return {};
  }
  auto const calls = [&](std::uint32_t cell) {
    Cell const& c = campaign_->plan.cells[cell].cell;
    return static_cast<double>(c.footprint.value) / static_cast<double>(c.call.value);
  };
  return price(cells, {*mine, *other}, {calls(cells.cell), calls(cells.over)});
}

Estimate Evaluator::lines(std::uint32_t cell, std::string& why) const {
  Cell const& c = campaign_->plan.cells[cell].cell;
  auto const latency = idle_latency(*campaign_, c);
  if (!latency) {
    why = "no latency curve was measured";
    return {};
  }
  std::vector<double> logs;
  for (double log : runs_->log_times(cell))
    logs.push_back(std::log(lines_in_flight(c, Nanoseconds(std::exp(log)), *latency)));
  return estimate(logs);
}

Estimate Evaluator::counted(Contrast const& c, Cells const& cells, std::string& why) const {
  auto const mine = counted_per_line(*campaign_, cells.cell, c.of);
  auto const other = counted_per_line(*campaign_, cells.over, c.of);
  if (mine.empty() || other.empty())
    why = fmt::format("{} and its like were not counted; sweep --counters where there is a PMU",
                      c.of.substr(0, c.of.find('|')));
  return estimate(both_known(mine, other));
}

Estimate Evaluator::probed(Contrast const& c, Cells const& cells, std::string& why) const {
  auto const share = [&](std::uint32_t cell) {
    auto shares = probed_share(*campaign_, cell, c.of);
    if (c.measure == Measure::miss)
      for (auto& [placement, found] : shares) found = 1 - found;
    return shares;
  };
  auto const mine = share(cells.cell), other = share(cells.over);
  if (mine.empty() || other.empty())
    why = "no probed residency of these cells; run folioscope sweep --experiment residency";
  return estimate(both_known(mine, other));
}

Estimate Evaluator::figure_of(Contrast const& c, Cells const& cells, std::string& why) const {
  switch (c.measure) {
    case Measure::time:
      return time(c, cells, why);
    case Measure::start:
      return start(cells, why);
    case Measure::call:
      return call(cells, why);
    case Measure::lines:
      return lines(cells.cell, why);
    case Measure::count:
      return counted(c, cells, why);
    case Measure::probe:
    case Measure::miss:
      return probed(c, cells, why);
    case Measure::linux:
      break;  // no campaign of its own: linux_contrast.hpp
  }
  return {};
}

ContrastFinding Evaluator::evaluate(Contrast const& c) const {
  ContrastFinding f;
  f.campaign = index_;
  f.quantity = measure_words(c);
  f.source = source_words(c);
  std::vector<std::pair<Cells, Estimate>> all;
  for (Cells const& cells : cells_of(c, f.why))
    if (Estimate const e = figure_of(c, cells, f.why); e.n > 0) all.emplace_back(cells, e);
  if (all.empty()) {
    if (f.why.empty()) f.why = "no block has all its cells";
    return f;
  }
  auto const least = std::ranges::min_element(all, {}, [](auto const& pair) { return pair.second.ratio; });
  f.cell = least->first.cell;
  if (c.measure != Measure::lines) f.over = least->first.over;
  f.outcome = ContrastFinding::Outcome::open;
  f.value = least->second.ratio;
  f.ci = least->second.ci;
  f.n = least->second.n;
  if (all.size() > 1) of_the_least(f, all.size(), all | std::views::values);
  return f;
}

}  // namespace folioscope
