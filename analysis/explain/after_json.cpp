// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "explain/after_words.hpp"

namespace folioscope {
namespace {

Json after_interval(std::optional<Interval> const& ci) { return ci ? Json::array({ci->low, ci->high}) : Json(); }

/// {campaign, order, kernel, state, ..., emulated}: a row about a cell begins with these.
Json row_of(Explanation const& e, std::size_t campaign, std::uint32_t cell) {
  Json out = Json::object({{"campaign", campaign}});
  Json const factors = to_json(e.campaigns[campaign].cells[cell]);
  for (auto const& [key, value] : factors.members()) out.set(key, value);
  auto const& emulator = e.campaigns[campaign].emulator;
  out.set("emulated", emulator ? Json(*emulator) : Json(false));
  return out;
}

void set_use(Json& row, Use const& use) {
  row.set("use", to_string(use.pattern));
  row.set("fraction", use.fraction);
  row.set("access", to_string(use.access));
  row.set("corunner", use.corunner);
  row.set("use_target", use.target ? Json(*use.target) : Json());
}

void set_line(Json& row, BillLine const& line) {
  set_use(row, line.use);
  row.set("clear_ns", line.clear.value);
  row.set("use_ns", line.spent.value);
  row.set("total_ns", line.total.value);
  row.set("ci", after_interval(line.ci));
  row.set("n", line.n);
  bool const compared = line.reference.has_value() && line.ratio.n > 0;
  row.set("ratio", compared ? Json(line.ratio.ratio) : Json());
  row.set("ratio_ci", compared ? after_interval(line.ratio.ci) : Json());
  row.set("p_holm", compared && line.ratio.ci ? Json(line.p_holm) : Json());
  row.set("verdict", compared ? Json(to_string(line.finding)) : Json());
  row.set("source", "timed");
}

}  // namespace

Json residency_json(Explanation const& e) {
  Json rows = Json::array();
  for (ResidencyShare const& s : e.residency.shares) {
    Json row = row_of(e, s.campaign, s.cell);
    row.set("page_bin", s.page_bin);
    row.set("first_page", s.first_page);
    row.set("last_page", s.last_page);
    row.set("level", s.level);
    row.set("share", s.share.value);
    row.set("ci", after_interval(s.share.ci));
    row.set("n", s.share.n);
    row.set("samples", s.samples);
    row.set("source", s.source);
    rows.push(std::move(row));
  }
  return rows;
}

Json residency_maps_json(Explanation const& e) {
  constexpr double digits = 1e4;  // a share of some dozen samples: more would only be longer
  auto const rounded = [](double share) { return Json(std::round(share * digits) / digits); };
  Json rows = Json::array();
  for (ResidencyMap const& m : e.residency.maps) {
    Json row = row_of(e, m.campaign, m.cell);
    Json samples = Json::array(), levels = Json(Json::Object{});
    for (std::uint32_t const n : m.samples) samples.push(n);
    for (std::size_t l = 0; l < m.levels.size(); ++l) {
      Json share = Json::array(), low = Json::array(), high = Json::array();
      for (Mean const& bin : m.share[l]) {
        share.push(bin.n ? rounded(bin.value) : Json());
        low.push(bin.ci ? rounded(bin.ci->low) : Json());
        high.push(bin.ci ? rounded(bin.ci->high) : Json());
      }
      levels.set(m.levels[l],
                 Json::object({{"share", std::move(share)}, {"low", std::move(low)}, {"high", std::move(high)}}));
    }
    row.set("pages", m.pages);
    row.set("pages_a_bin", m.pages_a_bin);
    row.set("samples", std::move(samples));
    row.set("levels", std::move(levels));
    row.set("source", "probed");
    rows.push(std::move(row));
  }
  return rows;
}

Json probed_misses_json(Explanation const& e) {
  Json rows = Json::array();
  for (ProbedMisses const& m : e.residency.misses) {
    Json row = row_of(e, m.campaign, m.cell);
    row.set("level", m.level);
    row.set("miss_share", m.share.value);
    row.set("ci", after_interval(m.share.ci));
    row.set("n", m.share.n);
    row.set("source", "probed");
    rows.push(std::move(row));
  }
  return rows;
}

Json target_latency_json(Explanation const& e) {
  Json rows = Json::array();
  for (TargetLatency const& t : e.residency.targets) {
    Json row = row_of(e, t.campaign, t.cell);
    row.set("target", t.target);
    row.set("distance_pages", t.distance);
    row.set("ns", t.ns.value);
    row.set("ci", after_interval(t.ns.ci));
    row.set("n", t.ns.n);
    row.set("source", "probed");
    rows.push(std::move(row));
  }
  return rows;
}

Json probe_checks_json(Explanation const& e) {
  Json rows = Json::array();
  for (ProbeCheck const& check : e.residency.checks) rows.push(to_json(check));
  return rows;
}

Json bill_json(Explanation const& e) {
  Json rows = Json::array();
  for (BillLine const& line : e.bills.lines) {
    Json row = row_of(e, line.campaign, line.cell);
    set_line(row, line);
    rows.push(std::move(row));
  }
  return rows;
}

Json crossovers_json(Explanation const& e) {
  Json rows = Json::array();
  for (Crossover const& x : e.bills.crossovers) {
    auto const& cells = e.campaigns[x.campaign].cells;
    Json row = Json::object({{"campaign", x.campaign},
                             {"order", cells[x.cheaper_below].order},
                             {"call_bytes", cells[x.cheaper_below].call.value},
                             {"cheaper_below", cells[x.cheaper_below].kernel},
                             {"cheaper_above", cells[x.cheaper_above].kernel}});
    set_use(row, x.use);
    row.set("between", Json::array({x.fractions.low, x.fractions.high}));
    rows.push(std::move(row));
  }
  return rows;
}

Json radius_json(Explanation const& e) {
  Json rows = Json::array();
  for (RadiusLine const& r : e.bills.radii) {
    BillLine const& line = e.bills.lines[r.line];
    Json row = row_of(e, line.campaign, line.cell);
    row.set("radius_bytes", r.radius.value);
    row.set("todays_linux", r.todays_linux);
    set_line(row, line);
    rows.push(std::move(row));
  }
  return rows;
}

}  // namespace folioscope
