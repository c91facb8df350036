// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "explain/advice.hpp"
#include "explain/linux_words.hpp"
#include "explain/mechanism_text.hpp"
#include "explain/model_words.hpp"
#include "explain/recommend.hpp"
#include "explain/tables.hpp"

namespace folioscope {
namespace {

std::string emulation_mark(ExplainedCampaign const& c) {
  return c.emulator ? " [emulated: " + printable(*c.emulator) + "]" : "";
}

std::string published_text(Explanation const& e, std::size_t campaign, std::size_t width) {
  std::string out;
  ExplainedCampaign const& c = e.campaigns[campaign];
  for (PublishedTable const& t : e.published) {
    if (t.campaign != campaign) continue;
    out += fmt::format("\nµs a pass of N folios of {}, {} {}, {}{}:\n", format_bytes(c.folio), to_string(t.state),
                       to_string(t.backing), printable(t.kernel), emulation_mark(c));
    for (PublishedGroup const& group : t.groups) out += fitted(published_sheet(t, group, c.folio), width, 2);
    out += wrapped(published_note(), width) + "\n";
  }
  return out;
}

std::string sheets(Explanation const& e, std::size_t campaign, std::size_t width, std::size_t most) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  std::string out;
  std::size_t orders_out = 0, kernels_out = 0;
  Sheet orders = orders_sheet(e, campaign, most, orders_out);
  // An experiment about mechanisms has hundreds of comparisons: a screen shows how the main ones lie.
  if (orders.cut) {
    std::size_t more = 0;
    orders = narrowed(orders_sheet(e, campaign, std::max<std::size_t>(most / 3, 3), orders_out), width, 2, more);
    orders_out += more;
  }
  Sheet kernels = kernels_sheet(e, campaign, std::max<std::size_t>(most / 2, 3), kernels_out);
  if (orders.cut) {
    kernels.rows.clear();
    kernels_out = 0;
  }
  if (!orders.rows.empty())
    out += "\n" +
           wrapped(fmt::format("Orders, time ÷ sequential{}{}; ± half the 95 % interval; s slower, f faster, = no "
                               "difference, ? cannot tell:",
                               orders.constants, emulation_mark(c)),
                   width) +
           "\n" + fitted(orders, width);
  if (orders_out)
    out +=
        fmt::format("  {} more lines{}: folioscope report shows all\n", orders_out, orders.cut ? " and columns" : "");
  if (!kernels.rows.empty()) {
    auto const base = std::ranges::find_if(
        e.judgement.verdicts, [&](Verdict const& v) { return v.campaign == campaign && v.against_baseline; });
    out += "\n" +
           wrapped(fmt::format("Kernels and calls, sequential, time ÷ {} page by page{}:",
                               printable(c.cells[base->reference].kernel), emulation_mark(c)),
                   width) +
           "\n" + fitted(kernels, width);
  }
  if (kernels_out) out += fmt::format("  {} more lines: folioscope report shows all\n", kernels_out);
  return out;
}

std::string why_text(Explanation const& e, std::size_t i, std::size_t width) {
  auto const sentences = mechanism_sentences(e, i, true);
  if (sentences.empty()) return {};
  // What stands, falls and is open, a figure each; every contrast is in --json and in the report.
  std::string out =
      "\nWhy? Contrasts [with what was predicted of them]; all of them with their cells: --json, report\n";
  for (auto const& s : sentences) out += "  - " + wrapped(s, width - 2, 0, 6) + "\n";
  if (auto const fitted = parameter_sentence(e, i); !fitted.empty()) out += wrapped(fitted, width) + "\n";
  return out;
}

/// What the running Linux showed.
std::string linux_text(Explanation const& e, std::size_t campaign, std::size_t width) {
  std::string out;
  for (FaultOrderFinding const& f : e.fault_orders)
    if (f.campaign == campaign) out += "\n" + to_text(f) + "\n";
  if (e.returned[campaign]) out += "\n" + to_text(*e.returned[campaign]) + "\n";
  std::vector<LinuxRatio> own;
  for (LinuxRatio const& r : e.linux_ratios)
    if (r.campaign == campaign) own.push_back(r);
  if (auto const ratios = to_text(own, width); !ratios.empty()) out += "\n" + ratios;
  if (auto const bills = to_text(bills_of(e, campaign), width); !bills.empty()) out += "\n" + bills;
  return out;
}

std::size_t compared(Explanation const& e, std::size_t campaign) {
  return static_cast<std::size_t>(std::ranges::count(e.judgement.verdicts, campaign, &Verdict::campaign));
}

std::string campaign_text(Explanation const& e, std::size_t i, std::size_t width, std::size_t most) {
  ExplainedCampaign const& c = e.campaigns[i];
  Advice const& a = e.advice[i];
  std::string out =
      wrapped(machine_words(c) + emulation_mark(c), width) + "\n" + wrapped(campaign_sentence(c), width) + "\n\n";
  out += wrapped(a.conclusion, width) + "\n";
  if (!a.findings.empty()) out += "\n";
  // Where there is a why to tell, the first order and the kernels have to do; the rest stands in the table.
  std::string const why = why_text(e, i, width);
  bool const brief = std::ranges::count(why, '\n') > 8 && a.findings.size() > 4;
  for (std::size_t f = 0; f < a.findings.size(); ++f)
    if (!brief || f < 2 || f + 1 == a.findings.size())
      out += f == 0 ? wrapped(a.findings[f], width) + "\n" : "  - " + wrapped(a.findings[f], width - 4, 0, 4) + "\n";
  out += why;
  // The first thing to do; the rest is in --mail and --json.
  auto const todo = recommendation_sentences(e, i);
  for (std::size_t n = 0; n < std::min<std::size_t>(todo.size(), 1); ++n)
    out += (n ? "" : "\nWhat to do (more: --mail):\n") + std::string("  - ") + wrapped(todo[n], width - 2, 0, 4) + "\n";
  out += published_text(e, i, width);
  std::string noise = noise_sentence(e, i);
  if (brief)
    noise = fmt::format("{} comparisons of orders, runs, calls and kernels: --mail, --json, report. {}", compared(e, i),
                        noise);
  else
    out += sheets(e, i, width, most);
  out += linux_text(e, i, width);
  out += "\n" + wrapped(noise, width) + "\n";
  if (!brief)
    for (auto const& s : cache_sentences(e, i)) out += wrapped(s, width) + "\n";
  if (auto const refused = refusals_sentence(c, brief ? 1 : 4); !refused.empty()) out += wrapped(refused, width) + "\n";
  return out;
}

}  // namespace

std::string to_text(Explanation const& e, std::size_t width) {
  width = std::max<std::size_t>(width, 40);
  if (e.campaigns.empty()) return "No campaign: the capsule holds nothing yet. Run folioscope sweep.";
  // About a screen: the tables of several campaigns share it.
  std::size_t const most = std::max<std::size_t>(3, 12 / e.campaigns.size());
  std::string out;
  for (std::size_t const i : reading_order(e)) {
    if (!e.campaigns[i].prefetchers_off.empty()) continue;  // said below
    if (!out.empty()) out += std::string(width, '-') + "\n";
    out += campaign_text(e, i, width, most);
  }
  for (std::size_t i = 0; i < e.campaigns.size(); ++i)
    if (auto const causal = prefetchers_off_sentence(e, i); !causal.empty()) out += wrapped(causal, width) + "\n";
  out += foreign_text(e.foreign, width, 2);
  for (auto const& s : prediction_sentences(e)) out += wrapped(s, width) + "\n";
  out.erase(out.find_last_not_of('\n') + 1);
  return out;
}

}  // namespace folioscope
