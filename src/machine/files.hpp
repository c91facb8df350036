// SPDX-License-Identifier: Apache-2.0
// Reads the small text files of /sys, /proc and /etc, live or below a sysroot. Below a sysroot nothing outside of it is
// ever opened. What is missing, unreadable, too large or no regular file is "unknown": nullopt, never an exception.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace folioscope {

class SystemFiles {
 public:
  /// An empty root is the live machine.
  explicit SystemFiles(std::filesystem::path const& root = {});
  bool live() const { return root_.empty(); }

  /// The whole file, NUL and all. A file longer than `limit` is unknown.
  std::optional<std::string> bytes(std::string_view path, std::size_t limit = 1 << 16) const;
  /// As bytes, without trailing white space, and with every byte that is no printable ASCII replaced by '?'.
  std::optional<std::string> text(std::string_view path, std::size_t limit = 1 << 16) const;
  /// The start of a file that may be longer, at most `length` bytes, cleaned as text is.
  std::optional<std::string> start_of(std::string_view path, std::size_t length) const;
  /// A whole decimal or 0x number and nothing else.
  std::optional<std::uint64_t> number(std::string_view path) const;
  bool exists(std::string_view path) const;
  /// Names in a folder, sorted, without those that hold a byte that is no printable ASCII (Linux makes none, and they
  /// go on into facts); empty when there is none.
  std::vector<std::string> names(std::string_view folder) const;

 private:
  /// Where the path really is, or nullopt when it leads out of the root.
  std::optional<std::filesystem::path> inside(std::string_view path) const;
  std::optional<std::string> read(std::string_view path, std::size_t limit, bool whole) const;

  std::filesystem::path root_;
};

/// A whole decimal, or 0x hexadecimal, number.
std::optional<std::uint64_t> parse_number(std::string_view text);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);
/// Each line of "key<spaces>:<spaces>value" text, for example of /proc/meminfo: the first value of that key.
std::optional<std::string> value_of_key(std::string_view text, std::string_view key);
/// "always [madvise] never" gives "madvise"; text without brackets gives nullopt.
std::optional<std::string> bracketed(std::string_view text);

}  // namespace folioscope
