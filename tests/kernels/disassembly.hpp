// SPDX-License-Identifier: Apache-2.0
// The instructions of the built kernels, as objdump lists them, and how each one stores. One table of mnemonics an
// architecture.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/kernel.hpp"

namespace folioscope {

struct Instruction {
  std::string mnemonic;  ///< without prefixes
  std::string operands;
};

struct Function {
  std::string symbol;
  std::vector<Instruction> instructions;
  std::vector<std::string> references;  ///< symbols that relocations name
};

/// Throws when the file cannot be read.
std::vector<Function> read_disassembly(std::string const& path);

/// How an instruction stores to the extent; nullopt when it does not. Stores to the own stack do not count.
std::optional<StoreKind> store_of_x86(Instruction const& instruction);
std::optional<StoreKind> store_of_aarch64(Instruction const& instruction);

}  // namespace folioscope
