// SPDX-License-Identifier: Apache-2.0
#include "explain/model_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/advice.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

constexpr double median_limit = 0.05, repeats_limit = 1.5;

std::string name_of(Physical which) { return std::string(physical_names()[static_cast<std::size_t>(which)].name); }

Json parameter_json(FittedParameter const& p) {
  PhysicalName const& name = physical_names()[static_cast<std::size_t>(p.which)];
  return Json::object({{"name", name.name},
                       {"unit", name.unit},
                       {"meaning", name.meaning},
                       {"value", p.value},
                       {"ci", p.ci ? Json::array({p.ci->low, p.ci->high}) : Json()},
                       {"held", p.held},
                       {"none", p.none},
                       {"determined", p.determined}});
}

Json summary_json(ErrorSummary const& s) {
  return Json::object({{"median", s.median}, {"p90", s.p90}, {"cells", s.cells}});
}

/// "10.6 (9.8 to 11.4) KiB": in units that a person reads.
std::string parameter_words(FittedParameter const& p) {
  constexpr struct {
    double times;
    char const* unit;
  } shown[physicals] = {{1024, " ns/KiB"}, {1024, " ns/KiB"}, {1.0 / 1048576, " MiB"},
                        {1, " ns"},        {1, " ns"},        {1.0 / 1024, " KiB"},
                        {1, ""},           {1, " ns"},        {1, " ns"}};
  auto const& [times, unit] = shown[static_cast<std::size_t>(p.which)];
  std::string text = figure(p.value * times);
  if (p.ci) text += fmt::format(" ({} to {})", figure(p.ci->low * times), figure(p.ci->high * times));
  return text + unit;
}

char const* said(Physical which) {
  constexpr char const* words[physicals] = {"streaming",
                                            "write-back beyond the cache",
                                            "last-level cache share",
                                            "a page of run-up",
                                            "more for a start beyond the cache",
                                            "run-up",
                                            "streams followed",
                                            "a call",
                                            "a fence"};
  return words[static_cast<std::size_t>(which)];
}

bool beats_both(ModelErrors const& e) {
  return e.model.median && *e.model.median < e.like_sequential.median.value_or(INFINITY) &&
         *e.model.median < e.nearest.median.value_or(INFINITY);
}

/// Nothing can be seen to predict better than that.
bool as_good_as_measuring(ModelErrors const& e) {
  return e.model.median && e.repeat.median && *e.model.median <= *e.repeat.median;
}

}  // namespace

Json model_json(Explanation const& e) {
  Json out = Json::array();
  for (FittedSetting const& s : e.model.settings) {
    Json parameters = Json::array(), inseparable = Json::array();
    for (FittedParameter const& p : s.fit.parameters) parameters.push(parameter_json(p));
    for (auto const& [a, b] : s.fit.inseparable) inseparable.push(Json::array({name_of(a), name_of(b)}));
    out.push(Json::object({{"campaign", s.campaign},
                           {"kernel", s.kernel},
                           {"backing", to_string(s.backing)},
                           {"threads", s.threads},
                           {"state", "cold"},
                           {"parameters", std::move(parameters)},
                           {"inseparable", std::move(inseparable)},
                           {"condition", s.fit.condition},
                           {"residual", s.fit.residual},
                           {"cells", s.fit.points}}));
  }
  return out.items().empty() ? Json() : out;
}

Json predictions_json(Explanation const& e) {
  Json out = Json::array();
  for (Prediction const& p : e.model.predictions) {
    if (!p.held_out) continue;
    Cell const& c = e.campaigns[p.campaign].cells[p.cell];
    Json row = Json::object({{"campaign", p.campaign}});
    Json const factors = to_json(c);
    for (auto const& [key, value] : factors.members()) row.set(key, value);
    row.set("predicted_ns", p.predicted_ns);
    row.set("measured_ns", p.measured_ns);
    row.set("error", std::fabs(p.predicted_ns / p.measured_ns - 1));
    row.set("ratio", p.ratio);
    row.set("repeat_error", p.repeat ? Json(std::expm1(*p.repeat)) : Json());
    row.set("like_sequential_ns", p.like_sequential);
    row.set("nearest_fitted_order_ns", p.nearest);
    row.set("source", "predicted");
    out.push(std::move(row));
  }
  return out.items().empty() ? Json() : out;
}

Json baseline_errors_json(Explanation const& e) {
  if (!e.model.all.model.median) return {};
  return Json::object({{"like_sequential", summary_json(e.model.all.like_sequential)},
                       {"nearest_fitted_order", summary_json(e.model.all.nearest)}});
}

Json where_order_matters_json(Explanation const& e) {
  ModelErrors const& m = e.model.where_order_matters;
  if (!m.model.median) return {};
  return Json::object({{"model", summary_json(m.model)},
                       {"repeat", summary_json(m.repeat)},
                       {"like_sequential", summary_json(m.like_sequential)},
                       {"nearest_fitted_order", summary_json(m.nearest)}});
}

namespace {

std::string errors_sentence(ModelErrors const& all, ModelErrors const& some) {
  auto const both = [](ErrorSummary const& s) {
    return s.median ? fmt::format("{} ({})", percent(*s.median), percent(*s.p90)) : std::string("what is not known");
  };
  std::string text = fmt::format(
      "Predicting {} cells of orders that no fit saw errs by {} (median, 90th percentile); measuring again differs by "
      "{}, all like sequential errs by {}, the nearest fitted order by {}.",
      all.model.cells, both(all.model), both(all.repeat), both(all.like_sequential), both(all.nearest));
  if (some.model.median)
    text += fmt::format(" Where order matters by over 10 % ({} cells): {}, {}, {}, {}.", some.model.cells,
                        both(some.model), both(some.repeat), both(some.like_sequential), both(some.nearest));
  return text;
}

}  // namespace

std::string worth_words(ModelErrors const& all, ModelErrors const& some) {
  double const limit = std::max(median_limit, repeats_limit * all.repeat.median.value_or(0));
  if (*all.model.median > limit)
    return fmt::format("That is more than {}: do not lean on its predictions.", percent(limit));
  if (beats_both(all)) return {};
  if (as_good_as_measuring(all) && (!some.model.median || beats_both(some)))
    return some.model.median
               ? "Where the order hardly matters, a baseline errs as little as measuring again does; where "
                 "it matters the model beats both."
               : "The order hardly matters: there is nothing to beat the baselines by.";
  return "It does not beat both baselines: do not lean on its predictions.";
}

std::vector<std::string> prediction_sentences(Explanation const& e) {
  std::map<std::string, std::vector<Prediction>> machines;  // in the order of their names, each with its own errors
  for (Prediction const& p : e.model.predictions)
    if (p.held_out) machines[machine_of(e.campaigns[p.campaign].facts).value_or("")].push_back(p);
  std::vector<std::string> out;
  for (auto const& [machine, predictions] : machines) {
    ModelErrors const all = errors_of(predictions, false), some = errors_of(predictions, true);
    if (!all.model.median) continue;
    out.push_back((machines.size() > 1 ? machine_words(e.campaigns[predictions.front().campaign]) + ": " : "") +
                  errors_sentence(all, some));
    if (auto text = worth_words(all, some); !text.empty()) out.push_back(std::move(text));
  }
  return out;
}

std::string parameter_sentence(Explanation const& e, std::size_t campaign) {
  FittedSetting const* best = nullptr;
  std::vector<std::uint64_t> rank;
  for (FittedSetting const& s : e.model.settings) {
    if (s.campaign != campaign || s.cells.empty()) continue;
    auto const mine = prominence(e.campaigns[campaign], e.campaigns[campaign].cells[s.cells.front()]);
    if (best && !(mine < rank)) continue;
    best = &s;
    rank = mine;
  }
  if (!best) return {};
  std::string text, open, none;
  for (FittedParameter const& p : best->fit.parameters) {
    if (p.none && is_price(p.which)) none += fmt::format("{}{}", none.empty() ? "" : ", ", said(p.which));
    if (p.held) continue;
    if (p.determined)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", said(p.which), parameter_words(p));
    else
      open += fmt::format("{}{}", open.empty() ? "" : ", ", said(p.which));
  }
  std::string out = fmt::format("Fitted for {} on {}{}: {}.", printable(best->kernel), to_string(best->backing),
                                best->threads > 1 ? fmt::format(" x{}", best->threads) : "", text);
  if (std::isfinite(best->fit.condition) && best->fit.condition > 1e6)
    out += " The fit is ill conditioned: some of these could be traded for others.";
  if (!none.empty()) out += fmt::format(" Too little to be seen: {}.", none);
  if (!open.empty()) out += fmt::format(" Not determined by these cells: {}.", open);
  for (auto const& [a, b] : best->fit.inseparable)
    out += fmt::format(" The data cannot tell {} from {}.", said(a), said(b));
  return out;
}

}  // namespace folioscope
