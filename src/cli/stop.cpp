// SPDX-License-Identifier: Apache-2.0
#include "cli/stop.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "terms/error.hpp"

namespace folioscope::cli {
namespace {

constexpr int stopping[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t same_wish_ns = 1'000'000'000;

// A signal handler can reach nothing but statics of lock-free atomic type.
std::atomic<bool> asked{false}, work{false};
std::atomic<std::int64_t> asked_at{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void on_signal(int signal) {
  if (!work) {
    constexpr std::string_view said = "folioscope: stopped before the first block; nothing was measured\n";
    [[maybe_unused]] auto const written = ::write(STDERR_FILENO, said.data(), said.size());
    ::_exit(static_cast<int>(ExitStatus::interrupted));
  }
  if (!asked.exchange(true)) {
    asked_at = now_ns();
  } else if (now_ns() - asked_at > same_wish_ns) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace

StopSignals::StopSignals() {
  asked = work = false;
  for (int const signal : stopping) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (int const signal : stopping) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == on_signal) std::signal(signal, SIG_DFL);
  }
}

void StopSignals::work_begins() { work = true; }

std::atomic<bool> const& StopSignals::flag() const { return asked; }

}  // namespace folioscope::cli
