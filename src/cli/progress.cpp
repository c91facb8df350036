// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"
#include "cli/text.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace folioscope::cli {
namespace {

constexpr int bar_width = 20;

int columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

bool usable_terminal() {
  char const* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term && std::string_view(term) != "dumb";
}

}  // namespace

std::string minutes(double seconds) {
  auto const s = static_cast<long>(std::lround(std::clamp(seconds, 0.0, 1e7)));
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

ProgressLine::ProgressLine() : terminal_(usable_terminal()) {}
ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(double share, double elapsed_s, double left_s, std::string const& text) {
  share = std::clamp(share, 0.0, 1.0);
  if (terminal_) {
    auto const done = static_cast<int>(share * bar_width);
    std::string line =
        fmt::format("[{}{}] {:3.0f} %  {} left  {}", std::string(static_cast<std::size_t>(done), '#'),
                    std::string(static_cast<std::size_t>(bar_width - done), '.'), share * 100, minutes(left_s), text);
    line.resize(std::min<std::size_t>(line.size(), static_cast<std::size_t>(columns() - 1)));
    say("\r\033[K{}", line);
    std::fflush(stderr);
    standing_ = true;
  } else if (elapsed_s - last_plain_s_ >= 10) {
    say("folioscope: {:.0f} % done, {} gone, {} left: {}\n", share * 100, minutes(elapsed_s), minutes(left_s), text);
    last_plain_s_ = elapsed_s;
  }
}

void ProgressLine::clear() {
  if (standing_) say("\r\033[K");
  standing_ = false;
}

}  // namespace folioscope::cli
