// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/advice.hpp"
#include "explain/advice_scene.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

bool any(std::vector<Verdict const*> const& verdicts, Finding finding) {
  return std::ranges::any_of(verdicts, [&](Verdict const* v) { return v->verdict == finding; });
}

std::string cannot_tell(Verdict const& v) {
  return fmt::format(
      "Cannot tell on this machine, because: {}. A longer run (folioscope sweep --budget 5m) narrows the interval.",
      v.why);
}

/// Verdicts on the order of one Linux generation, the worst first.
std::vector<Verdict const*> generation(Scene const& s, LinuxOrder order) {
  std::vector<Verdict const*> found;
  for (Verdict const* v : s.orders) {
    std::string const name = s.order(*v);
    bool const base_runs = s.cell(*v).run == s.campaign.base_page && s.cell(*v).prefetch.value == 0;
    if (!base_runs) continue;
    if (order == LinuxOrder::target_last && (name == "target_last" || name == "reverse")) found.push_back(v);
    bool const its_radius = s.radius(*v) == 2;  // others are what it could do
    if (order == LinuxOrder::neighbourhood_last && name == "neighbourhood_last" && its_radius) found.push_back(v);
  }
  std::ranges::stable_sort(found,
                           [](Verdict const* a, Verdict const* b) { return a->estimate.ratio > b->estimate.ratio; });
  return found;
}

/// Linux's own kernel in larger calls, where that is surely faster: what a Linux that clears page by page gains by
/// handing over ranges, whatever the order.
Verdict const* larger_calls(Scene const& s) {
  Verdict const* best = nullptr;
  for (Verdict const* v : s.kernels) {
    Cell const& c = s.cell(*v);
    if (v->verdict == Finding::faster && c.kernel == s.reference.kernel && c.call > s.reference.call &&
        s.reference.call == s.campaign.base_page && s.order(*v) == "sequential" &&
        (!best || v->estimate.ratio < best->estimate.ratio))
      best = v;
  }
  return best;
}

/// No difference above the largest of their limits.
std::string none_of(std::vector<Verdict const*> const& old) {
  double const delta = (*std::ranges::max_element(old, {}, &Verdict::delta))->delta;
  return fmt::format("going target last or backwards makes no difference above {} on this machine", percent(delta));
}

std::string open_words(Scene const& s, Verdict const& v) {
  return fmt::format("Whether it matters to go {} cannot be told ({})", how_it_goes(s.campaign, s.cell(v)),
                     v.estimate.n > 0 ? with_interval(v.estimate) : v.why);
}

std::string about_target_last(Scene const& s, std::optional<LinuxOrder> running, std::string const& release) {
  auto const old = generation(s, LinuxOrder::target_last);
  if (any(old, Finding::slower)) {
    Verdict const& worst = **std::ranges::find(old, Finding::slower, &Verdict::verdict);
    if (running == LinuxOrder::target_last)
      return fmt::format(
          "A change is justified: {} clears huge pages target last; clearing in ascending order saves up to {}.",
          release, saving_words(worst));
    if (running == LinuxOrder::neighbourhood_last)
      return fmt::format(
          "No change is justified: {} has left the target-last order already, which would cost up to {} times as long.",
          release, with_interval(worst.estimate));
    return fmt::format(
        "Target last, the order of Linux v4.14 to v6.19, loses on this machine: ascending saves up to {}.",
        saving_words(worst));
  }
  if (any(old, Finding::faster))
    return "No change to ascending order is justified: target last is the faster one on this machine.";
  // One way of going that is told from nothing says nothing of the others: all must be.
  auto const open = std::ranges::find(old, Finding::cannot_tell, &Verdict::verdict);
  Verdict const* const calls = larger_calls(s);
  bool const by_page = running == LinuxOrder::target_last || running == LinuxOrder::sequential;
  if (calls && by_page) {
    std::string const gain = fmt::format(
        "{} clears page by page, and {} in calls of {} takes {} times as long (the clear alone; Linux v7.0 "
        "hands over ranges)",
        release, printable(s.reference.kernel), format_bytes(s.cell(*calls).call), with_interval(calls->estimate));
    std::string const change = "A change is justified, though not of the order: ";
    return open == old.end() ? fmt::format("{}{}, but {}.", change, none_of(old), gain)
                             : fmt::format("{}{}. {}.", change, gain, open_words(s, **open));
  }
  return open == old.end() ? "No change is justified: " + none_of(old) + "." : cannot_tell(**open);
}

/// The order whose verdict is certain and farthest from sequential.
Verdict const* farthest(Scene const& s) {
  Verdict const* best = nullptr;
  for (Verdict const* v : s.orders)
    if ((v->verdict == Finding::slower || v->verdict == Finding::faster) &&
        (!best || std::fabs(std::log(v->estimate.ratio)) > std::fabs(std::log(best->estimate.ratio))))
      best = v;
  return best;
}

}  // namespace

std::string conclude(Scene const& s) {
  if (s.orders.empty()) return "No order but sequential was measured, so nothing is said of orders.";
  auto const release = s.campaign.facts.value(fact::linux_release).as_string();
  auto const running = release ? order_of_release(*release) : std::nullopt;
  std::string const name = release ? "Linux " + printable(*release) : "this Linux";
  std::string text;
  if (!generation(s, LinuxOrder::target_last).empty())
    text = about_target_last(s, running, name);
  else if (any(s.orders, Finding::slower) || any(s.orders, Finding::faster))
    text = fmt::format("Of the orders measured, {} {}. Linux's target-last order was not among them.",
                       how_it_goes(s.campaign, s.cell(*farthest(s))), claim(*farthest(s)));
  else if (any(s.orders, Finding::no_difference))
    text = "No change is justified: no order that was measured differs from sequential.";
  else
    text = cannot_tell(*s.orders.front());
  auto const recent = generation(s, LinuxOrder::neighbourhood_last);
  if (!recent.empty() && recent.front()->estimate.n > 0)
    text += recent.front()->verdict == Finding::cannot_tell
                ? fmt::format(" How Linux v7.0's order compares with plain ascending is open: {}.",
                              with_interval(recent.front()->estimate))
                : fmt::format(" Linux v7.0's order {} against plain ascending.", claim(*recent.front()));
  return text;
}

}  // namespace folioscope
