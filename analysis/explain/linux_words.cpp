// SPDX-License-Identifier: Apache-2.0
#include "explain/linux_words.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "explain/layout.hpp"

namespace folioscope {
namespace {

PathBillLine const* bill_of(Explanation const& e, std::size_t campaign, std::uint32_t cell) {
  auto const it = std::ranges::find_if(e.path_bills,
                                       [&](PathBillLine const& l) { return l.campaign == campaign && l.cell == cell; });
  return it == e.path_bills.end() ? nullptr : &*it;
}

void set_members(Json& row, Json const& more) {
  for (auto const& [key, value] : more.members()) row.set(key, value);
}

/// The order that Linux is seen or thought to use for this backing.
std::string order_seen(Explanation const& e, std::size_t campaign, Backing const& backing) {
  for (FaultOrderFinding const& f : e.fault_orders)
    if (f.campaign == campaign && f.backing == backing && f.recognition.recognised != Recognised::cannot_tell)
      return to_string(f.recognition.recognised);
  for (LinuxRatio const& r : e.linux_ratios)
    if (r.campaign == campaign) return r.order;
  return "unknown";
}

}  // namespace

Json linux_json(Explanation const& e) {
  Json rows = Json::array();
  for (LinuxRatio const& r : e.linux_ratios) {
    Json row = to_json(r);
    if (PathBillLine const* const line = bill_of(e, r.campaign, r.cell)) set_members(row, to_json(*line));
    rows.push(std::move(row));
  }
  // What is cleared upwards or used downwards has no ratio of orders, and a bill all the same.
  for (PathBillLine const& line : e.path_bills) {
    if (std::ranges::any_of(e.linux_ratios,
                            [&](LinuxRatio const& r) { return r.campaign == line.campaign && r.cell == line.cell; }))
      continue;
    LinuxRatio none;
    none.campaign = line.campaign;
    none.path = line.path;
    none.order = order_seen(e, line.campaign, e.campaigns[line.campaign].cells[line.cell].backing);
    none.target = line.first.value_or(0);
    Json row = to_json(none);
    row.set("ratio", Json());
    set_members(row, to_json(line));
    rows.push(std::move(row));
  }
  return rows;
}

std::vector<PathBillLine> bills_of(Explanation const& e, std::size_t campaign) {
  std::vector<PathBillLine> own;
  for (PathBillLine const& line : e.path_bills)
    if (line.campaign == campaign) own.push_back(line);
  return own;
}

std::vector<std::string> linux_sentences(Explanation const& e, std::size_t campaign) {
  std::vector<std::string> out;
  for (FaultOrderFinding const& f : e.fault_orders) {
    if (f.campaign != campaign) continue;
    for (std::string text : {order_sentence(f) + " " + gain_sentence(f), nearness_sentence(f)})
      if (!text.empty()) out.push_back(fmt::format("Faults on {}: {}", to_string(f.backing), text));
  }
  for (std::string& sentence : path_bill_sentences(bills_of(e, campaign))) out.push_back(std::move(sentence));
  if (auto const& returned = e.returned[campaign]; returned && returned->returned)
    out.push_back(fmt::format("Memory that the host has taken back costs {} us a fault, warm memory {} us.",
                              microseconds(*returned->returned), microseconds(returned->warm)));
  return out;
}

}  // namespace folioscope
