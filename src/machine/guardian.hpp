// SPDX-License-Identifier: Apache-2.0
// The two processes of run_guarded and what they say to each other: the child sends "path TAB value" and changes
// nothing before the guardian has answered that it is in the journal. Internal to changes.
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "machine/changes.hpp"
#include "machine/journal.hpp"

namespace folioscope {

/// Blocks the signals that end programs, and SIGCHLD, while it lives.
class SignalMask {
 public:
  SignalMask();
  ~SignalMask();
  SignalMask(SignalMask const&) = delete;
  SignalMask& operator=(SignalMask const&) = delete;
  void lift() const;  ///< in the child: the mask as it was

 private:
  sigset_t before_;
};

/// Child: asks the guardian to hold a setting; why it did not, or nullopt.
std::optional<std::string> hold(int guardian, OldSetting const& setting);
/// Child: an orderly stop (SIGTERM) when the guardian dies.
void end_with(pid_t guardian);
bool guardian_gone(pid_t guardian);

/// Guardian: holds what the child sends until it has ended; its exit status, or 128 + signal.
int guard(pid_t child, int socket, Journal& journal);

}  // namespace folioscope
