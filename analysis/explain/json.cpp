// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "explain/after_words.hpp"
#include "explain/explain.hpp"
#include "explain/linux_words.hpp"
#include "explain/mechanism_json.hpp"
#include "explain/model_words.hpp"
#include "explain/recommend.hpp"

namespace folioscope {
namespace {

Json interval(std::optional<Interval> const& ci) { return ci ? Json::array({ci->low, ci->high}) : Json(); }

Json to_json(Refusal const& r) {
  return Json::object({{"subject", r.subject}, {"reason", r.reason}, {"remedy", r.remedy}});
}

Json to_json(ExplainedCampaign const& c) {
  Json refusals = Json::array();
  for (Refusal const& r : c.refusals) refusals.push(to_json(r));
  auto const fact_of = [&](std::string_view key) { return c.facts.value(key); };
  Json const machine = Json::object({{"architecture", fact_of(fact::architecture)},
                                     {"cpu_model", fact_of(fact::cpu_model)},
                                     {"model_key", fact_of(fact::model_key)},
                                     {"instance_key", fact_of(fact::instance_key)},
                                     {"hostname", fact_of(fact::hostname)},
                                     {"linux_release", fact_of(fact::linux_release)},
                                     {"linux_clear_kernel", fact_of(fact::linux_kernel)},
                                     {"preemption", fact_of(fact::preemption)},
                                     {"hypervisor", fact_of(fact::hypervisor)},
                                     {"emulator", fact_of(fact::emulator)}});
  return Json::object({{"id", c.header.id},
                       {"uuid", c.header.uuid},
                       {"kind", c.header.kind},
                       {"experiment", c.experiment},
                       {"command", c.header.command},
                       {"version", c.header.version},
                       {"started", c.header.started},
                       {"finished", c.header.finished.empty() ? Json() : Json(c.header.finished)},
                       {"stop_reason", c.header.stop_reason},
                       {"complete", c.header.complete},
                       {"machine", machine},
                       {"cells", c.cells.size()},
                       {"placements", c.placements},
                       {"blocks", c.blocks},
                       {"marked_blocks", c.marked_blocks},
                       {"samples", c.samples},
                       {"steal_s", c.steal_s},
                       {"left_out", c.left_out.empty() ? Json() : Json(c.left_out)},
                       {"refusals", std::move(refusals)}});
}

/// The reference's factors where they differ from the cell's; {} where only the runs' times differ.
Json differing(Cell const& cell, Cell const& reference) {
  Json const mine = to_json(cell);
  Json const other = to_json(reference);
  Json out = Json(Json::Object{});
  for (auto const& [key, value] : other.members())
    if (mine[key] != value) out.set(key, value);
  return out;
}

Json to_json(Verdict const& v, ExplainedCampaign const& c) {
  Cell const& cell = c.cells[v.cell];
  bool const compared = v.reference != v.cell;
  Estimate const& e = v.estimate;
  Json out = Json::object({{"campaign", v.campaign}});
  Json const factors = to_json(cell);
  for (auto const& [key, value] : factors.members()) out.set(key, value);
  out.set("reference", compared ? differing(cell, c.cells[v.reference]) : Json());
  out.set("ratio", e.n ? Json(e.ratio) : Json());
  out.set("ci", interval(e.ci));
  out.set("p_holm", e.ci ? Json(v.p_holm) : Json());
  out.set("n", e.n);
  out.set("verdict", to_string(v.verdict));
  out.set("why", v.why.empty() ? Json() : Json(v.why));
  out.set("delta", v.delta);
  out.set("compared_with", !compared ? Json() : v.against_baseline ? Json("baseline") : Json("sequential"));
  out.set("time_ns", v.time.value);
  out.set("reference_time_ns", compared ? Json(v.reference_time.value) : Json());
  out.set("source", "timed");
  out.set("emulated", c.emulator ? Json(*c.emulator) : Json(false));
  return out;
}

Json aa_of(Judgement const& j) {
  Json strata = Json::array();
  for (StratumNoise const& n : j.noise)
    strata.push(Json::object({{"campaign", n.campaign},
                              {"state", to_string(n.stratum.state)},
                              {"footprint_bytes", n.stratum.footprint.value},
                              {"backing", to_string(n.stratum.backing)},
                              {"threads", n.stratum.threads},
                              {"pairs", n.pairs},
                              {"smallest_effect", n.smallest_effect}}));
  return Json::object({{"pairs", j.aa_pairs},
                       {"flagged", j.aa_flagged},
                       {"flagged_holm", j.aa_flagged_holm},
                       {"ci", interval(j.aa_ci)},
                       {"smallest_effect", std::move(strata)}});
}

Json to_json(PublishedTable const& t, ExplainedCampaign const& c) {
  Json rows = Json::array();
  for (PublishedGroup const& group : t.groups)
    for (PublishedRow const& row : group.rows) {
      Json columns = Json::array();
      for (auto const& ns : row.columns) columns.push(ns ? Json(ns->value) : Json());
      rows.push(Json::object({{"footprint_bytes", group.footprint.value},
                              {"way", to_string(row.way)},
                              {"columns_ns", std::move(columns)},
                              {"mean_ns", row.mean ? Json(row.mean->value) : Json()}}));
    }
  return Json::object({{"campaign", t.campaign},
                       {"kernel", t.kernel},
                       {"state", to_string(t.state)},
                       {"backing", to_string(t.backing)},
                       {"threads", t.threads},
                       {"emulated", c.emulator ? Json(*c.emulator) : Json(false)},
                       {"rows", std::move(rows)},
                       {"note", published_note()}});
}

Json to_json(CountRatio const& r, ExplainedCampaign const& c) {
  Json out = Json::object({{"campaign", r.campaign}});
  Json const factors = to_json(c.cells[r.cell]);
  for (auto const& [key, value] : factors.members()) out.set(key, value);
  out.set("group", r.group);
  out.set("metric", r.metric);
  out.set("unit", r.unit);
  out.set("scope", r.scope);
  out.set("value", r.value.mean);
  out.set("ci", interval(r.value.ci));
  out.set("n", r.value.n);
  return out;
}

std::string text_of(Advice const& a) {
  std::string text = a.conclusion;
  for (std::string const& finding : a.findings) text += " " + finding;
  return text;
}

/// The first campaign that can be told anything about speaks for the file; null where none can.
Json recommendation(Explanation const& e, std::string& why) {
  why = "no verdict to recommend anything from";
  for (std::size_t i = 0; i < e.advice.size(); ++i) {
    Advice const& a = e.advice[i];
    if (!e.campaigns[i].prefetchers_off.empty()) continue;
    if (a.order && a.kernel) {
      Json out = Json::object({{"order", *a.order},
                               {"kernel", *a.kernel},
                               {"call_bytes", a.call ? Json(a.call->value) : Json()},
                               {"text", text_of(a)},
                               {"campaign", i}});
      Json const more = recommendation_json(e, i);
      for (auto const& [key, value] : more.members()) out.set(key, value);
      return out;
    }
    why = a.conclusion;
  }
  return {};
}

}  // namespace

Json to_json(Explanation const& e) {
  Json campaigns = Json::array(), verdicts = Json::array(), advice = Json::array(), published = Json::array();
  for (ExplainedCampaign const& c : e.campaigns) campaigns.push(to_json(c));
  for (Verdict const& v : e.judgement.verdicts) verdicts.push(to_json(v, e.campaigns[v.campaign]));
  for (std::size_t i = 0; i < e.advice.size(); ++i) {
    Json would_change = Json::array();
    for (auto const& w : e.advice[i].would_change) would_change.push(w);
    advice.push(Json::object(
        {{"campaign", i}, {"conclusion", e.advice[i].conclusion}, {"would_change", std::move(would_change)}}));
  }
  for (PublishedTable const& t : e.published) published.push(to_json(t, e.campaigns[t.campaign]));
  auto untested = e.untested;
  std::string why;
  Json recommended = recommendation(e, why);
  if (recommended.is_null()) untested["recommendation"] = why;

  Json out = Json::object(
      {{"campaigns", std::move(campaigns)}, {"verdicts", std::move(verdicts)}, {"aa", aa_of(e.judgement)}});
  out.set("mechanisms", mechanisms_json(e));
  out.set("knees", knees_json(e));
  out.set("lines_in_flight", lines_in_flight_json(e));
  out.set("model", model_json(e));
  out.set("predictions", predictions_json(e));
  out.set("median_prediction_error", e.model.all.model.median);
  out.set("p90_prediction_error", e.model.all.model.p90);
  out.set("repeat_error", e.model.all.repeat.median);
  out.set("baseline_errors", baseline_errors_json(e));
  out.set("where_order_matters", where_order_matters_json(e));
  for (char const* key : {"residency", "bill", "radius", "linux"}) out.set(key, Json());
  auto const set_where_there = [&](char const* key, bool there, auto make) {
    if (there) out.set(key, make(e));
  };
  set_where_there("residency", !e.residency.shares.empty(), residency_json);
  set_where_there("bill", !e.bills.lines.empty(), bill_json);
  set_where_there("radius", !e.bills.radii.empty(), radius_json);
  out.set("cache_levels", cache_levels_json(e));
  out.set("residency_maps", residency_maps_json(e));
  out.set("probed_misses", probed_misses_json(e));
  out.set("target_latency", target_latency_json(e));
  out.set("probe_checks", probe_checks_json(e));
  out.set("crossovers", crossovers_json(e));
  Json fills = Json::array(), counted = Json::array();
  for (Fill const& f : e.counts.fills) {
    ExplainedCampaign const& c = e.campaigns[f.campaign];
    fills.push(to_json(f, c.cells[f.cell]).set("emulated", c.emulator ? Json(*c.emulator) : Json(false)));
  }
  for (CountRatio const& r : e.counts.ratios) counted.push(to_json(r, e.campaigns[r.campaign]));
  out.set("fills", e.counts.fills.empty() ? Json() : std::move(fills));
  out.set("counts", e.counts.ratios.empty() ? Json() : std::move(counted));
  if (e.counts.ratios.empty()) untested["counts"] = "no ratio of counted events can be formed from these campaigns";
  if (!e.linux_ratios.empty() || !e.path_bills.empty()) out.set("linux", linux_json(e));
  Json foreign = Json::array();
  for (ForeignRow const& row : e.foreign) foreign.push(to_json(row));
  out.set("foreign", std::move(foreign));
  Json returned = Json::array();
  for (std::size_t i = 0; i < e.returned.size(); ++i)
    if (e.returned[i]) {
      Json one = to_json(*e.returned[i]);
      one.set("campaign", i);
      returned.push(std::move(one));
    }
  if (!returned.items().empty()) out.set("returned_memory", std::move(returned));
  out.set("recommendation", std::move(recommended));
  out.set("advice", std::move(advice));
  if (e.published.empty())
    untested["published_table"] =
        "the campaigns are of other experiments; run folioscope sweep --experiment published-table";
  out.set("published_table", e.published.empty() ? Json() : std::move(published));
  Json reasons = Json(Json::Object{});
  for (auto const& [key, reason] : untested) reasons.set(key, reason);
  out.set("untested", std::move(reasons));
  return out;
}

}  // namespace folioscope
