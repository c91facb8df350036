// SPDX-License-Identifier: Apache-2.0
#include "explain/advice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "explain/advice_scene.hpp"
#include "explain/after_words.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

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
    std::string const found = lead->verdict == Finding::no_difference
                                  ? fmt::format("less than {} or more than {} times", figure(1 / edge), figure(edge))
                                  : fmt::format("{} times or {}", figure(lead->estimate.ratio < 1 ? 1 / edge : edge),
                                                lead->estimate.ratio < 1 ? "more" : "less");
    if (lead->verdict == Finding::cannot_tell)
      list.push_back(fmt::format("a longer run, which tells what going {} costs (now {}, {} placements)",
                                 how_it_goes(s.campaign, s.cell(*lead)), with_interval(lead->estimate),
                                 lead->estimate.n));
    else
      list.push_back(fmt::format("another run that finds {} for going {} (now {}, {} placements)", found,
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
