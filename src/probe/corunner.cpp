// SPDX-License-Identifier: Apache-2.0
#include "probe/corunner.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <atomic>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "probe/ground.hpp"

namespace folioscope {
namespace {

/// Of the calling thread, as a set of any size: the fixed cpu_set_t ends at 1,024. Whether it holds is looked at, for a
/// sandbox may accept the call and do nothing.
bool pinned_to(unsigned cpu) {
  constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> words(cpu / word_bits + 1);
  words[cpu / word_bits] = 1ul << (cpu % word_bits);
  auto const* const set = reinterpret_cast<cpu_set_t const*>(words.data());
  return sched_setaffinity(0, words.size() * sizeof(unsigned long), set) == 0 &&
         sched_getcpu() == static_cast<int>(cpu);
}

constexpr std::uint64_t pressed_line = 64;
constexpr std::uint64_t pressed_a_step = std::uint64_t{64} * 1024;

}  // namespace

struct Corunner::Inside {
  enum Order : int { rests, works, ends };
  std::atomic<int> order{rests};
  std::atomic<bool> working{false};
  std::atomic<std::uint64_t> steps{0};
  Step step;
  std::jthread thread;

  void live() {
    for (;;) {
      order.wait(rests);
      if (order == ends) return;
      while (order == works) {
        step();
        ++steps;
        if (!working.exchange(true)) working.notify_all();
      }
      working = false;
      working.notify_all();
    }
  }
  void tell(Order what) {
    order = what;
    order.notify_all();
  }
  ~Inside() { tell(ends); }  // the thread is joined after this
};

Corunner::Corunner(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Corunner::~Corunner() = default;
Corunner::Corunner(Corunner&&) noexcept = default;
Corunner& Corunner::operator=(Corunner&&) noexcept = default;

Granted<Corunner> Corunner::hire(unsigned cpu, Step step) {
  auto inside = std::make_unique<Inside>();
  inside->step = std::move(step);
  std::promise<bool> pinned;
  auto answer = pinned.get_future();
  std::string const subject = fmt::format("co-runner on CPU {}", cpu);
  try {
    inside->thread = std::jthread([self = inside.get(), cpu, told = std::move(pinned)]() mutable {
      bool const there = pinned_to(cpu);
      told.set_value(there);
      if (there) self->live();
    });
  } catch (std::system_error const& trouble) {
    return Refusal{subject, fmt::format("its thread could not start: {}", trouble.what()), "raise the process limit"};
  }
  if (!answer.get())
    return Refusal{subject, "its thread could not be pinned there",
                   "use CPUs that this process may run on (taskset, cpuset, container limits)"};
  return Corunner(std::move(inside));
}

void Corunner::go() {
  inside_->tell(Inside::works);
  inside_->working.wait(false);
}

void Corunner::rest() {
  inside_->tell(Inside::rests);
  inside_->working.wait(true);
}

std::uint64_t Corunner::steps() const { return inside_->steps; }

Corunner::Step pressing_on(Bytes size) {
  return [ground = std::make_shared<Ground>(size), at = std::uint64_t{0}]() mutable {
    for (std::uint64_t done = 0; done < pressed_a_step; done += pressed_line) {
      *reinterpret_cast<std::uint64_t volatile*>(ground->begin() + at) =
          *reinterpret_cast<std::uint64_t volatile*>(ground->begin() + at) + 1;
      at += pressed_line;
      if (at + pressed_line > ground->size().value) at = 0;
    }
  };
}

Corunner::Step clearing(void (*clear)(void*, std::size_t), Bytes size, Bytes piece) {
  return [clear, piece, ground = std::make_shared<Ground>(size), at = std::uint64_t{0}]() mutable {
    if (at + piece.value > ground->size().value) at = 0;
    if (piece > ground->size()) return;
    clear(ground->begin() + at, piece.value);
    at += piece.value;
  };
}

std::vector<LatencyPoint> loaded_latency_curve(LatencyRequest const& request, Corunner& corunner) {
  corunner.go();
  auto curve = idle_latency_curve(request);
  corunner.rest();
  return curve;
}

}  // namespace folioscope
