// SPDX-License-Identifier: Apache-2.0
#include "plan/experiment.hpp"

#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "plan/definition.hpp"

namespace folioscope {
namespace embedded {
std::span<EmbeddedFile const> experiment_data();
}
namespace {

constexpr std::size_t most_groups = 1000;
constexpr std::size_t most_words = 1000;
constexpr std::streamsize most_bytes = 1 << 20;

std::string stem(std::string_view path) {
  if (auto const slash = path.rfind('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
  if (path.ends_with(".toml")) path.remove_suffix(5);
  return std::string(path);
}

std::string read_file(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot be read", path, "`folioscope list experiments` names the built-in ones");
  std::string text(static_cast<std::size_t>(most_bytes) + 1, '\0');
  in.read(text.data(), most_bytes + 1);
  if (in.bad() || in.gcount() == 0) throw Error("cannot be read, or is empty", path, "give an experiment file");
  if (in.gcount() > most_bytes) throw Error("is larger than 1 MiB", path, "give an experiment file");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::vector<std::string> words_of(Json const& value, Place const& place) {
  std::vector<std::string> words;
  auto const add = [&](Json const& item) {
    if (auto const text = item.as_string())
      words.push_back(*text);
    else if (auto const n = item.as_integer())
      words.push_back(std::to_string(*n));
    else
      place.fail("holds something that is neither text nor a whole number", "write [\"a\", \"b\"]");
  };
  if (value.is_array())
    for (Json const& item : value.items()) add(item);
  else
    add(value);
  if (words.empty()) place.fail("is empty", "leave the key away for its standard level");
  if (words.size() > most_words)
    place.fail(fmt::format("has {} levels", words.size()), fmt::format("at most {}", most_words));
  return words;
}

Group group_of(Json const& table, std::string const& where) {
  if (!table.is_object()) Place{where}.fail("is no table", "write [[cells]] and factors below it");
  Group group = default_group();
  for (auto const& [key, value] : table.members()) {
    auto const factor = parse_factor(key);
    if (!factor) Place{where}.unknown("factor", key, factor_names());
    Place const place{fmt::format("{}.{}", where, key)};
    group.of(*factor) = words_of(value, place);
    for (std::string const& word : group.of(*factor)) check(*factor, word, place);
  }
  return group;
}

std::uint32_t count(Json const& value, std::uint32_t most, Place const& place) {
  auto const n = value.as_integer();
  if (!n || *n < 1 || *n > most) place.fail("is no whole number of at least 1", fmt::format("write 1 to {}", most));
  return static_cast<std::uint32_t>(*n);
}

std::map<std::string, std::string> options_of(Json const& value, Place const& place) {
  if (!value.is_object()) place.fail("is no table", "write [options] and names below it");
  std::map<std::string, std::string> options;
  for (auto const& [key, item] : value.members()) options[key] = item.as_string().value_or(item.dump());
  return options;
}

void set(Definition& d, std::string const& key, Json const& value, std::string const& where) {
  Place const place{where + ": " + key};
  if (key == "description") {
    d.description = value.as_string().value_or("");
    if (d.description.empty()) place.fail("is no text", "say what the experiment answers");
  } else if (key == "budget") {
    auto const text = value.as_string();
    auto const budget = text ? parse_duration(*text) : std::nullopt;
    if (!budget || budget->value <= 0) place.fail("is no duration", "write \"60s\" or \"10m\"");
    d.budget = *budget;
  } else if (key == "precision") {
    auto const precision = value.as_number();
    if (!precision || !(*precision > 0) || *precision >= 1) place.fail("is no share", "write 0.03 for 3 %");
    d.precision = *precision;
  } else if (key == "min_placements") {
    d.min_placements = count(value, 100000, place);
  } else if (key == "max_placements") {
    d.max_placements = count(value, 100000, place);
  } else if (key == "blocks_per_placement") {
    d.blocks_per_placement = count(value, 1000, place);
  } else if (key == "options") {
    d.options = options_of(value, place);
  } else if (key == "cells") {
    if (!value.is_array() || value.items().empty()) place.fail("names no group", "write at least one [[cells]]");
    if (value.items().size() > most_groups) place.fail("has too many groups", fmt::format("at most {}", most_groups));
    for (std::size_t i = 0; i < value.items().size(); ++i)
      d.groups.push_back(group_of(value.items()[i], fmt::format("{}: cells[{}]", where, i)));
  } else {
    Place{where}.unknown("key", key,
                         {"description", "budget", "precision", "min_placements", "max_placements",
                          "blocks_per_placement", "options", "cells"});
  }
}

}  // namespace

Definition define(Json const& file, std::string const& where) {
  Definition definition;
  for (auto const& [key, value] : file.members()) set(definition, key, value, where);
  if (definition.groups.empty()) throw Error("names no cells", where, "write at least one [[cells]]");
  if (definition.description.empty()) throw Error("has no description", where, "say in one sentence what it answers");
  if (definition.max_placements < definition.min_placements)
    throw Error("max_placements is less than min_placements", where, "let it be at least that");
  return definition;
}

std::span<EmbeddedFile const> experiment_files() { return embedded::experiment_data(); }

Experiment parse_experiment(std::string_view toml, std::string_view where) {
  Json const file = parse_toml(toml, where);
  Definition const definition = define(file, std::string(where));
  return {stem(where), definition.description, file, std::string(where)};
}

Experiment load_experiment(std::string_view name_or_path) {
  std::vector<std::string> names;
  for (EmbeddedFile const& file : experiment_files()) {
    names.push_back(stem(file.name));
    if (names.back() == name_or_path) return parse_experiment(file.bytes, file.name);
  }
  std::string const path(name_or_path);
  if (path.find('/') != std::string::npos || path.ends_with(".toml")) return parse_experiment(read_file(path), path);
  auto const nearest = nearest_name(path, names);
  throw UsageError(fmt::format("no experiment '{}'", path), "--experiment",
                   nearest ? fmt::format("did you mean '{}'?", *nearest)
                           : "`folioscope list experiments` names them; a file ends in .toml");
}

}  // namespace folioscope
