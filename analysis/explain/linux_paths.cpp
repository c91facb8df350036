// SPDX-License-Identifier: Apache-2.0
#include "explain/linux_paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/layout.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

constexpr std::string_view prefix = "linux_";

// The page touched first varies over dozens of cells there: they are the curve, and one stands for the path.
constexpr std::string_view fault_cells = "linux_fault";

std::optional<std::string> name_of(Cell const& cell) {
  if (!is_path_kernel(cell.kernel) || (cell.kernel == fault_cells && !is_reference(cell))) return std::nullopt;
  std::string name = path_words(cell);
  if (cell.target) name += fmt::format(", page {} first", *cell.target);
  if (cell.order == "descending") name += ", used downwards";
  return name;
}

Nanoseconds median(std::vector<double>& values) { return Nanoseconds(values.empty() ? 0 : median_of(values)); }

PathOutcome outcome_of(Campaign const& campaign, Runs const& runs, std::uint32_t cell, std::string name) {
  PathOutcome out;
  out.name = std::move(name);
  for (RefusedCell const& r : campaign.refused)
    if (r.cell == cell) {
      out.reason = r.refusal.reason;
      out.remedy = r.refusal.remedy;
      return out;
    }
  std::vector<double> real;
  double user = 0, system = 0;
  for (Sample const& s : campaign.samples) {
    if (s.cell != cell || s.copies == 0) continue;
    real.push_back(s.wall.value / s.copies);
    if (std::isfinite(s.user.value)) user += s.user.value / s.copies;
    if (std::isfinite(s.system.value)) system += s.system.value / s.copies;
  }
  if (real.empty()) {
    out.reason = "no block was measured";
    out.remedy = "give it a longer --budget";
    for (Refusal const& r : campaign.plan.refusals)  // of its runs, one after the other
      if (r.subject == describe(campaign.plan.cells[cell].cell)) {
        out.reason = r.reason;
        out.remedy = r.remedy;
      }
    return out;
  }
  out.measured = true;
  out.real = median(real);
  out.user = Nanoseconds(user / static_cast<double>(real.size()));
  out.system = Nanoseconds(system / static_cast<double>(real.size()));
  Cell const& c = campaign.plan.cells[cell].cell;
  double const folio = static_cast<double>(c.backing.size.value_or(campaign.plan.folio).value);
  double const folios = std::max(1.0, static_cast<double>(c.footprint.value) * c.threads / folio);
  Estimate const e = estimate(runs.log_times(cell));
  out.per_folio = Nanoseconds(e.ratio / folios);
  if (e.ci) out.ci = Interval{e.ci->low / folios, e.ci->high / folios};
  return out;
}

}  // namespace

bool is_path_kernel(std::string_view kernel) { return kernel.starts_with(prefix); }

std::string path_of(Campaign const& campaign, Cell const& cell) {
  auto const named = campaign.plan.options.find("path of " + cell.kernel);
  return named == campaign.plan.options.end() ? cell.kernel : named->second;
}

std::string path_words(Cell const& cell) {
  if (cell.kernel == fault_cells) return "fault-order " + to_string(cell.backing);
  std::string name = cell.kernel.substr(std::min(prefix.size(), cell.kernel.size()));
  std::ranges::replace(name, '_', '-');
  if (cell.backing.kind != BackingKind::thp && cell.backing.kind != BackingKind::tmpfs)
    name += " " + to_string(cell.backing);
  if (cell.threads > 1) name += fmt::format(", {} tasks", cell.threads);
  return name;
}

std::vector<PathOutcome> path_outcomes(Campaign const& campaign) {
  std::vector<PathOutcome> all;
  if (campaign.header.kind != "linux") return all;
  Runs const runs(campaign);
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i)
    if (auto name = name_of(campaign.plan.cells[i].cell))
      all.push_back(outcome_of(campaign, runs, i, std::move(*name)));
  for (Refusal const& r : campaign.plan.refusals) {
    if (std::ranges::any_of(campaign.plan.cells, [&](PlannedCell const& p) { return describe(p.cell) == r.subject; }))
      continue;  // told with its cell
    PathOutcome out;
    out.name = r.subject;
    out.reason = r.reason;
    out.remedy = r.remedy;
    all.push_back(std::move(out));
  }
  return all;
}

Json to_json(PathOutcome const& p) {
  auto const when = [&](double value) { return p.measured ? Json(value) : Json(); };
  return Json::object({{"name", p.name},
                       {"state", p.measured ? "measured" : "refused"},
                       {"reason", p.reason.empty() ? Json() : Json(p.reason)},
                       {"remedy", p.remedy.empty() ? Json() : Json(p.remedy)},
                       {"real", when(p.real.value / 1e9)},
                       {"user", when(p.user.value / 1e9)},
                       {"sys", when(p.system.value / 1e9)},
                       {"per_folio_ns", when(p.per_folio.value)},
                       {"ci", p.ci ? Json::array({p.ci->low, p.ci->high}) : Json()}});
}

std::string to_text(PathOutcome const& p) {
  if (!p.measured)
    return fmt::format("{}: not measured: {}{}", printable(p.name, 100), printable(p.reason, 200),
                       p.remedy.empty() ? "" : "; " + printable(p.remedy, 200));
  std::string text = fmt::format("{}: {} us a folio", printable(p.name, 100), microseconds(p.per_folio));
  if (p.ci)
    text += fmt::format(" ({} to {})", microseconds(Nanoseconds(p.ci->low)), microseconds(Nanoseconds(p.ci->high)));
  return text + fmt::format(", real {}, user {}, sys {} us", microseconds(p.real), microseconds(p.user),
                            microseconds(p.system));
}

}  // namespace folioscope
