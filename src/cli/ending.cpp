// SPDX-License-Identifier: Apache-2.0
#include "cli/ending.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <new>

namespace folioscope::cli {

int ending_here(std::function<ExitStatus()> const& work) {
  try {
    ExitStatus const status = work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw Error("the output could not be written whole", "stdout", "check the disk, the pipe or the redirection");
    return static_cast<int>(status);
  } catch (Error const& error) {
    fmt::print(stderr, "folioscope: {}\n", error.what());
    return static_cast<int>(error.status());
  } catch (std::bad_alloc const&) {
    fmt::print(stderr, "folioscope: out of memory; give a smaller --max-memory or fewer capsules\n");
  } catch (std::exception const& error) {
    fmt::print(stderr, "folioscope: {}\n", error.what());
  }
  return static_cast<int>(ExitStatus::failed);
}

}  // namespace folioscope::cli
