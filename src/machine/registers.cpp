// SPDX-License-Identifier: Apache-2.0
#include "machine/registers.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace folioscope {
namespace {

template <class T>
std::optional<T> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  T value = 0;
  auto const end = text.data() + text.size();
  auto const [at, error] = std::from_chars(text.data() + 2, end, value, 16);
  return error == std::errc() && at == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<RegisterPlace> register_in(std::string_view path) {
  auto const mark = path.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  auto const number = hexadecimal<std::uint32_t>(path.substr(mark + 1));
  return number ? std::optional(RegisterPlace{std::string(path.substr(0, mark)), *number}) : std::nullopt;
}

std::optional<std::string> read_register(RegisterPlace const& place) {
  int const fd = ::open(place.device.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::uint64_t value = 0;
  bool const whole = ::pread(fd, &value, sizeof value, place.number) == sizeof value;
  ::close(fd);
  return whole ? std::optional(fmt::format("{:#018x}", value)) : std::nullopt;
}

std::optional<Refusal> write_register(RegisterPlace const& place, std::string_view value) {
  auto const refused = [&](std::string const& reason, char const* remedy) {
    return Refusal{fmt::format("{}#{:#x}", place.device, place.number), reason, remedy};
  };
  auto const number = hexadecimal<std::uint64_t>(value);
  if (!number) return refused(fmt::format("'{}' is no value of a register", value), "give 64 bits in hexadecimal");
  int const fd = ::open(place.device.c_str(), O_WRONLY | O_CLOEXEC);
  bool const wrote = fd >= 0 && ::pwrite(fd, &*number, sizeof *number, place.number) == sizeof *number;
  int const trouble = errno;
  if (fd >= 0) ::close(fd);
  if (wrote) return std::nullopt;
  bool const denied = trouble == EACCES || trouble == EPERM;
  return refused(fmt::format("cannot be written: {}", std::strerror(trouble)),
                 denied ? "run as root, without kernel lockdown" : "load the msr module");
}

}  // namespace folioscope
