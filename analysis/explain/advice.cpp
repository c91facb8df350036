// SPDX-License-Identifier: Apache-2.0
#include "explain/advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/after_words.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

/// The verdicts of one campaign's most prominent stratum and reference, and what they are about.
struct Scene {
  ExplainedCampaign const& campaign;
  Cell reference;                         ///< sequential, the kernel that stands for Linux
  std::optional<Nanoseconds> time;        ///< of the reference
  std::vector<Verdict const*> orders;     ///< against that reference, most prominent first
  std::vector<Verdict const*> kernels;    ///< against the baseline, same stratum
  std::vector<Verdict const*> elsewhere;  ///< orders in other strata, same kernel and call

  Cell const& cell(Verdict const& v) const { return campaign.cells[v.cell]; }
  std::string order(Verdict const& v) const { return parse_order(cell(v).order).value_or(OrderName{}).base; }
};

std::optional<Scene> scene_of(Explanation const& e, std::size_t index) {
  ExplainedCampaign const& c = e.campaigns[index];
  std::vector<Verdict const*> mine;
  for (Verdict const& v : e.judgement.verdicts)
    if (v.campaign == index) mine.push_back(&v);
  if (mine.empty()) return std::nullopt;
  std::ranges::stable_sort(mine, {}, [&](Verdict const* v) { return prominence(c, c.cells[v->cell]); });
  auto const first =
      std::ranges::find_if(mine, [](Verdict const* v) { return !v->against_baseline && v->estimate.n > 0; });
  Verdict const& lead = first == mine.end() ? *mine.front() : **first;
  std::uint32_t const reference = lead.reference;
  Scene scene{c, reference_of(c.cells[reference]), c.times[reference], {}, {}, {}};
  for (Verdict const* v : mine) {
    bool const here = stratum_of(c.cells[v->cell]) == stratum_of(scene.reference);
    if (v->against_baseline) {
      if (here) scene.kernels.push_back(v);
    } else if (v->reference == reference) {
      scene.orders.push_back(v);
    } else if (c.cells[v->cell].kernel == scene.reference.kernel && !here) {
      scene.elsewhere.push_back(v);
    }
  }
  return scene;
}

std::string opening(Scene const& s) {
  std::string text = fmt::format("On this machine ({}) clearing {} with {}", machine_words(s.campaign),
                                 what_is_cleared(s.campaign, s.reference), printable(s.reference.kernel));
  text += s.reference.call == s.campaign.base_page ? " page by page"
                                                   : fmt::format(" in calls of {}", format_bytes(s.reference.call));
  if (s.time) text += fmt::format(" takes {} from the first page to the last", format_time(*s.time));
  return text + ".";
}

/// "The same at other footprints and states": the span of one order's ratio over the strata that it was measured in.
std::optional<std::string> elsewhere(Scene const& s, Verdict const& lead) {
  std::string list;
  int shown = 0, more = 0;
  for (Verdict const* v : s.elsewhere) {
    Cell const& c = s.cell(*v);
    Cell const& like = s.cell(lead);
    if (c.order != like.order || c.run != like.run || c.target != like.target || c.call != like.call ||
        c.prefetch != like.prefetch || v->estimate.n == 0)
      continue;
    if (shown == 4) {
      ++more;
      continue;
    }
    std::string mark = v->verdict == Finding::no_difference ? "no difference"
                       : v->verdict == Finding::cannot_tell ? "cannot tell"
                                                            : "";
    list += fmt::format("{}{} for {}{}", shown++ ? ", " : "", figure(v->estimate.ratio), what_is_cleared(s.campaign, c),
                        mark.empty() ? "" : " (" + mark + ")");
  }
  if (!shown) return std::nullopt;
  if (more) list += fmt::format(", and {} more in the table", more);
  return fmt::format("Elsewhere that ratio ({}) is {}.", how_it_goes(s.campaign, s.cell(lead)), list);
}

/// The slowest order, a page's worth a time, is the one whose other strata are worth a sentence.
Verdict const* most_telling(Scene const& s) {
  Verdict const* best = nullptr;
  for (Verdict const* v : s.orders) {
    if (v->estimate.n == 0 || s.cell(*v).prefetch.value != 0 || s.cell(*v).run != s.campaign.base_page) continue;
    bool const linux_like = s.order(*v) == "target_last" || s.order(*v) == "reverse";
    if (linux_like && (!best || v->estimate.ratio > best->estimate.ratio)) best = v;
  }
  return best ? best : s.orders.empty() ? nullptr : s.orders.front();
}

struct Choice {
  Verdict const* linux_kernel = nullptr;  ///< fastest that Linux may use and that beats the baseline
  Verdict const* user = nullptr;          ///< fastest of those that it may not
};

Choice choose_kernel(Scene const& s) {
  Choice choice;
  for (Verdict const* v : s.kernels) {
    if (v->verdict != Finding::faster) continue;
    auto const k = std::ranges::find(s.campaign.kernels, s.cell(*v).kernel, &KernelContract::name);
    bool const usable = k != s.campaign.kernels.end() && k->linux_use == LinuxUse::yes;
    Verdict const*& best = usable ? choice.linux_kernel : choice.user;
    if (!best || v->estimate.ratio < best->estimate.ratio) best = v;
  }
  return choice;
}

std::string call_words(Scene const& s, Cell const& c) {
  return c.call == s.campaign.base_page ? "page by page" : fmt::format("in calls of {}", format_bytes(c.call));
}

std::optional<std::string> kernel_sentence(Scene const& s, Choice const& choice, bool billed) {
  if (s.kernels.empty()) return std::nullopt;
  Cell const& base = s.campaign.cells[s.kernels.front()->reference];
  std::string text;
  auto const add = [&](Verdict const& v, std::string_view whose) {
    text += fmt::format("{} {} takes {} times as long as {}{}. ", printable(s.cell(v).kernel), call_words(s, s.cell(v)),
                        with_interval(v.estimate), printable(base.kernel), whose);
  };
  if (choice.linux_kernel)
    add(*choice.linux_kernel, " page by page, and Linux may use it");
  else
    text += fmt::format("No kernel or call size measured that Linux may use is surely faster than {} page by page. ",
                        printable(base.kernel));
  if (choice.user && (!choice.linux_kernel || choice.user->estimate.ratio < choice.linux_kernel->estimate.ratio))
    add(*choice.user, " (user space only)");
  if (billed)
    text += "That is the clear alone.";
  else if (choice.linux_kernel || choice.user)
    text += "What using the memory afterwards costs is not counted in that.";
  return text;
}

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
    if (order == LinuxOrder::neighbourhood_last && name == "neighbourhood_last") found.push_back(v);
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
  if (any(old, Finding::no_difference)) {
    std::string const none =
        fmt::format("going target last or backwards makes no difference above {} on this machine",
                    percent((*std::ranges::find(old, Finding::no_difference, &Verdict::verdict))->delta));
    Verdict const* const calls = larger_calls(s);
    bool const by_page = running == LinuxOrder::target_last || running == LinuxOrder::sequential;
    if (!calls || !by_page) return "No change is justified: " + none + ".";
    return fmt::format(
        "A change is justified, though not of the order: {}, but {} clears page by page, and {} in calls of {} takes "
        "{} "
        "times as long (the clear alone).",
        none, release, printable(s.reference.kernel), format_bytes(s.cell(*calls).call),
        with_interval(calls->estimate));
  }
  std::string const open = cannot_tell(*old.front());
  Verdict const* const calls = larger_calls(s);
  if (!calls || running == LinuxOrder::neighbourhood_last) return open;
  return open +
         fmt::format(" Whatever the order, {} in calls of {} takes {} times as long as page by page (the clear alone).",
                     printable(s.reference.kernel), format_bytes(s.cell(*calls).call), with_interval(calls->estimate));
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

/// Where the use on the bill justifies a change that the orders do not.
std::string of_the_order_alone(std::string conclusion) {
  constexpr std::string_view none = "No change is justified";
  if (conclusion.starts_with(none))
    conclusion.replace(0, none.size(), "A change is justified, though not of the order");
  return conclusion;
}

/// Orders that Linux uses, used or was proposed to use; where none of them was measured, any order.
bool speaks_of_linux(Scene const& s, Verdict const& v) {
  auto const is_one = [&](Verdict const* x) {
    std::string const name = s.order(*x);
    if (s.cell(*x).prefetch.value != 0 || s.cell(*x).run != s.campaign.base_page) return false;
    return name == "reverse" || name == "target_last" || name == "neighbourhood_last" || name == "far_ascending";
  };
  return is_one(&v) || std::ranges::none_of(s.orders, is_one);
}

/// Orders that only tell mechanisms apart (streams, gaps), and software prefetching, are nobody's to adopt.
bool could_be_adopted(Scene const& s, Verdict const& v) {
  std::string const name = s.order(v);
  bool const probe = name == "streams" || name == "alternate" || name == "gapped" || name == "random";
  return !probe && s.cell(v).prefetch.value == 0;
}

std::vector<std::string> overturned_by(Scene const& s, Verdict const* lead, bool billed) {
  std::vector<std::string> list;
  if (lead && lead->estimate.ci) {
    double const edge = 1 + lead->delta;
    list.push_back(fmt::format("another run that finds {} times or {} for going {} (now {}, {} placements)",
                               figure(edge), lead->estimate.ratio < 1 ? "more" : "less",
                               how_it_goes(s.campaign, s.cell(*lead)), with_interval(lead->estimate),
                               lead->estimate.n));
  }
  list.push_back("a patched Linux that disagrees: this is user space, without cond_resched() and page faults");
  if (auto const hypervisor = s.campaign.facts.value(fact::hypervisor).as_string())
    list.push_back(
        fmt::format("bare metal of the same model that disagrees: this ran under {}", printable(*hypervisor)));
  if (!billed)
    list.push_back(
        "use of the memory after the clear: what is saved in clearing can come back as misses, which this does not "
        "weigh (folioscope sweep --experiment bill does)");
  return list;
}

}  // namespace

Advice advise(Explanation const& e, std::size_t index) {
  Advice advice;
  ExplainedCampaign const& c = e.campaigns[index];
  auto const scene = scene_of(e, index);
  if (c.emulator) {
    advice.conclusion =
        fmt::format("No advice: this ran emulated ({}), and timings under an emulator say nothing about any hardware.",
                    printable(*c.emulator));
    return advice;
  }
  if (!scene) {
    advice.conclusion = c.cells.empty() && c.refusals.empty() ? "Nothing was measured: the plan has no cells."
                        : c.cells.empty()
                            ? "Nothing was measured: every cell was refused."
                            : "Nothing to compare: the campaign has references only (their A/A noise stands below).";
    return advice;
  }
  Scene const& s = *scene;
  advice.findings.push_back(opening(s));
  for (Verdict const* v : s.orders) {
    if (advice.findings.size() > 4) break;  // the table has them all
    if (!speaks_of_linux(s, *v)) continue;
    std::string sentence = how_it_goes(c, s.cell(*v)) + ": " + claim(*v) + ".";
    sentence[0] = static_cast<char>(sentence[0] >= 'a' && sentence[0] <= 'z' ? sentence[0] - 'a' + 'A' : sentence[0]);
    advice.findings.push_back(std::move(sentence));
  }
  Verdict const* const lead = most_telling(s);
  if (lead)
    if (auto text = elsewhere(s, *lead)) advice.findings.push_back(*text);
  Choice const kernel = choose_kernel(s);
  bool const billed = has_bill(e, index);
  if (auto text = kernel_sentence(s, kernel, billed)) advice.findings.push_back(*text);
  for (auto& text : after_findings(e, index)) advice.findings.push_back(std::move(text));
  advice.conclusion = conclude(s);
  if (billed && cheapest_for_linux(e, index)) advice.conclusion = of_the_order_alone(std::move(advice.conclusion));
  if (auto const text = bill_conclusion(e, index)) advice.conclusion += " " + *text;
  advice.would_change = overturned_by(s, lead, billed);
  auto const told = std::ranges::any_of(s.orders, [](Verdict const* v) { return v->verdict != Finding::cannot_tell; });
  if (told || kernel.linux_kernel) {
    Verdict const* fastest = nullptr;
    for (Verdict const* v : s.orders)
      if (v->verdict == Finding::faster && could_be_adopted(s, *v) &&
          (!fastest || v->estimate.ratio < fastest->estimate.ratio))
        fastest = v;
    advice.order = fastest ? s.cell(*fastest).order : "sequential";
    Cell const& best = kernel.linux_kernel ? s.cell(*kernel.linux_kernel) : fastest ? s.cell(*fastest) : s.reference;
    advice.kernel = best.kernel;
    advice.call = best.call;
  }
  // With the use on the bill, what clears fastest is no longer the question.
  if (billed) {
    auto const cheapest = cheapest_for_linux(e, index);
    Cell const& best = cheapest ? c.cells[e.bills.lines[*cheapest].cell] : s.reference;
    advice.order = best.order;
    advice.kernel = best.kernel;
    advice.call = best.call;
  }
  return advice;
}

}  // namespace folioscope
