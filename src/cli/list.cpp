// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "backing/pool.hpp"
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "counters/reader.hpp"
#include "explain/hypothesis.hpp"
#include "kernels/kernel.hpp"
#include "linuxmm/path.hpp"
#include "machine/machine.hpp"
#include "measure/counter_host.hpp"
#include "orders/order.hpp"
#include "plan/experiment.hpp"

namespace folioscope::cli {
namespace {

/// Rows with named columns: printed as a table, or as JSON objects.
struct Listing {
  std::string key;
  std::vector<Json> rows;
};

Listing kernels(ListArguments const&) {
  Machine const machine = read_machine();
  Listing out{"kernels", {}};
  for (Kernel const& kernel : kernel_catalogue()) {
    auto const refusal = refuse(kernel.contract, machine.features);
    Json row = to_json(kernel.contract);
    row.set("usable", !refusal).set("reason", refusal ? Json(refusal->reason) : Json());
    out.rows.push_back(row);
  }
  return out;
}

Listing orders(ListArguments const&) {
  Listing out{"orders", {}};
  for (Order const* order : order_catalogue())
    out.rows.push_back(Json::object({{"name", order->name},
                                     {"summary", order->summary},
                                     {"has_target", order->has_target},
                                     {"parameter", order->default_parameter ? Json(order->parameter_meaning) : Json()},
                                     {"default_parameter", order->default_parameter},
                                     {"source", order->source}}));
  return out;
}

Listing experiments(ListArguments const&) {
  Listing out{"experiments", {}};
  for (EmbeddedFile const& file : experiment_files()) {
    Experiment const experiment = parse_experiment(file.bytes, file.name);
    std::string name(file.name.substr(file.name.rfind('/') + 1));
    if (name.ends_with(".toml")) name.resize(name.size() - 5);
    out.rows.push_back(Json::object({{"name", name}, {"summary", experiment.description}, {"file", file.bytes}}));
  }
  return out;
}

Listing backings(ListArguments const&) {
  Machine const machine = read_machine();
  Listing out{"backings", {}};
  std::vector<Backing> all{
      {BackingKind::base, {}}, {BackingKind::thp, {}}, {BackingKind::thp_pte, {}}, {BackingKind::tmpfs, {}}};
  for (auto const& m : machine.mthp)
    if (m.size != machine.folio) all.push_back({BackingKind::mthp, m.size});
  for (auto const& pool : machine.hugetlb) all.push_back({BackingKind::hugetlb, pool.size});
  for (Backing const& backing : all) {
    // One folio, mapped, touched and verified, is the only honest answer.
    auto const pool = Pool::make({backing, 1}, machine);
    out.rows.push_back(
        Json::object({{"name", to_string(backing)},
                      {"usable", static_cast<bool>(pool)},
                      {"reason", pool ? Json() : Json(pool.refusal().reason)},
                      {"remedy", pool || pool.refusal().remedy.empty() ? Json() : Json(pool.refusal().remedy)}}));
  }
  return out;
}

Listing counters(ListArguments const& a) {
  CounterHost const host = counter_host(read_machine());
  CounterCatalogue const catalogue = CounterCatalogue::read(a.groups);
  std::vector<CounterGroup const*> groups;
  for (bool const here : {true, false})  // those for this CPU first
    for (CounterGroup const& group : catalogue.groups())
      if (catalogue.is_for(group, host) == here) groups.push_back(&group);
  Listing out{"events", {}};
  for (EventStatus const& status : open_counters(groups, catalogue, host).events) {
    Json row = to_json(status);
    for (CounterGroup const* group : groups)
      if (group->id() == status.group) row.set("question", group->question);
    out.rows.push_back(std::move(row));
  }
  return out;
}

Listing mechanisms(ListArguments const&) {
  Listing out{"mechanisms", {}};
  for (Hypothesis const& h : hypotheses()) {
    Json predicts = Json::array(), counters = Json::array();
    for (Contrast const& c : h.predicts)
      predicts.push(Json::object({{"what", c.what},
                                  {"cell", c.cell.text},
                                  {"over", c.over ? Json(c.over->text) : Json()},
                                  {"predicted", predicted_words(c)}}));
    for (auto const& name : h.counters) counters.push(name);
    out.rows.push_back(Json::object({{"name", h.name},
                                     {"summary", h.title + ": " + h.claim},
                                     {"predicts", std::move(predicts)},
                                     {"settled_by", std::move(counters)},
                                     {"unseen", h.unseen.empty() ? Json() : Json(h.unseen)}}));
  }
  return out;
}

Listing paths(ListArguments const&) {
  Listing out{"paths", {}};
  for (LinuxPath const* path : linux_paths())
    out.rows.push_back(Json::object({{"name", path->name}, {"summary", path->summary}, {"clears", path->clears}}));
  return out;
}

std::string text(Json const& value) {
  if (value.is_null()) return "";
  if (auto s = value.as_string()) return printable(*s);
  return value.dump();
}

void print_rows(Listing const& listing) {
  for (Json const& row : listing.rows) {
    std::string line = fmt::format("{:<20}", text(row["name"]));
    if (row.contains("store"))
      line += fmt::format(" {:<6}{:<13}{:<5}linux: {:<16}", text(row["kind"]), text(row["store"]),
                          text(row["direction"]), text(row["linux"]));
    if (row.contains("usable")) line += *row["usable"].as_bool() ? " usable" : " no: " + text(row["reason"]);
    if (!text(row["remedy"]).empty()) line += "; " + text(row["remedy"]);
    if (row.contains("summary")) line += " " + text(row["summary"]);
    if (!text(row["parameter"]).empty())
      line += fmt::format(" (@N: {}, {})", text(row["parameter"]), text(row["default_parameter"]));
    fmt::print("{}\n", line);
  }
}

/// Every event of this CPU's groups; of the others, which there are.
void print_counters(Listing const& listing) {
  std::string group, last;
  std::vector<std::string> others;
  for (Json const& row : listing.rows) {
    std::string const name = text(row["group"]);
    if (!*row["for_this_cpu"].as_bool()) {
      auto const folder = name.substr(0, name.find('/'));
      if (others.empty() || others.back() != folder) others.push_back(folder);
      continue;
    }
    if (name != group) last.clear();
    if (name != group) fmt::print("{}{}: {}\n", group.empty() ? "" : "\n", name, text(row["question"]));
    group = name;
    std::string line = fmt::format(
        "  {} [{}, {}]", text(row["name"]), text(row["pmu"]),
        text(row["verified"]) == "unverified" ? "name unverified" : "name known to " + text(row["verified"]));
    if (*row["usable"].as_bool()) {
      line += fmt::format(" usable ({}, by {}", text(row["scope"]), text(row["opened_by"]));
      line += row["trust"].is_null() ? ")" : fmt::format(", trust {:.3g})", *row["trust"].as_number());
    }
    std::string why = *row["usable"].as_bool() ? "" : " no: " + text(row["reason"]);
    if (!text(row["remedy"]).empty()) why += "; " + text(row["remedy"]);
    line += why.empty() || why != last ? why : " the same";
    last = why;
    fmt::print("{}\n", line);
  }
  if (!others.empty()) fmt::print("\nGroups for other CPUs: {}\n", fmt::join(others, ", "));
}

struct Topic {
  std::string_view name;
  Listing (*make)(ListArguments const&);
  void (*print)(Listing const&) = print_rows;
};
constexpr Topic topics[] = {
    {"kernels", kernels},   {"orders", orders},           {"counters", counters, print_counters},
    {"backings", backings}, {"experiments", experiments}, {"mechanisms", mechanisms},
    {"paths", paths}};

}  // namespace

ExitStatus run_list(ListArguments const& a) {
  std::vector<std::string> names;
  for (Topic const& topic : topics) {
    names.emplace_back(topic.name);
    if (topic.name != a.what) continue;
    Listing const listing = topic.make(a);
    if (a.json)
      fmt::print("{}\n", Json::object({{listing.key, Json(Json::Array(listing.rows))}}).dump(2));
    else
      topic.print(listing);
    return ExitStatus::done;
  }
  auto const near = nearest_name(a.what, names);
  throw UsageError(fmt::format("nothing to list under '{}'", a.what), "folioscope list",
                   near ? fmt::format("did you mean '{}'?", *near)
                        : "choose kernels, orders, counters, backings, experiments, mechanisms or paths");
}

}  // namespace folioscope::cli
