// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "terms/error.hpp"
#include "terms/json.hpp"

namespace folioscope {
namespace {

template <class T>
std::string text_of(T const& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// toml++ bounds how deep values nest but not how many parts a dotted key has, and takes a table apart by recursion.
constexpr std::size_t most_parts = 32, most_brackets = 32;

/// Past the string that begins at `at`: the closing quotes, or the end of its line (of the text) where none close it.
std::size_t after_string(std::string_view text, std::size_t at) {
  char const quote = text[at];
  std::string const three(3, quote);
  bool const lines = text.substr(at, 3) == three;
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (lines ? text.substr(at, 3) == three : text[at] == quote || text[at] == '\n')
      return at + (lines ? 3 : 1);
  }
  return text.size();
}

/// The line of the first key, header or value that is deeper than any experiment or counter group needs.
std::optional<std::size_t> too_deep(std::string_view text) {
  std::size_t line = 1, parts = 1, brackets = 0;
  for (std::size_t i = 0; i < text.size();) {
    char const c = text[i];
    if (c == '"' || c == '\'') {
      std::size_t const end = after_string(text, i);
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                  text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '.' && ++parts > most_parts) return line;
    if ((c == '[' || c == '{') && ++brackets > most_brackets) return line;
    if ((c == ']' || c == '}') && brackets > 0) --brackets;
    if (std::string_view(",=[]{}\n").find(c) != std::string_view::npos) parts = 1;
    if (c == '\n') ++line;
    ++i;
  }
  return std::nullopt;
}

Json convert(toml::node const& node) {
  switch (node.type()) {
    case toml::node_type::table: {
      // toml++ sorts keys; the order in the file carries no meaning in TOML.
      Json::Object object;
      for (auto const& [key, value] : *node.as_table()) object.emplace_back(std::string(key.str()), convert(value));
      return Json(std::move(object));
    }
    case toml::node_type::array: {
      Json::Array array;
      for (auto const& value : *node.as_array()) array.push_back(convert(value));
      return Json(std::move(array));
    }
    case toml::node_type::string:
      return Json(node.as_string()->get());
    case toml::node_type::integer:
      return Json(node.as_integer()->get());
    case toml::node_type::floating_point:
      return Json(node.as_floating_point()->get());
    case toml::node_type::boolean:
      return Json(node.as_boolean()->get());
    case toml::node_type::date:
      return Json(text_of(node.as_date()->get()));
    case toml::node_type::time:
      return Json(text_of(node.as_time()->get()));
    case toml::node_type::date_time:
      return Json(text_of(node.as_date_time()->get()));
    default:
      return Json();
  }
}

}  // namespace

Json parse_toml(std::string_view text, std::string_view where) {
  if (auto const line = too_deep(text))
    throw Error(fmt::format("not read: line {} nests deeper than {} levels", *line, most_parts), std::string(where),
                "see `folioscope list experiments` for files to start from");
  try {
    return convert(toml::parse(text));
  } catch (toml::parse_error const& error) {
    auto const at = error.source().begin;
    throw Error(fmt::format("not TOML at line {}, column {}: {}", at.line, at.column, error.description()),
                std::string(where), "see `folioscope list experiments` for files to start from");
  }
}

}  // namespace folioscope
