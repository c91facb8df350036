// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP ask for an orderly end. Before there is work to keep the program ends at once with the
// status of a stopped one; then the flag is set and the work so far is kept. One that comes a second or more after the
// first ends at once; sooner it is the same wish again: a terminal, a guardian or `timeout` may send it twice.
#pragma once
#include <atomic>

namespace folioscope::cli {

class StopSignals {
 public:
  StopSignals();   ///< installs the handlers; a signal that was ignored stays so (nohup)
  ~StopSignals();  ///< puts the default ones back
  StopSignals(StopSignals const&) = delete;
  StopSignals& operator=(StopSignals const&) = delete;
  void work_begins();  ///< from now on there is something to keep
  std::atomic<bool> const& flag() const;
};

}  // namespace folioscope::cli
