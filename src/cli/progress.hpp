// SPDX-License-Identifier: Apache-2.0
// Progress on stderr: one line rewritten in place on a terminal (done, left, time to go), a plain line every ten
// seconds elsewhere.
#pragma once
#include <string>

namespace folioscope::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  ///< clears what stands on the terminal
  ProgressLine(ProgressLine const&) = delete;
  ProgressLine& operator=(ProgressLine const&) = delete;
  /// `share` done in [0, 1]; seconds as known.
  void show(double share, double elapsed_s, double left_s, std::string const& text);
  void clear();

 private:
  bool terminal_;
  bool standing_ = false;
  double last_plain_s_ = -1e9;
};

/// "1:05" for 65 s.
std::string minutes(double seconds);

}  // namespace folioscope::cli
