// SPDX-License-Identifier: Apache-2.0
// Counts user instructions of known work through PAPI, by name and by raw code, and prints what it saw. Under an
// emulator's instruction-counting clock the counts are exact; tests/guest/run holds them against the work.
#include <fmt/core.h>

#include "counters/papi_source.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t step = 1000;
constexpr std::uint64_t instructions_a_round = 66;

/// 64 adds, a decrement and a branch a round; short enough for no timer to interrupt it, which the emulator counts
/// loosely.
void rounds(std::uint64_t n) {
  std::uint64_t value = 1;
  asm volatile("1:\n .rept 64\n add %0, %0, #1\n .endr\n subs %1, %1, #1\n b.ne 1b\n" : "+r"(value), "+r"(n) : : "cc");
}

/// What a thousand further rounds add: start, stop and their system calls cancel out.
void count(EventSource& papi, std::string const& native) {
  EventRequest request;
  request.native = native;
  request.scope = CountScope::user;
  OpenFailure failure;
  auto const set = papi.open(std::span(&request, 1), failure);
  if (!set) {
    fmt::print("refused {} {}\n", native, failure.text);
    return;
  }
  auto const counted = [&](std::uint64_t n) {
    set->start();
    rounds(n);
    auto const counts = set->stop();
    return counts.front() ? counts.front()->value : -1;
  };
  counted(step);  // resolves what is bound at first use
  double const one = counted(step), two = counted(2 * step), three = counted(3 * step);
  fmt::print("papi {} known {} second {:.0f} third {:.0f}\n", native, step * instructions_a_round, two - one,
             three - two);
}

int count_all() {
  auto const papi = papi_source();
  for (char const* native : {"arm_n1::INST_RETIRED", "perf_raw::r8"}) count(*papi, native);
  return 0;
}

}  // namespace
}  // namespace folioscope

int main() { return folioscope::count_all(); }
