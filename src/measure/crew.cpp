// SPDX-License-Identifier: Apache-2.0
#include "measure/crew.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <future>
#include <system_error>

namespace folioscope {
namespace {

inline void pause() {
#if defined(__x86_64__)
  asm volatile("pause");
#else
  asm volatile("yield");
#endif
}

}  // namespace

CpuSet CpuSet::only(unsigned cpu) {
  CpuSet set(cpu + 1);
  set.words_[cpu / bits] = 1ul << (cpu % bits);
  return set;
}

std::optional<CpuSet> CpuSet::current() {
  // EINVAL means that this Linux has more CPUs than the set can name.
  for (std::size_t cpus = 1024; cpus <= std::size_t{1} << 22; cpus *= 2) {
    CpuSet set(cpus);
    if (sched_getaffinity(0, set.bytes(), reinterpret_cast<cpu_set_t*>(set.words_.data())) == 0) return set;
    if (errno != EINVAL) break;
  }
  return std::nullopt;
}

bool CpuSet::apply() const {
  return sched_setaffinity(0, bytes(), reinterpret_cast<cpu_set_t const*>(words_.data())) == 0;
}

bool CpuSet::holds_only(unsigned cpu) const {
  int count = 0;
  for (unsigned long word : words_) count += std::popcount(word);
  return count == 1 && cpu / bits < words_.size() && (words_[cpu / bits] >> (cpu % bits) & 1) != 0;
}

std::optional<Refusal> pin(unsigned cpu) {
  std::string const subject = fmt::format("cpu {}", cpu);
  std::string const remedy = "use CPUs that this process may run on (taskset, cpuset, container limits)";
  if (!CpuSet::only(cpu).apply())
    return Refusal{subject, fmt::format("cannot pin a thread to it: {}", std::strerror(errno)), remedy};
  // A sandbox may accept the call and do nothing.
  auto const now = CpuSet::current();
  if (!now || !now->holds_only(cpu))
    return Refusal{subject, "pinning was accepted but the thread's CPU set did not change", remedy};
  if (int const at = sched_getcpu(); at != static_cast<int>(cpu))
    return Refusal{subject, fmt::format("pinning was accepted but the thread runs on CPU {}", at), remedy};
  return std::nullopt;
}

void SpinBarrier::wait(std::uint32_t members) noexcept {
  std::uint32_t const epoch = epoch_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    arrived_.store(0, std::memory_order_relaxed);
    epoch_.store(epoch + 1, std::memory_order_release);
    return;
  }
  while (epoch_.load(std::memory_order_acquire) == epoch) pause();
}

Crew::Inside::~Inside() {
  over = true;
  ++round;
  round.notify_all();
  workers.clear();
  if (before && std::this_thread::get_id() == hired_by) before->apply();
}

void Crew::Inside::work(std::size_t member) {
  for (std::uint32_t seen = 0;;) {
    round.wait(seen);
    seen = round.load();
    if (over) return;
    if (member >= wanted) continue;
    (*task)(member);
    if (--running == 0) running.notify_one();
  }
}

void Crew::Inside::run(std::size_t count, std::function<void(std::size_t)> const& what) {
  assert(count >= 1 && count <= members);
  if (count == 1) return what(0);
  task = &what;
  wanted = count;
  running = static_cast<std::uint32_t>(count - 1);
  ++round;
  round.notify_all();
  what(0);
  for (std::uint32_t left = running; left != 0; left = running) running.wait(left);
}

Crew::Crew(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Crew::~Crew() = default;
Crew::Crew(Crew&&) noexcept = default;
Crew& Crew::operator=(Crew&&) noexcept = default;
std::size_t Crew::size() const { return inside_->members; }

Granted<Crew> Crew::hire(std::span<unsigned const> cpus) {
  if (cpus.empty()) return Refusal{"threads", "no CPU was given", "name at least one allowed CPU"};
  std::vector<unsigned> sorted(cpus.begin(), cpus.end());
  std::ranges::sort(sorted);
  if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return Refusal{fmt::format("cpu {}", *twice), "two threads would share it", "name each CPU once"};

  auto inside = std::make_unique<Inside>();
  inside->before = CpuSet::current();
  inside->hired_by = std::this_thread::get_id();
  inside->members = cpus.size();
  if (auto refusal = pin(cpus[0])) return *refusal;  // ~Inside brings the old affinity back
  Inside* const self = inside.get();
  for (std::size_t i = 1; i < cpus.size(); ++i) {
    std::promise<std::optional<Refusal>> pinned;
    auto answer = pinned.get_future();
    try {
      inside->workers.emplace_back([self, i, cpu = cpus[i], told = std::move(pinned)]() mutable {
        auto refusal = pin(cpu);
        bool const ready = !refusal;
        told.set_value(std::move(refusal));
        if (ready) self->work(i);
      });
    } catch (std::system_error const& trouble) {
      return Refusal{fmt::format("{} threads", cpus.size()),
                     fmt::format("thread {} could not start: {}", i + 1, trouble.what()),
                     "raise the process limit (ulimit -u, pids cgroup) or use fewer threads"};
    }
    if (auto refusal = answer.get()) return *refusal;
  }
  return Crew(std::move(inside));
}

}  // namespace folioscope
