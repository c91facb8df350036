// SPDX-License-Identifier: Apache-2.0
#include "machine/clock.hpp"

#include <time.h>

#include <algorithm>
#include <limits>

#include "machine/files.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr char const* current_path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

std::int64_t raw_nanoseconds() {
  timespec now{};
  // Not slewed by NTP, so that a calibration of 10 ms is not off by a correction in progress.
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct Moment {
  std::uint64_t tick = 0;
  std::int64_t nanoseconds = 0;
};

/// Both clocks at once: of several readings the one whose two ticks lie closest, so that an interrupt between them does
/// not count.
Moment moment() {
  Moment best;
  auto narrowest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 16; ++i) {
    auto const before = ticks();
    auto const now = raw_nanoseconds();
    auto const after = ticks();
    if (after < before || after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + (after - before) / 2, now};
  }
  return best;
}

/// The smallest forward step between two readings, in ticks; 0 when the counter never moved.
std::uint64_t smallest_step() {
  auto smallest = std::numeric_limits<std::uint64_t>::max();
  auto last = ticks();
  for (int i = 0; i < 10'000; ++i) {
    auto const now = ticks();
    if (now > last) smallest = std::min(smallest, now - last);
    last = now;
  }
  return smallest == std::numeric_limits<std::uint64_t>::max() ? 0 : smallest;
}

constexpr int adds_in_a_row = 64;

/// A chain of register adds, each waiting for the one before. Not with an immediate: Golden Cove and its successors add
/// small immediates while renaming, several a cycle.
void dependent_adds(int rounds) {
  std::uint64_t sum = 0, one = 1;
  for (int i = 0; i < rounds; ++i) {
#if defined(__x86_64__)
    asm volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+&r"(sum) : "r"(one) : "cc");
#else
    asm volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+&r"(sum) : "r"(one));
#endif
  }
}

}  // namespace

std::string current_clocksource() { return SystemFiles().text(current_path).value_or(""); }

Clock read_clock() {
  Clock clock;
  clock.source = current_clocksource();
  auto const start = moment();
  auto const step = smallest_step();
  constexpr std::int64_t long_enough = 8'000'000;
  auto const spent = raw_nanoseconds() - start.nanoseconds;
  if (spent < long_enough) {
    timespec const rest{0, static_cast<long>(long_enough - spent)};
    ::nanosleep(&rest, nullptr);
  }
  auto const end = moment();
  if (end.tick > start.tick && end.nanoseconds > start.nanoseconds)
    clock.ns_per_tick =
        static_cast<double>(end.nanoseconds - start.nanoseconds) / static_cast<double>(end.tick - start.tick);
  // A counter that never moved in 10,000 readings has a tick at least as long as they took.
  clock.tick = Nanoseconds(static_cast<double>(std::max<std::uint64_t>(step, 1)) * clock.ns_per_tick);
  return clock;
}

double ns_per_add(Clock const& clock) {
  constexpr int rounds = 1600;
  auto best = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 5; ++i) {
    auto const before = ticks();
    dependent_adds(rounds);
    auto const after = ticks();
    if (after > before) best = std::min(best, after - before);
  }
  if (best == std::numeric_limits<std::uint64_t>::max()) return 0;
  return static_cast<double>(best) * clock.ns_per_tick / (rounds * adds_in_a_row);
}

}  // namespace folioscope
