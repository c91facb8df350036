// SPDX-License-Identifier: Apache-2.0
#include "model/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "stats/comparisons.hpp"

namespace folioscope {
namespace {

constexpr double order_matters = 0.1;
constexpr char const* usual_hold_out = "target_last neighbourhood_last far_ascending alternate file";

bool belongs(Campaign const& campaign, Cell const& c) {
  KernelContract const* k = contract_of(campaign, c.kernel);
  if (k && (k->store == StoreKind::none || k->kind != KernelKind::clear || k->direction == Direction::down))
    return false;
  return c.state == State::cold && c.prefetch.value == 0 && c.footprint >= campaign.plan.folio &&
         c.call >= campaign.plan.base_page && (!c.run || *c.run >= campaign.plan.base_page);
}

using SettingKey = std::tuple<std::string, Backing, std::uint32_t>;

/// Variance of what moves all cells of a placement alike, of the mean over placements.
double common_variance(Runs const& runs, std::vector<std::uint32_t> const& cells) {
  std::map<std::uint32_t, std::pair<double, double>> sums;
  for (std::uint32_t c : cells) {
    auto placed = runs.placed_log_times(c);
    double mean = 0;
    for (auto const& p : placed) mean += p.log / static_cast<double>(placed.size());
    for (auto const& p : placed) {
      sums[p.placement].first += p.log - mean;
      ++sums[p.placement].second;
    }
  }
  if (sums.size() < 2) return 0;
  double squares = 0;
  for (auto const& [placement, entry] : sums) squares += std::pow(entry.first / entry.second, 2);
  double const n = static_cast<double>(sums.size());
  return squares / (n - 1) / n;
}

std::optional<double> mean_log(Runs const& runs, std::uint32_t cell) {
  auto logs = runs.log_times(cell);
  if (logs.empty()) return std::nullopt;
  double sum = 0;
  for (double l : logs) sum += l;
  return sum / static_cast<double>(logs.size());
}

/// Two halves of the same campaign, every second placement: how well a measurement predicts itself.
std::optional<double> repeat_of(Runs const& runs, std::uint32_t cell) {
  double sums[2] = {0, 0};
  std::size_t n[2] = {0, 0};
  for (auto const& p : runs.placed_log_times(cell)) {
    sums[p.placement % 2] += p.log;
    ++n[p.placement % 2];
  }
  if (n[0] == 0 || n[1] == 0) return std::nullopt;
  return std::fabs(sums[0] / static_cast<double>(n[0]) - sums[1] / static_cast<double>(n[1]));
}

double llc_of(Campaign const& campaign) {
  for (char const* level : {"L4", "L3", "L2"})
    if (auto const n = campaign.facts.value(std::string(fact::cache_prefix) + level + ".size_bytes").as_number();
        n && *n >= 1024 && *n < 1e15)
      return *n;
  return 32.0 * 1048576;
}

/// The fitted cell whose order cuts the folio into nearest as many stretches, calls and footprint alike where they can
/// be.
std::optional<std::uint32_t> nearest_fitted(Campaign const& campaign, std::vector<std::uint32_t> const& fitted,
                                            std::uint32_t cell) {
  PlannedCell const& mine = campaign.plan.cells[cell];
  auto const distance = [&](std::uint32_t other) {
    PlannedCell const& its = campaign.plan.cells[other];
    double const stretches = std::fabs(std::log(static_cast<double>(std::max<std::size_t>(1, its.visits.size())) /
                                                static_cast<double>(std::max<std::size_t>(1, mine.visits.size()))));
    return std::tuple(its.cell.footprint != mine.cell.footprint, its.cell.fence != mine.cell.fence, stretches,
                      its.cell.call != mine.cell.call);
  };
  auto const it = std::ranges::min_element(fitted, {}, distance);
  return it == fitted.end() ? std::nullopt : std::optional(*it);
}

ErrorSummary summary_of(std::vector<double> errors) {
  ErrorSummary s;
  s.cells = errors.size();
  if (errors.empty()) return s;
  s.median = median_of(errors);  // sorts
  s.p90 = errors[std::min(errors.size() - 1,
                          static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(errors.size()))) - 1)];
  return s;
}

struct Cells {
  std::vector<std::uint32_t> fitted, held_out;
};

void predict(Campaign const& campaign, Runs const& runs, FittedSetting const& setting, Cells const& cells,
             ModelReport& out) {
  std::map<Cell, std::uint32_t> places;
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i) places.emplace(campaign.plan.cells[i].cell, i);
  auto const time_of = [&](std::uint32_t cell) {
    auto const log = mean_log(runs, cell);
    return log ? std::optional(std::exp(*log)) : std::nullopt;
  };
  for (auto const* list : {&cells.held_out, &cells.fitted})
    for (std::uint32_t i : *list) {
      PlannedCell const& planned = campaign.plan.cells[i];
      Prediction p;
      p.campaign = setting.campaign;
      p.setting = out.settings.size();
      p.cell = i;
      p.held_out = list == &cells.held_out;
      p.predicted_ns = cost(shape_of(planned, campaign.plan.base_page, campaign.plan.folio), setting.fit.values);
      p.measured_ns = time_of(i).value_or(NAN);
      p.repeat = repeat_of(runs, i);
      if (auto const it = places.find(reference_of(planned.cell)); it != places.end()) {
        p.like_sequential = time_of(it->second);
        if (auto const logs = runs.log_ratios(i, it->second); !logs.empty()) p.ratio = estimate(logs).ratio;
      }
      if (auto const near = nearest_fitted(campaign, cells.fitted, i); near && p.held_out) p.nearest = time_of(*near);
      out.predictions.push_back(p);
    }
}

void fit_campaign(Campaign const& campaign, Runs const& runs, std::size_t index, ModelReport& out) {
  std::map<SettingKey, Cells> settings;
  for (std::uint32_t i = 0; i < campaign.plan.cells.size(); ++i) {
    Cell const& c = campaign.plan.cells[i].cell;
    if (!belongs(campaign, c) || !mean_log(runs, i)) continue;
    Cells& cells = settings[{c.kernel, c.backing, c.threads}];
    (is_held_out(campaign.plan, c) ? cells.held_out : cells.fitted).push_back(i);
  }
  for (auto const& [key, cells] : settings) {
    std::vector<FitPoint> points;
    for (std::uint32_t i : cells.fitted)
      points.push_back(
          {shape_of(campaign.plan.cells[i], campaign.plan.base_page, campaign.plan.folio), *mean_log(runs, i)});
    auto fitted = fit({points, common_variance(runs, cells.fitted), llc_of(campaign)});
    if (!fitted) continue;
    FittedSetting setting{index,       std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(*fitted),
                          cells.fitted};
    predict(campaign, runs, setting, cells, out);
    out.settings.push_back(std::move(setting));
  }
}

}  // namespace

ModelErrors errors_of(std::span<Prediction const> predictions, bool only_where_order_matters) {
  std::vector<double> model, repeat, sequential, nearest;
  for (Prediction const& p : predictions) {
    if (!p.held_out || !std::isfinite(p.predicted_ns / p.measured_ns)) continue;
    if (only_where_order_matters && !(p.ratio && std::fabs(*p.ratio - 1) > order_matters)) continue;
    model.push_back(std::fabs(p.predicted_ns / p.measured_ns - 1));
    if (p.repeat) repeat.push_back(std::expm1(*p.repeat));
    if (p.like_sequential) sequential.push_back(std::fabs(*p.like_sequential / p.measured_ns - 1));
    if (p.nearest) nearest.push_back(std::fabs(*p.nearest / p.measured_ns - 1));
  }
  return {summary_of(std::move(model)), summary_of(std::move(repeat)), summary_of(std::move(sequential)),
          summary_of(std::move(nearest))};
}

bool is_held_out(Plan const& plan, Cell const& cell) {
  if (cell.order == "sequential") return false;
  auto const option = plan.options.find("hold_out");
  std::string_view names = option == plan.options.end() ? std::string_view(usual_hold_out) : option->second;
  auto const order = parse_order(cell.order);
  std::string_view const base = cell.order.starts_with("file:") ? "file" : order ? std::string_view(order->base) : "";
  while (!names.empty()) {
    auto const end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == base) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

ModelReport model_report(std::span<Campaign const> campaigns, std::span<Runs const> runs) {
  ModelReport out;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    Campaign const& c = campaigns[i];
    bool const off = c.plan.options.contains("prefetchers_off");
    if (c.header.kind != "linux" && !off && !c.facts.value(fact::emulator).as_string())
      fit_campaign(c, runs[i], i, out);
  }
  std::ranges::stable_sort(out.predictions, {}, [](Prediction const& p) { return !p.held_out; });
  out.all = errors_of(out.predictions, false);
  out.where_order_matters = errors_of(out.predictions, true);
  if (out.settings.empty())
    out.why = "no setting was measured at three run lengths or more, cold; run folioscope sweep --experiment mechanism";
  else if (out.all.model.cells == 0)
    out.why = "no hold-out order was measured beside a fitted setting; run folioscope sweep --experiment mechanism";
  return out;
}

}  // namespace folioscope
