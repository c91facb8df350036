// SPDX-License-Identifier: Apache-2.0
#include "cli/counting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "measure/counter_host.hpp"

namespace folioscope::cli {
namespace {

constexpr char const* option = "counters";

std::vector<std::string> words_of(std::string const& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

/// Without --counters a user's folder means all that is in it.
std::vector<std::string> all_of(std::string const& folder, CounterCatalogue const& catalogue, CounterHost const& host) {
  std::vector<std::string> words;
  CounterCatalogue const built_in = CounterCatalogue::read();
  if (!folder.empty())
    for (CounterGroup const& group : catalogue.groups()) {
      auto const known = std::ranges::find(built_in.groups(), group.id(), &CounterGroup::id);
      if (catalogue.is_for(group, host) && (known == built_in.groups().end() || to_json(*known) != to_json(group)))
        words.push_back(group.id());
    }
  return words;
}

/// One refusal a group and reason. Events are named where the group has others that count or fail otherwise.
std::vector<Refusal> refusals_of(Counters const& counters) {
  struct Shared {
    std::string group, events;
    Refusal refusal;
  };
  std::vector<Shared> shared;
  std::map<std::string, std::set<std::string>> reasons;  // of a group; "" for events that count
  for (EventStatus const& e : counters.events) {
    reasons[e.group].insert(e.usable ? "" : e.reason);
    if (e.usable) continue;
    auto const same = std::ranges::find_if(
        shared, [&](Shared const& s) { return s.group == e.group && s.refusal.reason == e.reason; });
    if (same == shared.end())
      shared.push_back({e.group, e.name, {{}, e.reason, e.remedy}});
    else
      same->events += ", " + e.name;
  }
  std::vector<Refusal> out;
  for (Shared& s : shared) {
    s.refusal.subject = "counters " + s.group + (reasons[s.group].size() > 1 ? ": " + s.events : "");
    out.push_back(std::move(s.refusal));
  }
  return out;
}

}  // namespace

std::vector<CounterReader*> Counting::passes() const {
  std::vector<CounterReader*> out;
  for (auto const& pass : counters.passes) out.push_back(pass.get());
  return out;
}

Counting open_counting(std::vector<std::string> words, std::string const& folder, Machine const& machine, Plan& plan,
                       bool resumed) {
  Counting out;
  if (resumed)
    if (auto const before = plan.options.find(option); before != plan.options.end()) words = words_of(before->second);
  if (words.empty() && folder.empty()) return out;
  CounterHost const host = counter_host(machine);
  CounterCatalogue const catalogue = CounterCatalogue::read(folder);
  if (words.empty()) words = all_of(folder, catalogue, host);
  auto const groups = catalogue.choose(words, host);
  out.counters = open_counters(groups, catalogue, host);
  out.record = record_of(groups, out.counters.events);
  if (host.several_core_pmus() && host.core_pmu()) out.counted_cpus = host.core_pmu()->cpus;
  if (resumed) return out;
  std::vector<std::string> ids;
  for (CounterGroup const* group : groups) ids.push_back(group->id());
  plan.options[option] = fmt::format("{}", fmt::join(ids, ","));
  for (Refusal& refusal : refusals_of(out.counters)) plan.refusals.push_back(std::move(refusal));
  return out;
}

}  // namespace folioscope::cli
