// SPDX-License-Identifier: Apache-2.0
#include "machine/guardian.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace folioscope {
namespace {

constexpr std::size_t longest_message = 16384;
constexpr std::string_view kept = "kept";

sigset_t watched() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int const signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2})
    ::sigaddset(&set, signal);
  return set;
}

void answer_one(int socket, Journal& journal) {
  std::array<char, longest_message> buffer;
  auto const got = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got <= 0) return;
  std::string_view const message(buffer.data(), static_cast<std::size_t>(got));
  auto const tab = message.find('\t');
  bool const safe = tab != std::string_view::npos &&
                    journal.append({unescaped(message.substr(0, tab)), unescaped(message.substr(tab + 1))});
  std::string_view const reply = safe ? kept : "the journal cannot be written";
  ::send(socket, reply.data(), reply.size(), MSG_NOSIGNAL);
}

/// A terminal sends its Ctrl-C to both processes; what somebody sends to this one alone is passed on.
void pass_on(int signals, pid_t child) {
  signalfd_siginfo info{};
  while (::read(signals, &info, sizeof info) == sizeof info) {
    bool const for_child = info.ssi_signo != SIGCHLD && info.ssi_signo != SIGPIPE;
    if (for_child && info.ssi_code <= 0) ::kill(child, static_cast<int>(info.ssi_signo));
  }
}

}  // namespace

SignalMask::SignalMask() {
  auto const set = watched();
  ::sigprocmask(SIG_BLOCK, &set, &before_);
}
SignalMask::~SignalMask() {
  // What came while the child was ending or settings were restored has been served: the guardian ends with the child's
  // status.
  auto const set = watched();
  timespec const at_once{};
  while (::sigtimedwait(&set, nullptr, &at_once) > 0 || errno == EINTR) {
  }
  lift();
}
void SignalMask::lift() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

std::optional<std::string> hold(int guardian, OldSetting const& setting) {
  auto const message = journal_text(setting.path) + "\t" + journal_text(setting.value);
  if (message.size() >= longest_message) return "its path and value are too long to keep";
  std::array<char, 128> reply;
  ssize_t got = ::send(guardian, message.data(), message.size(), MSG_NOSIGNAL);
  if (got < 0) return "the process that restores settings is gone";
  do {
    got = ::recv(guardian, reply.data(), reply.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return "the process that restores settings is gone";
  std::string const text(reply.data(), static_cast<std::size_t>(got));
  return text == kept ? std::nullopt : std::optional("its old value cannot be kept: " + text);
}

void end_with(pid_t guardian) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (guardian_gone(guardian)) ::raise(SIGTERM);
}

bool guardian_gone(pid_t guardian) { return ::getppid() != guardian; }

int guard(pid_t child, int socket, Journal& journal) {
  auto const set = watched();
  int const signals = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  bool open = true;
  for (;;) {
    int status = 0;
    // The child's end is known by waiting, not by its socket: its own children may hold that open.
    pid_t const ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno == ECHILD)) {
      if (signals >= 0) ::close(signals);
      if (ended < 0) return 1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::array<pollfd, 2> wait{{{signals, POLLIN, 0}, {open ? socket : -1, POLLIN, 0}}};
    // Without a signal descriptor the child's end is looked for ten times a second.
    ::poll(wait.data(), wait.size(), signals >= 0 ? -1 : 100);
    if (wait[1].revents & POLLIN)
      answer_one(socket, journal);
    else if (wait[1].revents & (POLLHUP | POLLERR))
      open = false;
    if (signals >= 0) pass_on(signals, child);
  }
}

}  // namespace folioscope
