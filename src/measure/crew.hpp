// SPDX-License-Identifier: Apache-2.0
// Inside a Crew: who runs where, how work is handed over, and the barrier from which a timed pass starts.
#pragma once
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "measure/measure.hpp"

namespace folioscope {

/// A set of CPUs of any size: the fixed cpu_set_t ends at 1,024.
class CpuSet {
 public:
  static CpuSet only(unsigned cpu);
  /// Of the calling thread; nullopt when Linux does not say.
  static std::optional<CpuSet> current();
  bool apply() const;  ///< to the calling thread
  bool holds_only(unsigned cpu) const;

 private:
  explicit CpuSet(std::size_t cpus) : words_((cpus + bits - 1) / bits) {}
  std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  static constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> words_;  ///< the layout that Linux documents for sched_setaffinity
};

/// All members spin: a sleeping one would start microseconds after the others.
class SpinBarrier {
 public:
  void wait(std::uint32_t members) noexcept;

 private:
  alignas(128) std::atomic<std::uint32_t> arrived_{0};
  alignas(128) std::atomic<std::uint32_t> epoch_{0};
};

struct Crew::Inside {
  Inside() = default;
  ~Inside();
  /// task(i) on members 0 to count - 1; member 0 is the calling thread. Returns when all are done. The task must not
  /// throw.
  void run(std::size_t count, std::function<void(std::size_t)> const& task);
  void work(std::size_t member);

  SpinBarrier barrier;
  std::optional<CpuSet> before;  ///< the hiring thread's own affinity
  std::thread::id hired_by;
  std::size_t members = 1;
  std::vector<std::jthread> workers;

  // Idle members sleep in the futex behind wait(): a spinning sibling would take the measured thread's core.
  std::atomic<std::uint32_t> round{0};
  std::atomic<std::uint32_t> running{0};
  std::atomic<bool> over{false};
  std::size_t wanted = 0;
  std::function<void(std::size_t)> const* task = nullptr;
};

/// Pins the calling thread and looks whether it is so.
std::optional<Refusal> pin(unsigned cpu);

}  // namespace folioscope
