// SPDX-License-Identifier: Apache-2.0
#include "machine/journal.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "machine/files.hpp"

namespace folioscope {
namespace {

constexpr std::string_view magic = "folioscope-changes 1";

std::string heading() {
  return fmt::format("{}\t{}\n", magic, SystemFiles().text("/proc/sys/kernel/random/boot_id").value_or("unknown"));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto const wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  constexpr std::size_t largest = 1 << 20;
  while (text.size() < largest) {
    auto const got = ::pread(fd, part, sizeof part, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

/// Whoever can write the journal decides what root writes where.
bool safe(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 022) == 0;
}

Refusal refused(std::filesystem::path const& path, std::string reason, std::string remedy) {
  return {path.string(), std::move(reason), std::move(remedy)};
}

}  // namespace

std::string journal_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char const next = text[++i];
    out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
  }
  return out;
}

Granted<Journal> Journal::open(std::filesystem::path const& path, Wish wish) {
  if (wish == Wish::create && path.has_parent_path()) {
    std::error_code error;
    if (std::filesystem::create_directories(path.parent_path(), error))
      std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, error);
  }
  int const create = wish == Wish::create ? O_CREAT : 0;
  int const fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | create, 0600);
  if (fd < 0)
    return refused(path, std::string("cannot be opened: ") + std::strerror(errno), "give a folder that you may write");
  Journal journal(path, fd);
  if (!safe(fd)) return refused(path, "is not a file that only you may write", "look at it and remove it");
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return refused(path, "another folioscope is changing settings", "wait until it has ended");
  // Between opening and locking another run may have ended and removed the file; what is locked then has no name any
  // more.
  struct stat named {
  }, opened{};
  if (::stat(path.c_str(), &named) != 0 || ::fstat(fd, &opened) != 0 || named.st_ino != opened.st_ino ||
      named.st_dev != opened.st_dev)
    return refused(path, "another folioscope has just ended", "start again");
  if (wish == Wish::create && journal.settings().empty() && !journal.start())
    return refused(path, std::string("cannot be written: ") + std::strerror(errno), "make room on that disk");
  return journal;
}

Journal::Journal(Journal&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

bool Journal::start() {
  return ::ftruncate(fd_, 0) == 0 && ::lseek(fd_, 0, SEEK_SET) == 0 && write_all(fd_, heading()) && ::fsync(fd_) == 0;
}

std::vector<OldSetting> Journal::settings() const {
  auto const text = read_all(fd_);
  std::string_view rest = text;
  auto const first = heading();
  // After a reboot Linux has its own values again.
  if (!rest.starts_with(first)) return {};
  rest.remove_prefix(first.size());
  std::vector<OldSetting> found;
  for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    auto const line = rest.substr(0, end);
    auto const tab = line.find('\t');
    if (tab != std::string_view::npos)
      found.push_back({unescaped(line.substr(0, tab)), unescaped(line.substr(tab + 1))});
  }
  return found;
}

bool Journal::append(OldSetting const& setting) {
  return ::lseek(fd_, 0, SEEK_END) >= 0 &&
         write_all(fd_, fmt::format("{}\t{}\n", journal_text(setting.path), journal_text(setting.value))) &&
         ::fsync(fd_) == 0;
}

bool Journal::replace(std::vector<OldSetting> const& settings) {
  if (!start()) return false;
  for (auto const& setting : settings)
    if (!append(setting)) return false;
  return true;
}

void Journal::remove() { ::unlink(path_.c_str()); }

}  // namespace folioscope
