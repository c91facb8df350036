// SPDX-License-Identifier: Apache-2.0
#include "report/figure.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "report/dataset.hpp"
#include "terms/embedded.hpp"
#include "terms/error.hpp"

namespace folioscope {

namespace embedded {
std::span<EmbeddedFile const> figures();
}

namespace {

[[noreturn]] void refuse(std::string const& what, std::string_view name) {
  throw Error(what, fmt::format("figure {}", name), "see docs/adding.md, A figure");
}

std::string text_of(Json const& meta, std::string_view key, std::string_view name) {
  auto text = meta[key].as_string();
  if (!text || text->empty()) refuse(fmt::format("usermeta.{} is not a text", key), name);
  return *text;
}

std::vector<std::string> texts_of(Json const& list, std::string_view key, std::string_view name) {
  std::vector<std::string> out;
  for (Json const& item : list.items()) {
    auto text = item.as_string();
    if (!text) refuse(fmt::format("usermeta.{} holds something else than texts", key), name);
    out.push_back(*text);
  }
  return out;
}

Condition condition_of(std::string const& field, Json const& value, std::string_view name) {
  if (auto text = value.as_string()) return {Condition::Kind::equal, field, *text};
  if (auto text = value["not"].as_string()) return {Condition::Kind::not_equal, field, *text};
  if (value["present"].as_bool() == true) return {Condition::Kind::present, field, {}};
  refuse(fmt::format("usermeta.where.{} is neither a text, {{\"not\": text}} nor {{\"present\": true}}", field), name);
}

Column column_of(Json const& json, std::string_view name) {
  Column c{text_of(json, "field", name), text_of(json, "label", name), json["unit"].as_string().value_or(""),
           json["format"].as_string().value_or("text")};
  for (char const* known : {"text", "count", "bytes", "figure"})
    if (c.format == known) return c;
  refuse(fmt::format("column {} has the unknown format '{}'", c.field, c.format), name);
}

}  // namespace

Figure parse_figure(std::string_view name, std::string_view text) {
  Json const json = parse_json(text, fmt::format("figure {}", name));
  Json const& meta = json["usermeta"];
  Figure f;
  f.name = name;
  f.title = text_of(meta, "title", name);
  f.question = text_of(meta, "question", name);
  f.empty = text_of(meta, "empty", name);
  auto const position = meta["position"].as_number();
  if (!position) refuse("usermeta.position is no number", name);
  f.position = *position;
  f.optional = meta["optional"].as_bool().value_or(false);
  if (auto const panels = meta["panels"].as_integer())
    f.most_panels = static_cast<std::size_t>(std::max<std::int64_t>(1, *panels));
  if (auto const abreast = meta["abreast"].as_integer())
    f.abreast = static_cast<std::size_t>(std::max<std::int64_t>(1, *abreast));
  f.tables = texts_of(meta["tables"], "tables", name);
  if (f.tables.empty()) refuse("usermeta.tables names no dataset", name);
  for (auto const& table : f.tables)
    if (!find_dataset(table)) refuse(fmt::format("there is no dataset '{}'", table), name);
  for (auto const& [field, value] : meta["where"].members()) f.where.push_back(condition_of(field, value, name));
  for (auto const& [field, value] : meta["distinct"].members())
    f.distinct.emplace_back(field, static_cast<std::size_t>(value.as_integer().value_or(2)));
  for (auto const& [field, value] : meta["panel_distinct"].members())
    f.panel_distinct.emplace_back(field, static_cast<std::size_t>(value.as_integer().value_or(2)));
  for (auto const& [field, value] : meta["compose"].members())
    f.composed.push_back({field, texts_of(value, field, name)});
  for (Json const& column : meta["columns"].items()) f.columns.push_back(column_of(column, name));
  if (f.columns.empty()) refuse("usermeta.columns is empty", name);
  if (!json["mark"].is_null() || !json["layer"].is_null()) {
    for (auto const& [key, value] : json.members())
      if (key != "usermeta") f.spec.set(key, value);
    if (std::ranges::find(f.composed, "panel", &Composed::field) == f.composed.end())
      refuse("usermeta.compose has no panel", name);
  }
  return f;
}

std::vector<Figure> figures() {
  std::vector<Figure> all;
  for (EmbeddedFile const& file : embedded::figures()) {
    std::string_view name = file.name.substr(file.name.find_last_of('/') + 1);
    all.push_back(parse_figure(name.substr(0, name.find('.')), file.bytes));
  }
  std::ranges::stable_sort(all, {}, &Figure::position);
  return all;
}

}  // namespace folioscope
