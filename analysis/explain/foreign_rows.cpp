// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "explain/finder.hpp"
#include "explain/foreign.hpp"
#include "explain/layout.hpp"
#include "explain/linux_paths.hpp"

namespace folioscope {
namespace {

using Where = MeasuredBeside::Where;

/// Campaigns that may speak, with what finds their cells.
struct Beside {
  std::size_t index = 0;
  Campaign const& campaign;
  Runs const& runs;
  CellFinder finder;
  std::string machine;
};

std::vector<Beside> speakers(std::span<Campaign const> campaigns, std::span<Runs const> runs) {
  std::vector<Beside> out;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Campaign const& c = campaigns[i];
    if (c.plan.cells.empty() || c.facts.value(fact::emulator).as_string() || c.plan.options.contains("prefetchers_off"))
      continue;
    out.push_back({i, c, runs[i], CellFinder(c), machine_of(c.facts).value_or("")});
  }
  return out;
}

std::string short_words(std::string_view arm) { return std::string(arm.substr(0, arm.find(" ("))); }

/// The first of the figure's cells that the campaign has, over what it is divided by.
std::optional<MeasuredBeside> in_user_space(ForeignFigure const& f, Beside const& b) {
  auto const main = b.finder.main();
  if (!main || is_path_kernel(main->kernel)) return std::nullopt;
  std::string why;
  for (CellSelector const& selector : f.cells) {
    auto const cell = b.finder.find(selector, why);
    if (!cell) continue;
    auto const over = f.over_cell ? b.finder.find(*f.over_cell, why) : b.finder.reference(*cell);
    if (!over) continue;
    MeasuredBeside m{Where::user_space, b.index, {}, estimate(b.runs.log_ratios(*cell, *over))};
    m.what = fmt::format("{} {}", printable(b.campaign.plan.cells[*cell].cell.kernel), selector.text);
    m.what += f.over_cell ? " ÷ " + f.over_cell->text : std::string(" ÷ sequential");
    if (m.ratio.n > 0) return m;
  }
  return std::nullopt;
}

/// "anon-w-seq-mt" of "anon-w-seq-mt, 2 tasks": the variant may say more, and must not be another path.
bool is_of_path(std::string_view words, std::string_view path) {
  if (!words.starts_with(path)) return false;
  words.remove_prefix(path.size());
  return words.empty() || words.front() == ' ' || words.front() == ',';
}

/// Two variants of a path in the same blocks, of the same size and number of tasks.
std::optional<MeasuredBeside> variants(ForeignFigure const& f, Beside const& b) {
  if (f.over_path.empty() || b.campaign.header.kind != "linux") return std::nullopt;
  auto const& cells = b.campaign.plan.cells;
  std::optional<MeasuredBeside> best;
  for (std::uint32_t i = 0; i < cells.size(); ++i)
    for (std::uint32_t k = 0; k < cells.size(); ++k) {
      Cell const &mine = cells[i].cell, &other = cells[k].cell;
      if (!is_path_kernel(mine.kernel) || !is_path_kernel(other.kernel) || mine.footprint != other.footprint ||
          mine.threads != other.threads || !is_of_path(path_words(mine), f.path) ||
          !is_of_path(path_words(other), f.over_path))
        continue;
      Estimate const e = estimate(b.runs.log_ratios(i, k));
      if (e.n > 0 && (!best || e.n > best->ratio.n))
        best = MeasuredBeside{Where::linux, b.index, path_words(mine) + " ÷ " + path_words(other), e};
    }
  return best;
}

/// The path with page 0 touched first, over the same cleared upwards: a figure about target last where this Linux
/// clears it so. Of several numbers of tasks the last, which is the most.
std::optional<MeasuredBeside> of_path(ForeignFigure const& f, std::size_t campaign, std::span<LinuxRatio const> ratios,
                                      std::string& why) {
  std::optional<MeasuredBeside> found;
  for (LinuxRatio const& r : ratios) {
    if (r.campaign != campaign || r.target != 0 || !is_of_path(r.path, f.path)) continue;
    if (r.order != "target_last") {
      why = fmt::format("this Linux clears {} in another order ({})", printable(r.path), printable(r.order));
      continue;
    }
    found =
        MeasuredBeside{Where::linux, campaign, fmt::format("{} {} t0 ÷ upwards", printable(r.path), r.order), r.shown};
  }
  return found;
}

}  // namespace

std::vector<ForeignRow> foreign_rows(std::span<Campaign const> campaigns, std::span<Runs const> runs,
                                     std::span<LinuxRatio const> linux_ratios, std::span<ForeignFigure const> own) {
  auto const beside = speakers(campaigns, runs);
  std::vector<ForeignRow> rows;
  auto const add = [&](ForeignFigure const& f) {
    ForeignRow row{f, {}, {}};
    std::string why;
    // One a machine and place: where several campaigns have it, that with most placements.
    std::map<std::pair<std::string, Where>, MeasuredBeside> best;
    auto const offer = [&](std::string const& machine, std::optional<MeasuredBeside> m) {
      if (!m || m->ratio.n == 0) return;
      auto const [it, fresh] = best.try_emplace({machine, m->where}, *m);
      if (!fresh && m->ratio.n >= it->second.ratio.n) it->second = std::move(*m);
    };
    for (Beside const& b : beside) {
      if (!f.cells.empty()) offer(b.machine, in_user_space(f, b));
      if (f.path.empty()) continue;
      offer(b.machine, f.over_path.empty() ? of_path(f, b.index, linux_ratios, why) : variants(f, b));
    }
    for (auto& [key, measured] : best) row.here.push_back(std::move(measured));
    std::ranges::stable_sort(row.here, {},
                             [](MeasuredBeside const& m) { return std::pair(m.where != Where::linux, m.campaign); });
    if (row.here.empty())
      row.why = !f.unseen.empty() ? f.unseen : !why.empty() ? why : "run " + f.command + " with the same --out";
    rows.push_back(std::move(row));
  };
  for (ForeignFigure const& f : own) add(f);
  for (ForeignFigure const& f : foreign_figures()) add(f);
  return rows;
}

std::string published_lies(ForeignRow const& row, MeasuredBeside const& here) {
  if (!here.ratio.ci) return {};
  if (row.figure.ratio > here.ratio.ci->high) return "above";
  return row.figure.ratio < here.ratio.ci->low ? "below" : "inside";
}

std::string row_words(ForeignFigure const& f) {
  return fmt::format("{}: {} ÷ {}", f.workload, short_words(f.arm), short_words(f.over));
}

Json to_json(ForeignRow const& row) {
  ForeignFigure const& f = row.figure;
  Json measured = Json::array();
  for (MeasuredBeside const& m : row.here)
    measured.push(Json::object({{"campaign", m.campaign},
                                {"where", m.where == Where::linux ? "linux" : "user space"},
                                {"what", m.what},
                                {"ratio", m.ratio.ratio},
                                {"ci", m.ratio.ci ? Json::array({m.ratio.ci->low, m.ratio.ci->high}) : Json()},
                                {"n", m.ratio.n},
                                {"published_lies", m.ratio.ci ? Json(published_lies(row, m)) : Json()}}));
  return Json::object({{"source", f.source.name},
                       {"title", f.source.title},
                       {"published", f.source.where},
                       {"date", f.source.date},
                       {"machine", f.source.machine},
                       {"workload", f.workload},
                       {"arm", f.arm},
                       {"over", f.over},
                       {"quoted", f.quoted},
                       {"ratio", f.ratio},
                       {"note", f.note.empty() ? Json() : Json(f.note)},
                       {"measured", std::move(measured)},
                       {"command", f.command.empty() ? Json() : Json(f.command)},
                       {"not_measured_here", row.why.empty() ? Json() : Json(row.why)}});
}

std::string foreign_text(std::span<ForeignRow const> rows, std::size_t width, std::size_t most) {
  bool several = false;
  for (ForeignRow const& row : rows)
    for (MeasuredBeside const& m : row.here) several = several || m.campaign != row.here.front().campaign;
  auto const here_words = [&](ForeignRow const& row) {
    std::string text;
    for (MeasuredBeside const& m : row.here)
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", with_interval(m.ratio),
                          m.where == Where::linux ? " in Linux"
                          : row.here.size() > 1   ? " in user space"
                                                  : "",
                          several ? fmt::format(" [campaign {}]", m.campaign + 1) : "");
    return text;
  };
  TextTable table(1);
  std::string sentences;
  std::size_t shown = 0;
  for (ForeignRow const& row : rows) {
    if (row.here.empty() || shown == most) continue;
    ++shown;
    ForeignFigure const& f = row.figure;
    table.add({row_words(f), figure(f.ratio), here_words(row)});
    sentences += "- " +
                 wrapped(fmt::format("{}: {} published ({}, {}), here {}", row_words(f), figure(f.ratio),
                                     f.source.machine, f.source.date, here_words(row)),
                         width - 2, 0, 2) +
                 "\n";
  }
  if (shown == 0) return {};
  std::string rest;
  if (rows.size() > shown) rest = fmt::format(", {} more rows", rows.size() - shown);
  std::string const title = "Published ratios beside this machine's, time ÷ time";
  // A mail's reader cannot look further: there each row names its source.
  constexpr std::size_t of_a_mail = 72;
  if (width > of_a_mail && table.width() + 2 <= width)
    return wrapped("Published ratios, time ÷ time, and this machine's (sources" + rest + ": --json, report):", width) +
           "\n" + table.text(2);
  return wrapped(title + (rest.empty() ? ":" : fmt::format(" ({}: --json, report):", rest.substr(2))), width) + "\n" +
         sentences;
}

}  // namespace folioscope
