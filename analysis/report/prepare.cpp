// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "explain/layout.hpp"
#include "report/dataset.hpp"
#include "report/figure.hpp"

namespace folioscope {
namespace {

constexpr std::size_t most_rows = 20000;  // of one figure: beyond, a browser no longer answers

bool holds(Condition const& c, Table const& table, std::vector<Value> const& row) {
  auto const field = table.field(c.field);
  if (!field) return c.kind == Condition::Kind::not_equal;
  switch (c.kind) {
    case Condition::Kind::equal:
      return as_text(row[*field]) == c.text;
    case Condition::Kind::not_equal:
      return as_text(row[*field]) != c.text;
    case Condition::Kind::present:
      return is_there(row[*field]);
  }
  return false;
}

std::string shown(Value const& v) {
  if (auto const* d = std::get_if<double>(&v)) return figure(*d);
  return std::string(as_text(v));
}

/// Fields that the specification names anywhere: {"field": NAME}.
void named_fields(Json const& json, std::set<std::string>& into) {
  for (auto const& [key, value] : json.members()) {
    if (key == "field" && value.as_string()) into.insert(*value.as_string());
    named_fields(value, into);
  }
  for (Json const& item : json.items()) named_fields(item, into);
}

struct Chosen {
  std::vector<std::vector<Value> const*> rows;
  std::vector<std::string> const* fields = nullptr;
};

Chosen choose(Figure const& f, Table const& table) {
  Chosen out;
  out.fields = &table.fields();
  for (auto const& row : table.rows())
    if (std::ranges::all_of(f.where, [&](Condition const& c) { return holds(c, table, row); }))
      out.rows.push_back(&row);
  return out;
}

std::set<std::string> values_of(Chosen const& chosen, Table const& table, std::string const& name) {
  std::set<std::string> out;
  if (auto const field = table.field(name))
    for (auto const* row : chosen.rows)
      if (is_there((*row)[*field])) out.insert(shown((*row)[*field]));
  return out;
}

std::string compose(Composed const& c, Table const& table, std::vector<Value> const& row,
                    std::set<std::string> const& varying) {
  std::string text;
  for (std::size_t i = 0; i < c.of.size(); ++i) {
    auto const field = table.field(c.of[i]);
    bool const always = i == 0 && c.field != "panel";
    if (!field || !is_there(row[*field]) || (!always && !varying.contains(c.of[i]))) continue;
    std::string const part = shown(row[*field]);
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// Panels that have too few of what they are to compare say nothing as pictures; their rows stay in the table.
std::set<std::string> bare_panels(Prepared const& out, Figure const& f) {
  std::set<std::string> bare;
  auto const panel = out.table.field("panel");
  for (auto const& [name, least] : f.panel_distinct) {
    auto const at = out.table.field(name);
    if (!panel || !at) continue;
    std::map<std::string, std::set<std::string>> values;
    for (auto const& row : out.table.rows())
      if (auto& of = values[std::string(as_text(row[*panel]))]; is_there(row[*at])) of.insert(shown(row[*at]));
    for (auto const& [which, of] : values)
      if (of.size() < least) bare.insert(which);
    if (bare.size() == values.size()) bare.clear();  // rather a poor figure than none
  }
  return bare;
}

/// Order of drawing: every campaign's first panel, then every campaign's second, as many as fit; drawn campaign by
/// campaign. However few fit, each campaign shows its first.
void choose_panels(Prepared& out, std::size_t campaigns, std::size_t most_panels, std::set<std::string> const& bare) {
  auto const panel = out.table.field("panel"), campaign = out.table.field("campaign");
  if (!panel) return;
  std::vector<std::pair<std::string, std::size_t>> found;  // panel, its rank in its campaign
  std::map<std::string, std::size_t> ranks;
  std::set<std::string> seen;
  for (auto const& row : out.table.rows()) {
    std::string name(as_text(row[*panel]));
    if (bare.contains(name) || !seen.insert(name).second) continue;
    found.emplace_back(name, ranks[campaign ? std::string(as_text(row[*campaign])) : std::string()]++);
  }
  std::size_t const most = std::max(most_panels, campaigns);
  std::size_t rank = 0, kept = 0;
  std::set<std::string> drawn;
  for (; kept < most && drawn.size() < found.size(); ++rank)
    for (auto const& [name, r] : found)
      if (r == rank && kept < most && drawn.insert(name).second) ++kept;
  for (auto const& [name, r] : found)
    if (drawn.contains(name)) out.panels.push_back(name);
  out.panels_left_out = found.size() + bare.size() - out.panels.size();
}

/// A figure with more names than an eye, or the palette, tells apart shows the first of them, which stand for the
/// campaign; the other rows belong to no panel and stay in the table.
void thin_out(Prepared& out) {
  constexpr std::pair<char const*, std::size_t> limits[] = {{"series", 8}, {"row", 16}, {"column", 12}};
  auto const panel = out.table.field("panel");
  if (!panel) return;
  Table thinned(out.table.fields());
  std::map<std::string, std::set<std::string>> kept;
  for (auto row : out.table.rows()) {
    bool drawn = std::ranges::find(out.panels, as_text(row[*panel])) != out.panels.end();
    for (auto const& [name, most] : limits) {
      auto const at = out.table.field(name);
      if (!drawn || !at || !is_there(row[*at])) continue;
      auto& names = kept[name];
      std::string const text(as_text(row[*at]));
      drawn = names.contains(text) || (names.size() < most && names.insert(text).second);
      if (!drawn) ++out.rows_undrawn;
    }
    if (!drawn) row[*panel] = std::string("(not drawn)");
    thinned.add(std::move(row));
  }
  if (out.rows_undrawn) out.table = std::move(thinned);
}

/// The datasets behind the first (caches, say) have no part in the figure's factors: such a row stands in every panel
/// of its campaign.
void add_companions(Prepared& out, Table const& table, std::string const& name,
                    std::vector<std::string> const& fields) {
  auto const panel = out.table.field("panel"), campaign = out.table.field("campaign");
  if (!panel || !campaign) return;
  std::map<std::string, std::string> campaign_of;
  for (auto const& row : out.table.rows())
    campaign_of.emplace(std::string(as_text(row[*panel])), std::string(as_text(row[*campaign])));
  auto const whose = table.field("campaign");
  for (auto const& drawn : out.panels)
    for (auto const& row : table.rows()) {
      if (whose && as_text(row[*whose]) != campaign_of[drawn]) continue;
      std::vector<Value> values;
      for (auto const& field : fields) {
        auto const at = table.field(field);
        values.push_back(field == "panel" ? Value(drawn) : field == "table" ? Value(name) : at ? row[*at] : Value());
      }
      out.table.add(std::move(values));
    }
}

std::string constants_of(Figure const& f, Chosen const& chosen, Table const& table,
                         std::set<std::string> const& varying) {
  std::vector<std::string> parts;
  for (Composed const& c : f.composed)
    for (std::size_t i = c.field == "panel" ? 0 : 1; i < c.of.size(); ++i) {
      if (varying.contains(c.of[i]) || c.of[i] == "campaign") continue;
      for (auto const& value : values_of(chosen, table, c.of[i]))
        if (!value.empty() && std::ranges::find(parts, value) == parts.end()) parts.push_back(value);
    }
  std::string text;
  for (auto const& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

Prepared prepare(Figure const& f, Material const& m, std::span<Table const> tables) {
  auto const rows_of = [&](std::string const& name) -> Table const& {
    return tables[static_cast<std::size_t>(find_dataset(name) - datasets().data())];
  };
  Table const& main = rows_of(f.tables.front());
  Chosen const chosen = choose(f, main);
  Prepared out;
  out.figure = &f;
  for (auto const& c : m.explanation.campaigns)
    if (c.emulator) out.emulated = printable(*c.emulator, 30);

  std::set<std::string> varying;
  for (Composed const& c : f.composed)
    for (auto const& field : c.of)
      if (values_of(chosen, main, field).size() > 1) varying.insert(field);
  out.constants = constants_of(f, chosen, main, varying);

  std::set<std::string> wanted{"campaign", "table"};
  named_fields(f.spec, wanted);
  for (Column const& c : f.columns) wanted.insert(c.field);
  for (Composed const& c : f.composed) wanted.insert(c.field);
  for (auto const& [field, least] : f.panel_distinct) wanted.insert(field);
  std::vector<std::string> const fields(wanted.begin(), wanted.end());
  out.table = Table(fields);
  for (auto const* row : chosen.rows) {
    if (out.table.rows().size() == most_rows) break;
    std::vector<Value> values;
    for (auto const& field : fields) {
      auto const composed = std::ranges::find(f.composed, field, &Composed::field);
      auto const at = main.field(field);
      if (composed != f.composed.end())
        values.emplace_back(compose(*composed, main, *row, varying));
      else
        values.push_back(field == "table" ? Value(f.tables.front()) : at ? (*row)[*at] : Value());
    }
    out.table.add(std::move(values));
  }
  out.rows_left_out = chosen.rows.size() - out.table.rows().size();
  choose_panels(out, m.campaigns.size(), f.most_panels, bare_panels(out, f));
  thin_out(out);

  bool enough = !chosen.rows.empty();
  for (auto const& [field, least] : f.distinct) enough = enough && values_of(chosen, main, field).size() >= least;
  if (!enough) {
    out.empty = f.empty;
    return out;
  }
  for (std::size_t t = 1; t < f.tables.size(); ++t) add_companions(out, rows_of(f.tables[t]), f.tables[t], fields);
  return out;
}

}  // namespace folioscope
