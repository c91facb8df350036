// SPDX-License-Identifier: Apache-2.0
// Model-specific registers through the msr device: eight bytes read or written at the register's number as offset
// (Linux, msr(4)). Internal to changes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "terms/error.hpp"

namespace folioscope {

struct RegisterPlace {
  std::string device;
  std::uint32_t number = 0;
};
/// "/dev/cpu/0/msr#0x1a4"; nullopt for paths of another form.
std::optional<RegisterPlace> register_in(std::string_view path);
/// "0x0000000000000001"; nullopt where it cannot be read.
std::optional<std::string> read_register(RegisterPlace const& place);
std::optional<Refusal> write_register(RegisterPlace const& place, std::string_view value);

}  // namespace folioscope
