// SPDX-License-Identifier: Apache-2.0
#include "explain/advice_scene.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "explain/advice.hpp"
#include "explain/layout.hpp"

namespace folioscope {

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

Verdict const* most_telling(Scene const& s) {
  Verdict const* best = nullptr;
  for (Verdict const* v : s.orders) {
    if (v->estimate.n == 0 || s.cell(*v).prefetch.value != 0 || s.cell(*v).run != s.campaign.base_page) continue;
    bool const linux_like = s.order(*v) == "target_last" || s.order(*v) == "reverse";
    if (linux_like && (!best || v->estimate.ratio > best->estimate.ratio)) best = v;
  }
  return best ? best : s.orders.empty() ? nullptr : s.orders.front();
}

}  // namespace folioscope
