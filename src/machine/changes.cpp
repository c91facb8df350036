// SPDX-License-Identifier: Apache-2.0
#include "machine/changes.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "machine/files.hpp"
#include "machine/guardian.hpp"
#include "machine/journal.hpp"
#include "machine/registers.hpp"

namespace folioscope {
namespace {

constexpr std::size_t longest_setting = 4096;

/// Restores the newest first, so that a setting which permits another is given back after it.
std::vector<Refusal> restore_all(Journal& journal) {
  auto settings = journal.settings();
  std::vector<OldSetting> left;
  std::vector<Refusal> refusals;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting)
    if (auto refusal = write_setting(setting->path, setting->value)) {
      refusals.push_back(*refusal);
      left.insert(left.begin(), *setting);
    }
  if (left.empty())
    journal.remove();
  else
    journal.replace(left);
  return refusals;
}

}  // namespace

std::string register_setting(std::filesystem::path const& device, std::uint32_t number) {
  return fmt::format("{}#{:#x}", device.string(), number);
}

std::optional<std::string> read_setting(std::filesystem::path const& path) {
  if (auto const place = register_in(path.native())) return read_register(*place);
  auto const text = SystemFiles().bytes(path.native(), longest_setting);
  if (!text) return std::nullopt;
  if (auto selected = bracketed(*text)) return selected;
  return std::string(trimmed(*text));
}

std::optional<Refusal> write_setting(std::filesystem::path const& path, std::string_view value) {
  if (auto const place = register_in(path.native())) return write_register(*place, value);
  auto const refused = [&](char const* doing) {
    auto const reason = fmt::format("cannot be {} ('{}'): {}", doing, value, std::strerror(errno));
    return Refusal{path.string(), reason, errno == EACCES || errno == EPERM ? "run as root" : ""};
  };
  int const fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_TRUNC);
  if (fd < 0) return refused("opened");
  // Linux's settings take one write; a file that takes less is none.
  auto const wrote = ::write(fd, value.data(), value.size());
  bool const complete = wrote == static_cast<ssize_t>(value.size());
  if (wrote >= 0 && !complete) errno = EIO;
  std::optional<Refusal> refusal;
  if (!complete) refusal = refused("written");
  if (::close(fd) != 0 && !refusal) refusal = refused("written");
  return refusal;
}

Granted<ChangedSetting> Changes::set(std::filesystem::path const& given, std::string_view value) {
  auto const path = std::filesystem::absolute(given);  // the guardian may stand in another folder
  auto const refused = [&](std::string reason, std::string remedy) {
    return Refusal{path.string(), std::move(reason), std::move(remedy)};
  };
  if (guardian_ < 0) return refused(refusal_, "add --allow-system-changes");
  auto const old = read_setting(path);
  if (!old) return refused("is missing or not readable", "");
  if (std::ranges::find(held_, path.string()) == held_.end()) {
    if (auto const trouble = hold(guardian_, {path.string(), *old})) return refused(*trouble, "");
    held_.push_back(path.string());
  }
  if (auto refusal = write_setting(path, value)) return *refusal;
  return ChangedSetting{*old, read_setting(path).value_or("")};
}

struct Guarded {
  static Changes changes(int guardian, std::string refusal) { return {guardian, std::move(refusal)}; }
};

GuardedEnd run_guarded(bool allow, std::filesystem::path const& path, std::function<int(Changes&)> const& work) {
  auto const here = [&](std::string refusal) {
    auto changes = Guarded::changes(-1, std::move(refusal));
    return GuardedEnd{work(changes), {}};
  };
  if (!allow) return here("system settings are not changed without the user's word");
  auto journal = Journal::open(path, Journal::Wish::create);
  if (!journal) return here("old values cannot be kept: " + journal.refusal().subject + " " + journal.refusal().reason);
  if (!journal->settings().empty())
    return here("an earlier run left settings changed, which " + path.string() + " names; restore them first");
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return here(std::string("no guardian could be set up: ") + std::strerror(errno));
  std::fflush(nullptr);
  SignalMask const blocked;  // before the fork, so that no signal ends the guardian in between
  pid_t const guardian = ::getpid();
  pid_t const child = ::fork();
  if (child < 0) {
    ::close(ends[0]), ::close(ends[1]);
    return here(std::string("no guardian could be set up: ") + std::strerror(errno));
  }
  if (child == 0) {
    ::close(ends[0]);
    blocked.lift();
    end_with(guardian);
    auto changes = Guarded::changes(ends[1], "");
    int const status = work(changes);
    // The guardian restores; should it be gone, this process still can.
    if (guardian_gone(guardian)) restore_all(*journal);
    std::fflush(nullptr);
    ::_exit(status & 0xff);
  }
  ::close(ends[1]);
  GuardedEnd end;
  end.status = guard(child, ends[0], *journal);
  end.not_restored = restore_all(*journal);
  ::close(ends[0]);
  return end;
}

std::vector<OldSetting> leftovers(std::filesystem::path const& path) {
  auto const journal = Journal::open(path, Journal::Wish::existing);
  return journal ? journal->settings() : std::vector<OldSetting>{};
}

std::vector<Refusal> restore(std::filesystem::path const& path) {
  auto journal = Journal::open(path, Journal::Wish::existing);
  if (!journal) return {journal.refusal()};
  return restore_all(*journal);
}

std::optional<std::filesystem::path> default_journal() {
  if (::geteuid() == 0) return "/run/folioscope/changes";
  for (auto const* name : {"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"})
    if (char const* folder = std::getenv(name); folder && folder[0] == '/') {
      std::filesystem::path const base(folder);
      return std::string_view(name) == "HOME" ? base / ".local/state/folioscope/changes" : base / "folioscope/changes";
    }
  return std::nullopt;
}

}  // namespace folioscope
