// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/processes.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "backing/mapping.hpp"
#include "measure/crew.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

// Others wait no longer for one that died before the start.
constexpr double patience_ns = 20e9;

/// Memory that parent and children share: who has arrived, and a slot each behind it.
class SharedBoard {
 public:
  explicit SharedBoard(std::size_t processes) : length_(slots_at + processes * sizeof(TaskTimes)) {
    memory_ = mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ != MAP_FAILED) new (memory_) std::atomic<std::uint32_t>(0);
  }
  ~SharedBoard() {
    if (memory_ != MAP_FAILED) munmap(memory_, length_);
  }
  SharedBoard(SharedBoard const&) = delete;
  SharedBoard& operator=(SharedBoard const&) = delete;
  bool made() const { return memory_ != MAP_FAILED; }
  std::atomic<std::uint32_t>& arrived() const { return *static_cast<std::atomic<std::uint32_t>*>(memory_); }
  /// Zeros to begin with, as fresh memory is.
  TaskTimes& slot(std::size_t i) const {
    return reinterpret_cast<TaskTimes*>(static_cast<std::byte*>(memory_) + slots_at)[i];
  }

 private:
  static constexpr std::size_t slots_at = 128;
  std::size_t length_;
  void* memory_;
};

bool wait_for_all(std::atomic<std::uint32_t>& arrived, std::size_t processes, Clock const& clock) {
  ++arrived;
  std::uint64_t const begun = ticks();
  while (arrived.load(std::memory_order_acquire) < processes)
    if (static_cast<double>(ticks() - begun) * clock.ns_per_tick > patience_ns) return false;
  return true;
}

void run_child(std::size_t i, std::span<unsigned const> cpus, Clock const& clock, ProcessWork const& what,
               SharedBoard const& board) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  TaskTimes& slot = board.slot(i);
  CpuSet::only(cpus[i]).apply();
  int error = what.prepare(i);
  if (error == 0 && !wait_for_all(board.arrived(), cpus.size(), clock)) error = ETIMEDOUT;
  if (error == 0)
    slot = time_task(what.work, i);
  else
    slot.worked.error = error;
  _exit(slot.worked.error == 0 ? 0 : 1);
}

}  // namespace

Granted<Timed> time_processes(std::span<unsigned const> cpus, Clock const& clock, ProcessWork const& what) {
  SharedBoard const board(cpus.size());
  if (!board.made()) return Refusal{{}, "mmap: " + backing::errno_text(errno), "free memory"};
  std::vector<pid_t> children;
  int fork_error = 0;
  for (std::size_t i = 0; i < cpus.size() && fork_error == 0; ++i) {
    pid_t const child = fork();
    if (child == 0) run_child(i, cpus, clock, what, board);
    if (child < 0)
      fork_error = errno;
    else
      children.push_back(child);
  }
  int killed_by = 0;
  for (pid_t child : children) {
    if (fork_error) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) killed_by = WTERMSIG(status);
  }
  if (fork_error)
    return Refusal{{}, "fork: " + backing::errno_text(fork_error), "raise the process limit (ulimit -u, pids cgroup)"};
  if (killed_by)
    return Refusal{{},
                   fmt::format("a task was killed by signal {} ({})", killed_by, strsignal(killed_by)),
                   killed_by == SIGBUS ? "leave more free pages in the pool"
                                       : "raise the memory limit of the cgroup, or ask for less with --max-memory"};
  return sum_of(std::span(&board.slot(0), cpus.size()), clock);
}

}  // namespace folioscope
