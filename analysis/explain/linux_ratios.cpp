// SPDX-License-Identifier: Apache-2.0
#include "explain/linux_ratios.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/layout.hpp"
#include "explain/linux_paths.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

/// A cell of a path and the cell of the same work whose huge pages are cleared upwards.
struct Pair {
  std::uint32_t cell = 0, upwards = 0;
  double folios = 1, upwards_folios = 1;
};

double folios_of(Campaign const& campaign, Cell const& c) {
  double const folio = static_cast<double>(c.backing.size.value_or(campaign.plan.folio).value);
  return std::max(1.0, static_cast<double>(c.footprint.value) * c.threads / folio);
}

bool clears_upwards(Campaign const& campaign, Cell const& c) {
  Bytes const folio = c.backing.size.value_or(campaign.plan.folio);
  return c.target && *c.target + 1 == folio / campaign.plan.base_page && c.order != "descending";
}

bool of_tmpfs(Cell const& c) { return c.backing.kind == BackingKind::tmpfs; }

/// The last page first makes target-last clear upwards. Of the same kernel where it has such a cell; of another kernel
/// of the same path, so of a path that cannot choose the page, else of the fault itself: for tmpfs, that of a THP.
std::optional<std::uint32_t> upwards_of(Campaign const& campaign, Cell const& c) {
  std::optional<std::uint32_t> found;
  int best = 0;
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i) {
    Cell const& other = campaign.plan.cells[i].cell;
    bool const alike = other.backing == c.backing || (of_tmpfs(c) && other.backing.kind == BackingKind::thp);
    if (!alike || !is_path_kernel(other.kernel) || !clears_upwards(campaign, other)) continue;
    int const rank = other.kernel == c.kernel && other.threads == c.threads                           ? 3
                     : path_of(campaign, other) == path_of(campaign, c) && other.threads == c.threads ? 2
                     : other.kernel == "linux_fault" && c.threads == 1                                ? 1
                                                                                                      : 0;
    if (rank > best) {
      best = rank;
      found = i;
    }
  }
  return found;
}

Estimate shown_by(Campaign const& campaign, Runs const& runs, std::uint32_t cell, std::uint32_t upwards) {
  auto logs = runs.log_ratios(cell, upwards);
  double const folios = std::log(folios_of(campaign, campaign.plan.cells[upwards].cell) /
                                 folios_of(campaign, campaign.plan.cells[cell].cell));
  for (double& log : logs) log += folios;
  return estimate(logs);
}

struct ReplicaRatio {
  Estimate estimate;
  std::string by;
};

/// The order's cell at that target against sequential, one folio or as many as can be had, in user space.
std::optional<ReplicaRatio> predicted_in(Campaign const& campaign, Runs const& runs, Cell const& path,
                                         std::string const& order, std::uint64_t target) {
  auto const kernel = campaign.facts.value(fact::linux_kernel).as_string();
  auto const& cells = campaign.plan.cells;
  for (std::uint32_t i = 0; kernel && i < cells.size(); ++i) {
    Cell const& c = cells[i].cell;
    bool const downwards = order == "target_last" && target == 0 && c.order == "reverse";
    if (c.kernel != *kernel || c.backing != path.backing || c.state != State::cold || c.threads != path.threads ||
        c.footprint != path.backing.size.value_or(campaign.plan.folio) || c.call != campaign.plan.base_page ||
        c.run != campaign.plan.base_page || c.prefetch.value != 0 ||
        !((c.order == order && c.target == target) || downwards))
      continue;
    for (std::uint32_t r = 0; r < cells.size(); ++r)
      if (cells[r].cell == reference_of(c)) {
        Estimate const e = estimate(runs.log_ratios(i, r));
        if (e.ci) return ReplicaRatio{e, {}};
      }
  }
  return std::nullopt;
}

std::optional<ReplicaRatio> predict(std::span<Campaign const> campaigns, std::span<Runs const> runs, std::size_t own,
                                    Cell const& path, std::string const& order, std::uint64_t target) {
  auto const instance = machine_of(campaigns[own].facts);
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    if (campaigns[i].header.kind != "sweep" || !instance) continue;
    if (machine_of(campaigns[i].facts) != instance) continue;
    if (auto p = predicted_in(campaigns[i], runs[i], path, order, target)) {
      p->by = "sweep of " + printable(campaigns[i].header.started, 10);
      return p;
    }
  }
  auto p = predicted_in(campaigns[own], runs[own], path, order, target);
  if (p) p->by = "the replica between its blocks";
  return p;
}

FaultOrderFinding const* finding_of(std::span<FaultOrderFinding const> findings, std::size_t campaign,
                                    Backing const& backing) {
  for (auto const& f : findings)
    if (f.campaign == campaign && f.backing == backing) return &f;
  return nullptr;
}

/// A fault does more than clear, and no order changes that part: it takes the same from both sides of the ratio. So
/// does a use that the path's time has in it.
void add_fixed_cost(LinuxRatio& r, FaultOrderFinding const* f, Nanoseconds use) {
  if (!f || !f->replica || !r.predicted || f->curve.empty()) return;
  FaultPoint const& last = f->curve.back();
  if (!last.replica || !(last.time.value > 0)) return;
  double const up = last.replica->value, fixed = f->replica->a + use.value;
  r.with_fixed_cost = (fixed + f->replica->b * up * r.predicted->ratio) / (fixed + f->replica->b * up);
}

PathBillLine const* line_of(std::span<PathBillLine const> bills, std::size_t campaign, std::uint32_t cell) {
  auto const it =
      std::ranges::find_if(bills, [&](PathBillLine const& l) { return l.campaign == campaign && l.cell == cell; });
  return it == bills.end() ? nullptr : &*it;
}

/// Of a path whose clear stands apart: the clear alone.
std::optional<Estimate> clear_over_upwards(PathBillLine const* upwards, std::uint32_t cell) {
  if (!upwards || upwards->reference != cell || !upwards->clear_ratio || upwards->clear_ratio->n == 0)
    return std::nullopt;
  Estimate e = *upwards->clear_ratio;
  e.ratio = 1 / e.ratio;
  for (auto* ci : {&e.ci, &e.ci90})
    if (*ci) *ci = Interval{1 / (*ci)->high, 1 / (*ci)->low};
  return e;
}

/// What the time of a path has of use in it, a folio: as seen apart, after an upward clear.
Nanoseconds use_within(std::span<PathBillLine const> bills, PathBillLine const* upwards) {
  if (!upwards || upwards->apart) return Nanoseconds(0);
  for (PathBillLine const& l : bills)
    if (l.campaign == upwards->campaign && l.path == upwards->path && l.apart && l.downwards == upwards->downwards &&
        l.first == upwards->first && l.spent)
      return *l.spent;
  return Nanoseconds(0);
}

/// Of a path that is told no page: whether it goes up or down, by what is nearer after its clear, pair by pair. Its
/// loads reach from caches to memory, so that only which is nearer counts; three standard errors of a coin's throws
/// tell.
std::string order_seen_after(Campaign const& campaign, std::uint32_t cell) {
  constexpr double errors = 3;
  std::vector<double> near, last;
  for (Point const& p : campaign.points)
    if (p.cell == cell && std::isfinite(p.y)) {
      if (p.series == "clear.near") near.push_back(p.y);
      if (p.series == "clear.last") last.push_back(p.y);
    }
  if (near.size() != last.size()) return "";
  double upwards = 0, downwards = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    upwards += near[i] > last[i];
    downwards += near[i] < last[i];
  }
  double const least = errors * std::sqrt(upwards + downwards);
  return upwards - downwards > least ? "sequential" : downwards - upwards > least ? "target_last" : "";
}

/// Cleared upwards, as what it is held against: the same order.
void predict_no_difference(LinuxRatio& r, std::string by) {
  Estimate same;
  same.ci = same.ci90 = Interval{1, 1};
  same.n = r.shown.n;
  r.predicted = same;
  r.predicted_by = std::move(by);
  if (!r.shown.ci) return;
  r.disagrees = r.shown.ci->high < 1 || r.shown.ci->low > 1;
  if (r.shown.ci->high < 1) r.why = "it does less than a fault, which finds and maps its memory, too";
  if (r.shown.ci->low > 1) r.why = "it does more than clear upwards, or clears in smaller pieces";
}

/// `against`: the path whose upward clear it is held against, where that is another one.
void judge_agreement(LinuxRatio& r, bool used, std::string const& against) {
  if (!r.predicted || !r.predicted->ci || !r.shown.ci) return;
  r.disagrees = r.predicted->ci->high < r.shown.ci->low || r.shown.ci->high < r.predicted->ci->low;
  if (!r.disagrees) return;
  auto const within = [&](double ratio) { return r.shown.ci->low <= ratio && ratio <= r.shown.ci->high; };
  char const* const fixed = used ? "the use that is in its time, and what a fault does beside clearing,"
                                 : "what a fault does beside clearing, the same in any order,";
  auto const off = [&](double ratio) { return std::fabs(std::log(ratio / r.shown.ratio)); };
  bool const helps = r.with_fixed_cost && off(*r.with_fixed_cost) < off(r.predicted->ratio) / 2;
  if (r.with_fixed_cost && (within(*r.with_fixed_cost) || helps))
    r.why = fmt::format("{} explains it{}: {} with it", fixed, within(*r.with_fixed_cost) ? "" : " in part",
                        figure(*r.with_fixed_cost));
  else if (!against.empty())
    r.why = "it is held against " + against + ", which does other work beside clearing";
  else
    r.why = "the path does more than clear, or in another order; nothing measured here tells";
}

/// As a campaign's cells are walked: nullopt for what is no path, or for the upward cell itself.
std::optional<std::uint64_t> hint_of(Campaign const& campaign, Cell const& c) {
  // Used downwards, a page other than the first is touched first, and which one depends on the path.
  if (!is_path_kernel(c.kernel) || clears_upwards(campaign, c) || c.order == "descending") return std::nullopt;
  return c.target.value_or(0);
}

}  // namespace

std::vector<LinuxRatio> linux_ratios(std::span<Campaign const> campaigns, std::span<FaultOrderFinding const> findings,
                                     std::span<PathBillLine const> bills) {
  std::vector<LinuxRatio> all;
  std::vector<Runs> runs;
  for (Campaign const& c : campaigns) runs.emplace_back(c);
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Campaign const& campaign = campaigns[i];
    if (campaign.header.kind != "linux") continue;
    for (std::uint32_t cell = 0; cell < campaign.plan.cells.size(); ++cell) {
      Cell const& c = campaign.plan.cells[cell].cell;
      auto const hint = hint_of(campaign, c);
      auto const upwards = hint ? upwards_of(campaign, c) : std::nullopt;
      if (!upwards) continue;
      FaultOrderFinding const* const f = finding_of(findings, i, c.backing);
      // What the release suggests where none is recognised: that Linux shows something else is then the finding.
      bool const known =
          f && f->recognition.recognised != Recognised::cannot_tell && f->recognition.recognised != Recognised::other;
      std::string const order = of_tmpfs(c) ? order_seen_after(campaign, cell)
                                : known     ? to_string(f->recognition.recognised)
                                            : expected_order(campaign).value_or("");
      LinuxRatio r;
      r.campaign = i;
      r.cell = cell;
      r.path = path_words(c);
      r.target = *hint;
      r.order = order.empty() ? "unknown" : order;
      PathBillLine const* const line = line_of(bills, i, *upwards);
      r.shown = clear_over_upwards(line, cell).value_or(shown_by(campaign, runs[i], cell, *upwards));
      if (r.shown.n == 0) continue;
      if (of_tmpfs(c)) {
        if (order == "sequential") predict_no_difference(r, "the same order");
        // No release is known whose tmpfs clears a folio otherwise.
        if (order.empty() && expected_order(campaign))
          r.order = "sequential", predict_no_difference(r, "tmpfs's order by release; not seen in this run");
        all.push_back(std::move(r));
        continue;
      }
      if (auto p = predict(campaigns, runs, i, c, order, *hint)) {
        r.predicted = p->estimate;
        r.predicted_by = p->by;
      }
      Nanoseconds const use = use_within(bills, line);
      add_fixed_cost(r, f, use);
      Cell const& held_against = campaign.plan.cells[*upwards].cell;
      judge_agreement(r, use.value > 0, held_against.kernel == c.kernel ? "" : path_words(held_against));
      all.push_back(std::move(r));
    }
  }
  return all;
}

Json to_json(LinuxRatio const& r) {
  auto const interval = [](std::optional<Interval> const& ci) {
    return ci ? Json::array({ci->low, ci->high}) : Json();
  };
  return Json::object({{"campaign", r.campaign},
                       {"path", r.path},
                       {"order", r.order},
                       {"target", r.target},
                       {"predicted_ratio", r.predicted ? Json(r.predicted->ratio) : Json()},
                       {"predicted_ci", r.predicted ? interval(r.predicted->ci) : Json()},
                       {"predicted_by", r.predicted ? Json(r.predicted_by) : Json()},
                       {"predicted_with_fixed_cost", r.with_fixed_cost},
                       {"ratio", r.shown.ratio},
                       {"ci", interval(r.shown.ci)},
                       {"n", r.shown.n},
                       {"disagrees", r.disagrees},
                       {"why", r.why.empty() ? Json() : Json(r.why)}});
}

std::string to_text(std::span<LinuxRatio const> ratios, std::size_t width) {
  if (ratios.empty()) return "";
  TextTable table(2);
  table.add({"path", "order", "user space", "Linux", ""});
  constexpr std::uint64_t every = 128;  // of the pages touched first: --json has them all
  for (LinuxRatio const& r : ratios)
    if (r.target % every == 0)
      table.add({printable(r.path), printable(r.order) + fmt::format(" t{}", r.target),
                 r.predicted ? with_interval(*r.predicted) : "not swept", with_interval(r.shown),
                 r.disagrees ? "!" : ""});
  std::string text = "Orders in user space beside Linux's own, time over that of clearing upwards:\n" + table.text(2);
  if (!text.ends_with('\n')) text += '\n';
  std::string last;
  for (LinuxRatio const& r : ratios)
    if (r.disagrees && r.target % every == 0 && r.why != last)
      text += wrapped(fmt::format("! {} t{}: {}.", printable(r.path), r.target, r.why), width, 2, 4) + "\n",
          last = r.why;
  return text;
}

}  // namespace folioscope
