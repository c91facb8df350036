// SPDX-License-Identifier: Apache-2.0
#include "explain/hypothesis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "terms/cell.hpp"
#include "terms/embedded.hpp"
#include "terms/error.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace embedded {
std::span<EmbeddedFile const> hypothesis_data();
}

namespace {

constexpr Word<Measure> measures[] = {{Measure::time, "time"},   {Measure::start, "start"}, {Measure::call, "call"},
                                      {Measure::lines, "lines"}, {Measure::count, "count"}, {Measure::probe, "probe"},
                                      {Measure::miss, "miss"},   {Measure::linux, "linux"}};
constexpr std::array selector_keys{"run",     "call",     "kernel", "state",  "backing",    "footprint",
                                   "threads", "prefetch", "fence",  "target", "prefetchers"};
constexpr std::array hypothesis_keys{"name", "title", "claim", "rule", "counters", "experiment", "unseen", "predicts"};
constexpr std::array contrast_keys{"what",  "cell",  "over",          "relative",      "quantity",
                                   "above", "below", "refuted_below", "refuted_above", "optional"};

template <std::size_t n>
void only(Json const& entry, std::array<char const*, n> const& known, std::string const& where) {
  for (auto const& [key, value] : entry.members())
    if (std::ranges::find(known, key) == known.end())
      throw Error(fmt::format("unknown key '{}'", key), where, "the head of hypotheses.toml lists the keys");
}

std::string text_of(Json const& entry, char const* key, std::string const& where, bool required) {
  if (!entry.contains(key) && !required) return {};
  auto const text = entry[key].as_string();
  if (!text || text->empty()) throw Error(fmt::format("'{}' must be a text", key), where, "give one");
  return *text;
}

Contrast contrast_of(Json const& entry, std::string const& where) {
  only(entry, contrast_keys, where);
  Contrast c;
  c.what = text_of(entry, "what", where, true);
  c.cell = parse_selector(text_of(entry, "cell", where, true), where);
  if (entry.contains("over")) c.over = parse_selector(text_of(entry, "over", where, true), where);
  c.relative = entry["relative"].as_bool().value_or(false);
  c.optional = entry["optional"].as_bool().value_or(false);
  if (auto const quantity = text_of(entry, "quantity", where, false); !quantity.empty()) {
    auto const colon = quantity.find(':');
    auto const measure = value_of(measures, quantity.substr(0, colon));
    bool const named = measure && *measure >= Measure::count;
    if (!measure || named != (colon != std::string::npos))
      throw Error(fmt::format("'{}' is no quantity", quantity), where,
                  "write time, start, call, lines, count:EVENT, probe:LEVEL, miss:LEVEL or linux:PATH");
    c.measure = *measure;
    if (named) c.of = quantity.substr(colon + 1);
  }
  c.above = entry["above"].as_number();
  c.below = entry["below"].as_number();
  c.refuted_below = entry["refuted_below"].as_number();
  c.refuted_above = entry["refuted_above"].as_number();
  if (!c.above && !c.below) throw Error("predicts nothing", where, "give above or below");
  if ((c.refuted_below && (!c.above || *c.refuted_below > *c.above)) ||
      (c.refuted_above && (!c.below || *c.refuted_above < *c.below)))
    throw Error("is refuted by what it predicts", where, "put refuted_below under above, refuted_above over below");
  if (!c.refuted_below && !c.refuted_above)
    throw Error("nothing would contradict it", where, "give refuted_below or refuted_above");
  return c;
}

Hypothesis hypothesis_of(Json const& entry, std::string const& file) {
  Hypothesis h;
  h.name = text_of(entry, "name", file, true);
  std::string const where = file + ", " + h.name;
  only(entry, hypothesis_keys, where);
  h.title = text_of(entry, "title", where, true);
  h.claim = text_of(entry, "claim", where, true);
  h.unseen = text_of(entry, "unseen", where, false);
  h.experiment = text_of(entry, "experiment", where, false);
  if (h.experiment.empty()) h.experiment = "mechanism";
  std::string const rule = text_of(entry, "rule", where, false);
  if (!rule.empty() && rule != "all" && rule != "any")
    throw Error(fmt::format("'{}' is no rule", rule), where, "write all or any");
  h.any = rule == "any";
  for (Json const& name : entry["counters"].items())
    if (auto const text = name.as_string()) h.counters.push_back(*text);
  for (Json const& contrast : entry["predicts"].items()) h.predicts.push_back(contrast_of(contrast, where));
  if (h.predicts.empty() == h.unseen.empty())
    throw Error("needs either predictions or the reason why nothing can be seen", where, "give predicts or unseen");
  return h;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// What a selector's factor may be: words that stand for something on each machine, or what a cell may have.
bool is_value(std::string_view key, std::string_view value) {
  auto const one_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, value) != words.end();
  };
  if (key == "state") return parse_state(value).has_value();
  if (key == "backing") return parse_backing(value).has_value();
  if (key == "fence") return parse_fence(value).has_value();
  if (key == "threads") return value == "all" || value == "1";
  if (key == "target") return is_number(value) || value == "N/4";
  if (key == "footprint") return is_number(value) || parse_bytes(value).has_value();
  if (key == "run" || key == "call") return one_of({"page", "stretch", "folio"}) || parse_bytes(value).has_value();
  if (key == "prefetch") return one_of({"any", "page", "0"}) || parse_bytes(value).has_value();
  return true;
}

}  // namespace

CellSelector parse_selector(std::string_view text, std::string_view where) {
  CellSelector out;
  out.text = text;
  while (!text.empty()) {
    auto const end = std::min(text.find(' '), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    auto const equals = word.find('=');
    if (out.order.empty() && equals == std::string_view::npos) {
      out.order = word;
      continue;
    }
    std::string const key(word.substr(0, equals));
    if (equals == std::string_view::npos || equals + 1 == word.size() || out.order.empty() ||
        std::ranges::find(selector_keys, key) == selector_keys.end() ||
        !out.factors.emplace(key, word.substr(equals + 1)).second)
      throw Error(fmt::format("'{}' names no factor once", word), std::string(where),
                  "write the order, then factors such as run=64K");
    if (std::string const& value = out.factors[key]; !is_value(key, value))
      throw Error(fmt::format("'{}' is no {}", value, key), std::string(where),
                  "write it as `folioscope sweep --help` names levels; of threads 1 or all");
  }
  if (out.order.empty()) throw Error("a cell without its order", std::string(where), "begin with the order's name");
  return out;
}

std::vector<Hypothesis> parse_hypotheses(std::string_view text, std::string_view where) {
  Json const file = parse_toml(text, where);
  std::vector<Hypothesis> out;
  std::set<std::string> names;
  for (Json const& entry : file["hypothesis"].items()) {
    out.push_back(hypothesis_of(entry, std::string(where)));
    if (!names.insert(out.back().name).second)
      throw Error(fmt::format("two hypotheses named '{}'", out.back().name), std::string(where), "rename one");
  }
  return out;
}

std::vector<Hypothesis> hypotheses() {
  std::vector<Hypothesis> out;
  for (EmbeddedFile const& file : embedded::hypothesis_data())
    for (Hypothesis& h : parse_hypotheses(file.bytes, file.name)) out.push_back(std::move(h));
  return out;
}

std::string predicted_words(Contrast const& c) {
  if (c.above && c.below) return fmt::format("{:g} to {:g}", *c.above, *c.below);
  return c.above ? fmt::format("> {:g}", *c.above) : fmt::format("< {:g}", *c.below);
}

}  // namespace folioscope
