// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <toml++/toml.h>
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
  try {
    return convert(toml::parse(text));
  } catch (toml::parse_error const& error) {
    auto const at = error.source().begin;
    throw Error(fmt::format("not TOML at line {}, column {}: {}", at.line, at.column, error.description()),
                std::string(where), "see `folioscope list experiments` for files to start from");
  }
}

}  // namespace folioscope
