// SPDX-License-Identifier: Apache-2.0
#include "machine/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace folioscope {
namespace {

/// More names than any folder we list has; a hostile tree cannot make us collect without end.
constexpr std::size_t most_names = 1 << 16;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  int operator*() const { return fd_; }

 private:
  int fd_;
};

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

std::string cleaned(std::string text) {
  for (char& c : text)
    if (!is_printable(c) && c != '\n' && c != '\t') c = '?';
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

}  // namespace

SystemFiles::SystemFiles(std::filesystem::path const& root) {
  if (root.empty()) return;
  std::error_code error;
  root_ = std::filesystem::canonical(root, error);
  // A root that is not there must not turn into the live machine: every look-up below it fails instead.
  if (error) root_ = root.is_absolute() ? root : std::filesystem::path("/nonexistent") / root;
}

std::optional<std::filesystem::path> SystemFiles::inside(std::string_view path) const {
  if (live()) return std::filesystem::path(path);
  std::error_code error;
  auto const real = std::filesystem::canonical(root_.native() + std::string(path), error);
  if (error) return std::nullopt;
  auto const& root = root_.native();
  if (root == "/") return real;
  auto const& text = real.native();
  if (text.starts_with(root) && (text.size() == root.size() || text[root.size()] == '/')) return real;
  return std::nullopt;
}

std::optional<std::string> SystemFiles::read(std::string_view path, std::size_t limit, bool whole) const {
  auto const real = inside(path);
  if (!real) return std::nullopt;
  // A FIFO below a sysroot must not block, nor a terminal become ours.
  Descriptor const file(::open(real->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (*file < 0 || ::fstat(*file, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string content;
  std::size_t const wanted = limit + (whole ? 1 : 0);
  while (content.size() < wanted) {
    std::size_t const before = content.size();
    content.resize(std::min(wanted, before + 16384));
    auto const got = ::read(*file, content.data() + before, content.size() - before);
    if (got < 0) return std::nullopt;
    content.resize(before + static_cast<std::size_t>(got));
    if (got == 0) break;
  }
  if (content.size() > limit) return std::nullopt;
  return content;
}

std::optional<std::string> SystemFiles::bytes(std::string_view path, std::size_t limit) const {
  return read(path, limit, true);
}

std::optional<std::string> SystemFiles::text(std::string_view path, std::size_t limit) const {
  auto content = read(path, limit, true);
  if (content) *content = cleaned(std::move(*content));
  return content;
}

std::optional<std::string> SystemFiles::start_of(std::string_view path, std::size_t length) const {
  auto content = read(path, length, false);
  if (content) *content = cleaned(std::move(*content));
  return content;
}

std::optional<std::uint64_t> SystemFiles::number(std::string_view path) const {
  auto const content = text(path, 128);
  return content ? parse_number(trimmed(*content)) : std::nullopt;
}

bool SystemFiles::exists(std::string_view path) const {
  auto const real = inside(path);
  std::error_code error;
  return real && std::filesystem::exists(*real, error);
}

std::vector<std::string> SystemFiles::names(std::string_view folder) const {
  std::vector<std::string> found;
  auto const real = inside(folder);
  if (!real) return found;
  std::error_code error;
  std::filesystem::directory_iterator entry(*real, error);
  for (; !error && entry != std::filesystem::directory_iterator() && found.size() < most_names; entry.increment(error))
    if (auto name = entry->path().filename().string(); std::ranges::all_of(name, is_printable))
      found.push_back(std::move(name));
  std::ranges::sort(found);
  return found;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) != std::string_view::npos;) {
    auto const end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<std::string> value_of_key(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = text.substr(0, end);
    auto const colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
      return std::string(trimmed(line.substr(colon + 1)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<std::string> bracketed(std::string_view text) {
  auto const open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  auto const close = text.find(']', open);
  if (close == std::string_view::npos || close == open + 1) return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

}  // namespace folioscope
