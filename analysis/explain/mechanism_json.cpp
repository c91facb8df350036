// SPDX-License-Identifier: Apache-2.0
#include "explain/mechanism_json.hpp"

#include <utility>

namespace folioscope {
namespace {

using Outcome = ContrastFinding::Outcome;

Json interval_json(std::optional<Interval> const& ci) { return ci ? Json::array({ci->low, ci->high}) : Json(); }

Json bytes_json(std::optional<Bytes> const& b) { return b ? Json(b->value) : Json(); }

Json finding_json(ContrastFinding const& f, Explanation const& e) {
  auto const factors = [&](std::optional<std::uint32_t> cell) {
    return cell ? to_json(e.campaigns[f.campaign].cells[*cell]) : Json();
  };
  bool const measured = f.outcome != Outcome::missing;
  return Json::object({{"what", f.what},
                       {"predicted", f.predicted},
                       {"quantity", f.quantity},
                       {"source", f.source},
                       {"campaign", measured ? Json(f.campaign) : Json()},
                       {"cell", measured ? factors(f.cell) : Json()},
                       {"over", measured ? factors(f.over) : Json()},
                       {"value", measured ? Json(f.value) : Json()},
                       {"ci", interval_json(f.ci)},
                       {"n", f.n},
                       {"why", f.why.empty() ? Json() : Json(f.why)}});
}

Json findings_json(Mechanism const& m, Outcome outcome, Explanation const& e) {
  Json out = Json::array();
  for (ContrastFinding const& f : m.findings)
    if (f.outcome == outcome) out.push(finding_json(f, e));
  return out;
}

Json mechanism_json(Mechanism const& m, MachineMechanisms const& machine, Explanation const& e) {
  Json campaigns = Json::array(), counters = Json::array();
  for (std::size_t i : machine.campaigns) campaigns.push(i);
  for (auto const& c : m.counters) counters.push(c);
  return Json::object({{"name", m.name},
                       {"title", m.title},
                       {"claim", m.claim},
                       {"status", to_string(m.status)},
                       {"why", m.why.empty() ? Json() : Json(m.why)},
                       {"evidence", findings_json(m, Outcome::holds, e)},
                       {"against", findings_json(m, Outcome::refuted, e)},
                       {"undecided", findings_json(m, Outcome::open, e)},
                       {"missing", findings_json(m, Outcome::missing, e)},
                       {"settled_by", std::move(counters)},
                       {"experiment", m.experiment},
                       {"campaigns", std::move(campaigns)}});
}

}  // namespace

Json mechanisms_json(Explanation const& e) {
  Json out = Json::array();
  for (MachineMechanisms const& machine : e.mechanisms)
    for (Mechanism const& m : machine.mechanisms) out.push(mechanism_json(m, machine, e));
  return out.items().empty() ? Json() : out;
}

Json knees_json(Explanation const& e) {
  Json out = Json::array();
  for (Knee const& k : e.knees)
    out.push(Json::object({{"campaign", k.campaign},
                           {"kernel", k.like.kernel},
                           {"backing", to_string(k.like.backing)},
                           {"state", to_string(k.like.state)},
                           {"order", k.like.order},
                           {"footprint_bytes", k.like.footprint.value},
                           {"threads", k.like.threads},
                           {"bytes", bytes_json(k.bytes)},
                           {"at_most", bytes_json(k.at_most)},
                           {"longest_run_bytes", bytes_json(k.longest)},
                           {"ratio", k.ratio ? Json(k.ratio->ratio) : Json()},
                           {"ci", k.ratio ? interval_json(k.ratio->ci) : Json()},
                           {"source", "timed"}}));
  return out.items().empty() ? Json() : out;
}

Json lines_in_flight_json(Explanation const& e) {
  Json out = Json::array();
  for (LinesInFlight const& l : e.lines) {
    Cell const& c = e.campaigns[l.campaign].cells[l.cell];
    out.push(Json::object({{"campaign", l.campaign},
                           {"order", c.order},
                           {"kernel", c.kernel},
                           {"state", to_string(c.state)},
                           {"backing", to_string(c.backing)},
                           {"footprint_bytes", c.footprint.value},
                           {"threads", c.threads},
                           {"target", c.target},
                           {"idle", l.idle},
                           {"loaded", l.loaded},
                           {"ci", interval_json(l.ci)},
                           {"n", l.n},
                           {"latency_idle_ns", l.idle_ns},
                           {"latency_loaded_ns", l.loaded_ns},
                           {"why", l.why.empty() ? Json() : Json(l.why)},
                           {"assumes", "one fill a line; per thread"}}));
  }
  return out.items().empty() ? Json() : out;
}

}  // namespace folioscope
