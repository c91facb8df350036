// SPDX-License-Identifier: Apache-2.0
#include "cli/stop.hpp"

#include <csignal>

namespace folioscope::cli {
namespace {

// A signal handler can reach nothing but a static of lock-free atomic type.
std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  asked = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  asked = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

std::atomic<bool> const& StopSignals::flag() const { return asked; }

}  // namespace folioscope::cli
