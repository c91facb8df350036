// SPDX-License-Identifier: Apache-2.0
#include "explain/foreign.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "explain/layout.hpp"
#include "terms/embedded.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace embedded {
std::span<EmbeddedFile const> foreign_data();
}

namespace {

constexpr std::array source_keys{"name", "title", "where", "date", "machine"};
constexpr std::array figure_keys{"source",  "workload",       "arm",  "over", "value", "over_value", "unit",
                                 "rate",    "faster_percent", "note", "cell", "linux", "linux_over", "over_cell",
                                 "command", "unseen"};
constexpr std::streamsize most_table_bytes = 1 << 20;
constexpr std::size_t most_figures = 2000, most_repeats = 1000;

/// An entry with its place, for errors that say where.
struct Entry {
  Json const& value;
  std::string where;

  [[noreturn]] void fail(std::string what, std::string remedy) const {
    throw Error(std::move(what), where, std::move(remedy));
  }

  template <std::size_t n>
  void knows_only(std::array<char const*, n> const& known) const {
    if (!value.is_object()) fail("is no table", "write [[source]] and [[figure]] with keys beneath");
    for (auto const& [key, member] : value.members())
      if (std::ranges::find(known, key) == known.end())
        fail(fmt::format("unknown key '{}'", printable(key)), "the head of foreign.toml lists the keys");
  }
  std::string text(char const* key, bool required) const {
    if (!value.contains(key) && !required) return {};
    auto const text = value[key].as_string();
    if (!text || text->empty()) fail(fmt::format("'{}' must be a text", key), "give one");
    return printable(*text, 200);
  }
  double positive(Json const& number, char const* key) const {
    auto const n = number.as_number();
    if (!n || !(*n > 1e-18) || !(*n < 1e18))
      fail(fmt::format("'{}' holds what is no positive number", key), "give what was measured");
    return *n;
  }
  /// A number, or the mean of several.
  double mean(char const* key) const {
    Json const& given = value[key];
    if (!given.is_array()) return positive(given, key);
    auto const& items = given.items();
    if (items.empty() || items.size() > most_repeats)
      fail(fmt::format("'{}' has {} numbers", key, items.size()), fmt::format("give 1 to {}", most_repeats));
    double sum = 0;
    for (Json const& item : items) sum += positive(item, key);
    return sum / static_cast<double>(items.size());
  }
  std::vector<CellSelector> selectors(char const* key) const {
    std::vector<CellSelector> out;
    auto const add = [&](Json const& item) {
      auto const text = item.as_string();
      if (!text || text->empty())
        fail(fmt::format("'{}' must name a cell", key), "write the order, then factors such as run=64K");
      out.push_back(parse_selector(*text, where));
    };
    if (value[key].is_array())
      for (Json const& item : value[key].items()) add(item);
    else if (value.contains(key))
      add(value[key]);
    return out;
  }
};

/// 12.5, 8283274.75, 0.001: as short as it is, with no exponent where people would write none.
std::string plainly(double value) { return fmt::format("{:.10g}", value); }

void read_figures(Entry const& e, ForeignFigure& f) {
  if (e.value.contains("faster_percent")) {
    for (char const* other : {"value", "over_value", "unit", "rate"})
      if (e.value.contains(other))
        e.fail(fmt::format("'faster_percent' and '{}' say it twice", other), "leave one away");
    auto const more = e.value["faster_percent"].as_number();
    if (!more || !(*more > -100) || !(*more < 1e9))
      e.fail("'faster_percent' is no percentage above -100", "give how much more was done in the same time");
    f.ratio = 100 / (100 + *more);
    f.quoted = fmt::format("{:+.4g} %", *more);
    return;
  }
  double const mine = e.mean("value"), other = e.mean("over_value");
  bool const rate = e.value["rate"].as_bool().value_or(false);
  f.ratio = rate ? other / mine : mine / other;
  f.quoted = fmt::format("{} against {} {}", plainly(mine), plainly(other), e.text("unit", true));
}

void read_counterpart(Entry const& e, ForeignFigure& f) {
  f.cells = e.selectors("cell");
  auto const over = e.selectors("over_cell");
  if (over.size() > 1) e.fail("'over_cell' names several cells", "name one");
  if (!over.empty()) f.over_cell = over.front();
  f.path = e.text("linux", false);
  f.over_path = e.text("linux_over", false);
  f.command = e.text("command", false);
  f.unseen = e.text("unseen", false);
  bool const counterpart = !f.cells.empty() || !f.path.empty();
  if (counterpart == !f.unseen.empty())
    e.fail("needs either a cell or a path to stand beside, or the reason why there is none",
           "give cell, linux or unseen");
  if ((f.over_cell && f.cells.empty()) || (!f.over_path.empty() && f.path.empty()))
    e.fail("has what to divide by and nothing to divide", "give cell with over_cell, linux with linux_over");
  if (counterpart && f.command.empty()) e.fail("'command' must be a text", "say what measures it here");
}

std::string identity(ForeignFigure const& f) {
  return f.source.name + '\n' + f.workload + '\n' + f.arm + '\n' + f.over;
}

std::map<std::string, ForeignSource> sources_of(Json const& file, std::string const& where) {
  std::map<std::string, ForeignSource> out;
  std::size_t n = 0;
  for (Json const& item : file["source"].items()) {
    Entry const e{item, fmt::format("{}, source {}", where, ++n)};
    e.knows_only(source_keys);
    ForeignSource s{e.text("name", true), e.text("title", true), e.text("where", true), e.text("date", true),
                    e.text("machine", true)};
    std::string const name = s.name;
    if (!out.emplace(name, std::move(s)).second) e.fail(fmt::format("a second source '{}'", name), "rename one");
  }
  return out;
}

}  // namespace

std::vector<ForeignFigure> parse_foreign(std::string_view text, std::string_view where) {
  std::string const file_name(where);
  Json const file = parse_toml(text, where);
  for (auto const& [key, value] : file.members())
    if (key != "source" && key != "figure")
      throw Error(fmt::format("unknown key '{}'", printable(key)), file_name, "write [[source]] and [[figure]]");
  auto const sources = sources_of(file, file_name);
  std::vector<ForeignFigure> out;
  std::set<std::string> known;
  if (file["figure"].items().empty())
    throw Error("holds no figure", file_name, "write [[figure]]; docs/adding.md shows one");
  if (file["figure"].items().size() > most_figures)
    throw Error(fmt::format("holds more than {} figures", most_figures), file_name, "split it");
  for (Json const& item : file["figure"].items()) {
    Entry const e{item, fmt::format("{}, figure {}", file_name, out.size() + 1)};
    e.knows_only(figure_keys);
    ForeignFigure f;
    std::string const source = e.text("source", true);
    auto const it = sources.find(source);
    if (it == sources.end())
      e.fail(fmt::format("no source '{}'", source), "describe it with [[source]] in the same file");
    f.source = it->second;
    f.workload = e.text("workload", true);
    f.arm = e.text("arm", true);
    f.over = e.text("over", true);
    f.note = e.text("note", false);
    read_figures(e, f);
    read_counterpart(e, f);
    if (!known.insert(identity(f)).second)
      e.fail(fmt::format("'{}' stands there twice", row_words(f)), "leave one away, or name what differs");
    out.push_back(std::move(f));
  }
  return out;
}

std::vector<ForeignFigure> foreign_figures() {
  std::vector<ForeignFigure> out;
  for (EmbeddedFile const& file : embedded::foreign_data())
    for (ForeignFigure& f : parse_foreign(file.bytes, file.name)) out.push_back(std::move(f));
  return out;
}

std::vector<ForeignFigure> load_foreign(std::string const& path, std::span<ForeignFigure const> others) {
  char const* const remedy = "give a table of published figures; docs/adding.md shows one";
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot be read", path, remedy);
  std::string text(static_cast<std::size_t>(most_table_bytes) + 1, '\0');
  in.read(text.data(), most_table_bytes + 1);
  if (in.bad() || in.gcount() == 0) throw Error("cannot be read, or is empty", path, remedy);
  if (in.gcount() > most_table_bytes) throw Error("is larger than 1 MiB", path, remedy);
  text.resize(static_cast<std::size_t>(in.gcount()));
  auto own = parse_foreign(text, path);
  std::map<std::string, char const*> taken;
  for (ForeignFigure const& f : foreign_figures()) taken.emplace(identity(f), "is built in already");
  for (ForeignFigure const& f : others) taken.emplace(identity(f), "is in another table already");
  for (std::size_t i = 0; i < own.size(); ++i)
    if (auto const it = taken.find(identity(own[i])); it != taken.end())
      throw Error(fmt::format("'{}' {}", row_words(own[i]), it->second), fmt::format("{}, figure {}", path, i + 1),
                  "leave it away, or name what differs");
  return own;
}

}  // namespace folioscope
