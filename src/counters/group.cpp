// SPDX-License-Identifier: Apache-2.0
#include "counters/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "terms/cell.hpp"
#include "terms/error.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace {

constexpr Word<KnownTraffic> traffics[] = {
    {KnownTraffic::none, "none"},     {KnownTraffic::load, "load"},
    {KnownTraffic::store, "store"},   {KnownTraffic::store_nt, "store_nt"},
    {KnownTraffic::flush, "flush"},   {KnownTraffic::pages, "pages"},
    {KnownTraffic::adds, "adds"},     {KnownTraffic::instructions, "instructions"},
    {KnownTraffic::faults, "faults"}, {KnownTraffic::sleeps, "sleeps"},
    {KnownTraffic::time, "time"}};
constexpr std::array<std::string_view, 8> kinds{"fills",  "elision", "prefetch", "translation",
                                                "stores", "rows",    "core",     "faults"};
constexpr std::array<std::string_view, 3> verifiers{"libpfm", "linux-json", "unverified"};

class GroupText {
 public:
  explicit GroupText(std::string_view where) : where_(where) {}
  [[noreturn]] void fail(std::string what, std::string remedy) const {
    throw Error(std::move(what), where_, std::move(remedy));
  }
  void known_keys(Json const& table, std::initializer_list<std::string_view> keys, std::string_view in) const {
    if (!table.is_object()) fail(fmt::format("{} is no table", in), "see docs/counters.md");
    for (auto const& [key, value] : table.members()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      auto const near = nearest_name(key, {keys.begin(), keys.end()});
      fail(fmt::format("unknown key '{}' in {}", key, in),
           near ? fmt::format("did you mean '{}'?", *near) : "see docs/counters.md");
    }
  }
  std::string text(Json const& table, std::string_view key, std::string_view in) const {
    auto const value = table[key].as_string();
    if (!value || value->empty()) fail(fmt::format("{} has no '{}'", in, key), "see docs/counters.md");
    return *value;
  }
  std::string text_or(Json const& table, std::string_view key, std::string_view in, std::string other) const {
    return table.contains(key) ? text(table, key, in) : std::move(other);
  }
  template <std::size_t N>
  void one_of(std::string const& word, std::array<std::string_view, N> const& words, std::string_view key) const {
    if (std::ranges::find(words, word) == words.end())
      fail(fmt::format("'{}' is no {}", word, key), fmt::format("choose {}", fmt::join(words, ", ")));
  }

 private:
  std::string where_;
};

CounterEvent event_of(Json const& table, GroupText const& read) {
  read.known_keys(table, {"name", "code", "verified", "level", "traffic", "per_unit", "not"}, "an event");
  CounterEvent e;
  e.name = read.text(table, "name", "an event");
  auto const code = table["code"].as_integer();
  if (!code) read.fail(fmt::format("event '{}' has no 'code'", e.name), "give perf's config, for example code = 0x17");
  e.code = static_cast<std::uint64_t>(*code);
  e.verified = read.text_or(table, "verified", e.name, "libpfm");
  read.one_of(e.verified, verifiers, "verified");
  e.level = read.text_or(table, "level", e.name, "");
  auto const word = read.text_or(table, "traffic", e.name, "none");
  auto const traffic = std::ranges::find(traffics, word, &Word<KnownTraffic>::text);
  if (traffic == std::end(traffics)) read.fail(fmt::format("'{}' is no traffic", word), "see docs/counters.md");
  e.traffic = traffic->value;
  if (table.contains("per_unit")) {
    e.per_unit = table["per_unit"].as_number();
    if (!e.per_unit || !(*e.per_unit > 0) || e.traffic == KnownTraffic::none)
      read.fail(fmt::format("'per_unit' of {} must be above 0 and needs a traffic", e.name), "see docs/counters.md");
  }
  e.not_meant = read.text(table, "not", e.name);
  return e;
}

/// "2*rd_ddr_128b" or a bare name.
CounterMetric::Term term_of(std::string const& text, GroupText const& read, CounterGroup const& group) {
  CounterMetric::Term term;
  term.event = text;
  if (auto const star = text.find('*'); star != std::string::npos) {
    term.event = text.substr(star + 1);
    try {
      std::size_t used = 0;
      term.factor = std::stod(text.substr(0, star), &used);
      if (used != star || !(term.factor > 0)) term.event.clear();
    } catch (std::exception const&) {
      term.event.clear();
    }
  }
  if (std::ranges::none_of(group.events, [&](CounterEvent const& e) { return e.name == term.event; }))
    read.fail(fmt::format("a metric names '{}', which is no event of the group", text), "name one of its events");
  return term;
}

CounterMetric metric_of(Json const& table, GroupText const& read, CounterGroup const& group) {
  read.known_keys(table, {"name", "of", "per", "unit"}, "a metric");
  CounterMetric m;
  m.name = read.text(table, "name", "a metric");
  m.unit = read.text(table, "unit", m.name);
  for (Json const& item : table["of"].items()) m.of.push_back(term_of(item.as_string().value_or(""), read, group));
  auto const& per = table["per"].items();
  bool const lines = per.size() == 1 && per.front().as_string() == "line";
  if (!lines)
    for (Json const& item : per) m.per.push_back(term_of(item.as_string().value_or(""), read, group));
  if (m.of.empty() || (m.per.empty() && !lines))
    read.fail(fmt::format("metric '{}' is no ratio", m.name), "give 'of' and 'per' (\"line\" for each line cleared)");
  return m;
}

Json terms(std::vector<CounterMetric::Term> const& all) {
  Json out = Json::array();
  for (auto const& term : all)
    out.push(term.factor == 1 ? Json(term.event) : Json(fmt::format("{}*{}", term.factor, term.event)));
  return out;
}

}  // namespace

std::string to_string(KnownTraffic traffic) { return word_of(traffics, traffic); }

CounterGroup parse_counter_group(std::string_view text, std::string_view microarchitecture, std::string_view name,
                                 std::string_view where) {
  GroupText const read(where);
  Json const table = parse_toml(text, where);
  read.known_keys(table, {"question", "kind", "pmu", "libpfm", "source", "events", "metrics"}, "the group");
  CounterGroup g;
  g.microarchitecture = microarchitecture;
  g.name = name;
  g.question = read.text(table, "question", "the group");
  g.kind = read.text(table, "kind", "the group");
  read.one_of(g.kind, kinds, "kind");
  g.pmu = read.text(table, "pmu", "the group");
  g.libpfm = read.text_or(table, "libpfm", "the group", "");
  g.source = read.text(table, "source", "the group");
  std::set<std::string> seen;
  for (Json const& event : table["events"].items()) {
    g.events.push_back(event_of(event, read));
    if (!seen.insert(g.events.back().name).second)
      read.fail(fmt::format("event '{}' stands twice", g.events.back().name), "keep one");
    if (g.events.back().verified == "libpfm" && g.libpfm.empty())
      read.fail(fmt::format("'{}' is verified by libpfm, and the group names no PMU of it", g.events.back().name),
                "give 'libpfm'");
  }
  if (g.events.empty()) read.fail("the group has no event", "add [[events]]");
  for (Json const& metric : table["metrics"].items()) g.metrics.push_back(metric_of(metric, read, g));
  if (g.metrics.empty()) read.fail("the group has no metric", "add [[metrics]]: what its events say as a ratio");
  return g;
}

Json to_json(CounterGroup const& g) {
  Json events = Json::array(), metrics = Json::array();
  for (CounterEvent const& e : g.events)
    events.push(Json::object({{"name", e.name},
                              {"code", fmt::format("{:#x}", e.code)},
                              {"verified", e.verified},
                              {"level", e.level.empty() ? Json() : Json(e.level)},
                              {"traffic", to_string(e.traffic)},
                              {"per_unit", e.per_unit},
                              {"not", e.not_meant}}));
  for (CounterMetric const& m : g.metrics)
    metrics.push(Json::object({{"name", m.name},
                               {"of", terms(m.of)},
                               {"per", m.per.empty() ? Json::array({"line"}) : terms(m.per)},
                               {"unit", m.unit}}));
  return Json::object({{"group", g.id()},
                       {"question", g.question},
                       {"kind", g.kind},
                       {"pmu", g.pmu},
                       {"libpfm", g.libpfm.empty() ? Json() : Json(g.libpfm)},
                       {"source", g.source},
                       {"events", std::move(events)},
                       {"metrics", std::move(metrics)}});
}

bool matches(std::string_view pattern, std::string_view name) {
  auto const star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  auto const word = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  for (std::size_t end = star;; ++end) {
    if (matches(pattern.substr(star + 1), name.substr(end))) return true;
    if (end >= name.size() || !word(name[end])) return false;
  }
}

}  // namespace folioscope
