// SPDX-License-Identifier: Apache-2.0
#include "cli/ending.hpp"
#include "cli/text.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <new>
#include <system_error>

namespace folioscope::cli {
namespace {

Error cut_output() {
  return {"the output could not be written whole", "stdout", "check the disk, the pipe or the redirection"};
}

}  // namespace

int ending_here(std::function<ExitStatus()> const& work) {
  try {
    ExitStatus const status = work();
    // What failed has said so already, be it the output.
    if (status != ExitStatus::failed && (std::fflush(stdout) != 0 || std::ferror(stdout))) throw cut_output();
    return static_cast<int>(status);
  } catch (std::system_error const& error) {  // fmt's, of a stream that takes no more
    say("folioscope: {}\n", std::ferror(stdout) ? cut_output().what() : error.what());
  } catch (Error const& error) {
    say("folioscope: {}\n", error.what());
    return static_cast<int>(error.status());
  } catch (std::bad_alloc const&) {
    say("folioscope: out of memory; give a smaller --max-memory or fewer capsules\n");
  } catch (std::exception const& error) {
    say("folioscope: {}\n", error.what());
  }
  return static_cast<int>(ExitStatus::failed);
}

}  // namespace folioscope::cli
