// SPDX-License-Identifier: Apache-2.0
#include "explain/mechanism_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "explain/layout.hpp"

namespace folioscope {
namespace {

using Outcome = ContrastFinding::Outcome;

/// A machine's newest campaign, of those as it is, tells for all.
MachineMechanisms const* machine_led_by(Explanation const& e, std::size_t campaign) {
  for (MachineMechanisms const& m : e.mechanisms) {
    std::optional<std::size_t> newest;
    for (std::size_t i : m.campaigns)
      if (e.campaigns[i].prefetchers_off.empty()) newest = i;
    if (newest == campaign) return &m;
  }
  return nullptr;
}

/// Words begin small within a sentence, abbreviations and names stay as they are.
std::string in_a_sentence(std::string title) {
  if (title.size() > 1 && std::islower(static_cast<unsigned char>(title[1])))
    title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

std::string titles(MachineMechanisms const& machine, MechanismStatus status) {
  std::string list;
  for (Mechanism const& m : machine.mechanisms)
    if (m.status == status) list += (list.empty() ? "" : ", ") + in_a_sentence(m.title);
  return list;
}

}  // namespace

std::string interval_words(ContrastFinding const& f) {
  Estimate e;
  e.ratio = f.value;
  e.ci = f.ci;
  e.n = f.n;
  return with_interval(e);
}

std::string finding_words(ContrastFinding const& f) {
  return fmt::format("{}, {} [{}]", f.what, interval_words(f), f.predicted);
}

ContrastFinding const* most_telling_finding(Mechanism const& m) {
  Outcome const wanted = m.status == MechanismStatus::supported      ? Outcome::holds
                         : m.status == MechanismStatus::contradicted ? Outcome::refuted
                                                                     : Outcome::open;
  ContrastFinding const* best = nullptr;
  auto const strength = [](ContrastFinding const& f) { return std::fabs(std::log(std::max(f.value, 1e-9))); };
  for (ContrastFinding const& f : m.findings)
    if (f.outcome == wanted &&
        (!best || std::pair(!f.optional, strength(f)) > std::pair(!best->optional, strength(*best))))
      best = &f;
  return best;
}

std::vector<std::string> mechanism_sentences(Explanation const& e, std::size_t campaign, bool brief) {
  MachineMechanisms const* machine = machine_led_by(e, campaign);
  if (!machine) return {};
  std::vector<std::string> out;
  for (auto const status : {MechanismStatus::supported, MechanismStatus::inconclusive, MechanismStatus::contradicted}) {
    std::string together;
    for (Mechanism const& m : machine->mechanisms) {
      if (m.status != status) continue;
      ContrastFinding const* f = most_telling_finding(m);
      if (!brief || status == MechanismStatus::supported)
        out.push_back(fmt::format("{}: {}{}", to_string(status), m.title, f ? ": " + finding_words(*f) : ""));
      else
        together += fmt::format(
            "{}{}{}", together.empty() ? "" : ", ", in_a_sentence(m.title),
            f ? fmt::format(" {} [{}]", status == MechanismStatus::inconclusive ? interval_words(*f) : figure(f->value),
                            f->predicted)
              : "");
    }
    if (!together.empty()) out.push_back(to_string(status) + ": " + together);
  }
  if (out.empty()) return {};
  if (auto const rest = titles(*machine, MechanismStatus::untested); !rest.empty()) out.push_back("untested: " + rest);
  return out;
}

std::string mechanism_conclusion(Explanation const& e, std::size_t campaign) {
  MachineMechanisms const* machine = machine_led_by(e, campaign);
  if (!machine) return {};
  std::size_t tested = 0;
  for (Mechanism const& m : machine->mechanisms) tested += m.status != MechanismStatus::untested;
  if (tested == 0) return {};
  std::string const stand = titles(*machine, MechanismStatus::supported);
  std::string const fall = titles(*machine, MechanismStatus::contradicted);
  std::string text = stand.empty() ? fmt::format("Of {} hypotheses tested none stands.", tested)
                                   : fmt::format("Of {} hypotheses tested these stand: {}.", tested, stand);
  if (!fall.empty()) text += fmt::format(" Contradicted: {}.", fall);
  return text;
}

std::string prefetchers_off_sentence(Explanation const& e, std::size_t campaign) {
  ExplainedCampaign const& c = e.campaigns[campaign];
  if (c.prefetchers_off.empty()) return {};
  std::string text;
  for (Verdict const& v : e.judgement.verdicts) {
    if (v.campaign != campaign || v.against_baseline) continue;
    Cell const& cell = c.cells[v.cell];
    bool const leads = (cell.order == "reverse" || cell.order == "random") && cell.run == c.base_page;
    KernelContract const* k = nullptr;
    for (KernelContract const& known : c.kernels)
      if (known.name == cell.kernel) k = &known;
    if (!leads || !k || k->linux_use != LinuxUse::yes || k->store == StoreKind::non_temporal) continue;
    text += fmt::format("{}{} with {} {}", text.empty() ? "" : "; ", printable(cell.order), printable(cell.kernel),
                        with_interval(v.estimate));
  }
  return fmt::format("Prefetchers off ({}): time ÷ sequential of {}.", printable(c.prefetchers_off),
                     text.empty() ? "nothing that was measured" : text);
}

}  // namespace folioscope
