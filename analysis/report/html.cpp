// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include "terms/json.hpp"

namespace folioscope {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char const c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  return out;
}

std::string inside_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    std::string_view const rest = json.substr(i);
    if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      out += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (json[i] == '<') {
      out += "\\u003c";
    } else if (json[i] == '>') {
      out += "\\u003e";
    } else if (json[i] == '&') {
      out += "\\u0026";
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string json_string(std::string_view text) { return inside_script(Json(text).dump()); }

}  // namespace folioscope
