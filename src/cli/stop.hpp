// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM ask for an orderly end: the flag is set and the work so far is kept. A second one ends at once.
#pragma once
#include <atomic>

namespace folioscope::cli {

class StopSignals {
 public:
  StopSignals();   ///< installs the handlers
  ~StopSignals();  ///< puts the old ones back
  StopSignals(StopSignals const&) = delete;
  StopSignals& operator=(StopSignals const&) = delete;
  std::atomic<bool> const& flag() const;
};

}  // namespace folioscope::cli
