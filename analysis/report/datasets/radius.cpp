// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "explain/after_words.hpp"
#include "explain/layout.hpp"
#include "report/dataset.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

struct Quantity {
  char const* name;
  Estimate const& (*ratio)(BillLine const&);
  double (*ns)(BillLine const&);
};
constexpr Quantity quantities[] = {{"total", [](BillLine const& l) -> Estimate const& { return l.ratio; },
                                    [](BillLine const& l) { return l.total.value; }},
                                   {"clear", [](BillLine const& l) -> Estimate const& { return l.clear_ratio; },
                                    [](BillLine const& l) { return l.clear.value; }},
                                   {"use", [](BillLine const& l) -> Estimate const& { return l.use_ratio; },
                                    [](BillLine const& l) { return l.spent.value; }}};

std::string use_text(Use const& use) {
  return use.pattern == Pattern::target ? "page used" : figure(100 * use.fraction) + " % used";
}

std::string half_width(Estimate const& e) {
  return e.ci ? "±" + fixed((e.ci->high - e.ci->low) / 2, 2) : std::string();
}

Table radius(Material const& m) {
  Table table(cell_fields() + std::vector<std::string>{"quantity", "use", "radius_bytes", "radius", "us", "ratio",
                                                       "low", "high", "text", "plus", "mark", "verdict", "n"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<RadiusLine const*> radii;
    for (RadiusLine const& r : m.explanation.bills.radii)
      if (m.explanation.bills.lines[r.line].campaign == i) radii.push_back(&r);
    auto const line_of = [&](RadiusLine const* r) -> BillLine const& { return m.explanation.bills.lines[r->line]; };
    auto const& cells = m.explanation.campaigns[i].cells;
    std::ranges::stable_sort(radii, {}, [&](RadiusLine const* r) {
      BillLine const& l = line_of(r);
      return std::tuple(l.use.pattern, -l.use.fraction, cells[l.cell].target, r->radius, cells[l.cell].call);
    });
    for (Quantity const& q : quantities)
      for (RadiusLine const* r : radii) {
        BillLine const& l = line_of(r);
        Estimate const& ratio = q.ratio(l);
        if (ratio.n == 0) continue;
        std::string const radius_text = r->radius.value == 0 ? "its page" : "± " + compact_bytes(r->radius);
        table.add(cell_values(m, i, cells[l.cell]) +
                  std::vector<Value>{q.name, use_text(l.use), number(static_cast<double>(r->radius.value)), radius_text,
                                     number(q.ns(l) * 1e-3), number(ratio.ratio),
                                     number(ratio.ci ? ratio.ci->low : NAN), number(ratio.ci ? ratio.ci->high : NAN),
                                     fixed(ratio.ratio, 2), half_width(ratio), r->todays_linux ? "▲ v7.0" : "",
                                     q.name == std::string("total") ? Value(to_string(l.finding)) : Value(),
                                     number(l.n)});
      }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_radius{
    "radius",
    "a neighbourhood that is cleared last: time over that of plain ascending with the same call, for the clear, the "
    "use and both together (total), with the 95 % t interval over placements",
    radius};

}  // namespace folioscope
