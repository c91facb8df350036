// SPDX-License-Identifier: Apache-2.0
#include "explain/returned.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "explain/layout.hpp"
#include "stats/runs.hpp"

namespace folioscope {
namespace {

constexpr std::string_view returned_cells = "linux_returned_memory";
constexpr double edges_s[] = {0, 0.005, 0.02, 0.06, 0.2, 0.6, 1.3, 2, 2.6, 4, 6, 12, 60, 3600};

}  // namespace

std::optional<ReturnedMemory> returned_memory(Campaign const& campaign) {
  auto const& cells = campaign.plan.cells;
  auto const is_it = [&](std::uint32_t cell) {
    return cell < cells.size() && cells[cell].cell.kernel == returned_cells;
  };
  std::vector<double> warm;
  for (Sample const& s : campaign.samples)
    if (is_it(s.cell) && s.copies > 0) warm.push_back(s.wall.value / s.copies);
  if (warm.empty()) return std::nullopt;
  ReturnedMemory out;
  out.warm = Nanoseconds(median_of(warm));
  if (auto const order = campaign.facts.value("linux.page_reporting_order").as_integer(); order && *order >= 0)
    out.reporting_order = static_cast<std::uint64_t>(*order);
  std::vector<Point const*> faults;
  std::vector<double> returned;
  for (Point const& p : campaign.points) {
    if (p.series != "fault.since_free" || !std::isfinite(p.x) || !std::isfinite(p.y)) continue;
    if (p.label == "other frame") {
      ++out.other_frame;
      continue;
    }
    faults.push_back(&p);
    if (p.y > far_above_warm * out.warm.value) returned.push_back(p.y);
  }
  if (!returned.empty()) out.returned = Nanoseconds(median_of(returned));
  for (std::size_t i = 0; i + 1 < std::size(edges_s); ++i) {
    ReturnedAge age{edges_s[i], edges_s[i + 1], 0, 0, {}};
    std::vector<double> times;
    for (Point const* p : faults)
      if (p->x >= age.from_s && p->x < age.to_s) {
        times.push_back(p->y);
        age.returned += p->y > far_above_warm * out.warm.value;
      }
    if (times.empty()) continue;
    age.faults = static_cast<std::uint32_t>(times.size());
    age.median = Nanoseconds(median_of(times));
    out.ages.push_back(age);
  }
  return out;
}

Json to_json(ReturnedMemory const& m) {
  Json ages = Json::array();
  for (ReturnedAge const& a : m.ages)
    ages.push(Json::object({{"from_s", a.from_s},
                            {"to_s", a.to_s},
                            {"faults", a.faults},
                            {"returned", a.returned},
                            {"median_ns", a.median.value}}));
  return Json::object({{"page_reporting_order", m.reporting_order},
                       {"warm_ns", m.warm.value},
                       {"returned_ns", m.returned ? Json(m.returned->value) : Json()},
                       {"other_frame", m.other_frame},
                       {"ages", std::move(ages)}});
}

std::string to_text(ReturnedMemory const& m) {
  std::string text = fmt::format(
      "Memory that has been free for a while ({}), warm fault {} us:\n",
      m.reporting_order ? fmt::format("page reporting from order {}", *m.reporting_order) : "page reporting not known",
      microseconds(m.warm));
  TextTable table(0);
  table.add({"free for s", "faults", "served by the host too", "median us"});
  for (ReturnedAge const& a : m.ages)
    table.add({fmt::format("{:g} to {:g}", a.from_s, a.to_s), std::to_string(a.faults), std::to_string(a.returned),
               microseconds(a.median)});
  text += table.text(2);
  if (!text.ends_with('\n')) text += '\n';
  return text + (m.returned ? fmt::format("Returned memory: {} us a fault.", microseconds(*m.returned))
                            : std::string("No fault was served by the host too."));
}

}  // namespace folioscope
