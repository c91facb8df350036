// SPDX-License-Identifier: Apache-2.0
#include "terms/error.hpp"

namespace folioscope {
namespace {

// Text from files may hold anything; an error stays one line and cannot drive the terminal.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

std::string join(std::string const& what, std::string const& where, std::string const& remedy) {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!remedy.empty()) line += "; " + remedy;
  return one_line(std::move(line));
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): made once, when all else is over
Error::Error(std::string what, std::string where, std::string remedy, ExitStatus status)
    : std::runtime_error(join(what, where, remedy)), status_(status) {}

}  // namespace folioscope
