// SPDX-License-Identifier: Apache-2.0
#include "disassembly.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace folioscope {
namespace {

bool starts_with_any(std::string_view text, auto const& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// "  a9:\tvmovdqa64 %zmm0,(%rdi)  # comment" without address and comment.
Instruction parse_instruction(std::string text) {
  constexpr std::array<std::string_view, 10> prefixes{"rep",    "repz", "repnz", "lock",    "bnd",
                                                      "data16", "cs",   "ds",    "notrack", "addr32"};
  text.resize(std::min(text.find(" #"), text.size()));
  text.resize(std::min(text.find("//"), text.size()));
  std::istringstream words(text);
  Instruction instruction;
  while (words >> instruction.mnemonic && std::ranges::find(prefixes, instruction.mnemonic) != prefixes.end()) continue;
  std::getline(words >> std::ws, instruction.operands);
  while (!instruction.operands.empty() && std::isspace(static_cast<unsigned char>(instruction.operands.back())))
    instruction.operands.pop_back();
  return instruction;
}

/// AT&T syntax: the destination is last; commas inside parentheses do not separate operands.
std::string_view last_operand(std::string_view operands) {
  int depth = 0;
  for (auto i = operands.size(); i-- > 0;) {
    if (operands[i] == ')') ++depth;
    if (operands[i] == '(') --depth;
    if (operands[i] == ',' && depth == 0) return operands.substr(i + 1);
  }
  return operands;
}

}  // namespace

std::vector<Function> read_disassembly(std::string const& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Function> functions;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with(">:")) {
      auto const open = line.find('<');
      functions.push_back({line.substr(open + 1, line.size() - open - 3), {}, {}});
      continue;
    }
    auto const tab = line.find('\t');
    if (tab == std::string::npos || functions.empty()) continue;
    if (auto const kind = line.find(": R_"); kind != std::string::npos)
      functions.back().references.push_back(line.substr(line.find_last_of(" \t") + 1));
    else if (line.find(':') < tab)
      functions.back().instructions.push_back(parse_instruction(line.substr(tab + 1)));
  }
  return functions;
}

std::optional<StoreKind> store_of_x86(Instruction const& instruction) {
  // Their last operand may be memory, and is only read, hinted at or jumped to.
  constexpr std::array<std::string_view, 9> no_stores{"cmp",      "test", "nop", "j",      "call",
                                                      "prefetch", "bt",   "ret", "clflush"};
  std::string_view const mnemonic = instruction.mnemonic;
  auto const to = last_operand(instruction.operands);
  bool const memory = to.find('(') != std::string_view::npos;
  if (mnemonic.starts_with("clzero")) return StoreKind::zeroing;
  if (mnemonic.starts_with("movdir")) return StoreKind::non_temporal;
  if (to.find("%es:") != std::string_view::npos && starts_with_any(mnemonic, std::array{"stos", "movs"}))
    return StoreKind::string;
  if (!memory || starts_with_any(mnemonic, no_stores)) return std::nullopt;
  if (starts_with_any(mnemonic, std::array{"movnt", "vmovnt"})) return StoreKind::non_temporal;
  if (to.find("(%rsp") != std::string_view::npos || to.find("(%rbp)") != std::string_view::npos) return std::nullopt;
  return StoreKind::plain;
}

std::optional<StoreKind> store_of_aarch64(Instruction const& instruction) {
  // FEAT_MOPS: {SET,SETG,CPY,CPYF} x {P,M,E} x hints. SETF8 and SETF16 set flags.
  constexpr std::array<std::string_view, 12> string_stores{"setp", "setm", "sete", "setgp", "setgm", "setge",
                                                           "cpyp", "cpym", "cpye", "cpyfp", "cpyfm", "cpyfe"};
  std::string_view const mnemonic = instruction.mnemonic;
  std::string_view const operands = instruction.operands;
  if (mnemonic == "dc" && starts_with_any(operands, std::array{"zva", "gzva"})) return StoreKind::zeroing;
  if (starts_with_any(mnemonic, std::array{"stzg", "stz2g"})) return StoreKind::zeroing;
  if (starts_with_any(mnemonic, string_stores)) return StoreKind::string;
  if (!mnemonic.starts_with("st")) return std::nullopt;
  if (operands.find("[sp") != std::string_view::npos || operands.find("[x29") != std::string_view::npos)
    return std::nullopt;
  if (starts_with_any(mnemonic, std::array{"stnp", "stnt1"})) return StoreKind::hint;
  return StoreKind::plain;
}

}  // namespace folioscope
