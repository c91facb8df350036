// SPDX-License-Identifier: Apache-2.0
// Texts made safe for HTML, SVG and script elements. Everything out of a capsule passes one of these.
#pragma once
#include <string>
#include <string_view>

namespace folioscope {

/// For text and for attributes in double quotes, in HTML and XML.
std::string escaped(std::string_view text);
/// JSON that may stand inside a script element: no '<', '>', '&' and no line separators of Unicode.
std::string inside_script(std::string_view json);
/// A JSON string with its quotes, safe inside a script element.
std::string json_string(std::string_view text);

}  // namespace folioscope
