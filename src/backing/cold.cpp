// SPDX-License-Identifier: Apache-2.0
#include "backing/cold.hpp"

#include "terms/ticks.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace folioscope::backing {

#if defined(__x86_64__)

std::optional<std::string> why_no_cold_stores() { return std::nullopt; }

/// 16-byte MOVNTDQ, of the x86-64 baseline. Wider ones were measured and gain nothing (27 GB/s with 16, 32 and 64 bytes
/// on Zen 4; ordinary stores with CLFLUSHOPT 20), and 64-byte ones can lower the core clock of the pass that follows.
/// Such stores wait for each page's translation, so a prefetch two pages ahead walks meanwhile: a quick sweep of a
/// guest with slow nested walks spent 52 % of its time on states instead of 55. The line that comes with it would stay
/// in a cache, stores that bypass it or not (seen on Zen 5), and is flushed.
void store_cold(std::byte* to, std::uint64_t length, std::uint64_t pattern) {
  constexpr std::uint64_t page = 4096, ahead = 2 * page;
  auto const value = _mm_set1_epi64x(static_cast<long long>(pattern));
  for (std::uint64_t done = 0; done < length; done += page) {
    std::byte* const first = to + done;
    std::byte* const end = first + (length - done < page ? length - done : page);
    if (length - done > ahead) _mm_prefetch(reinterpret_cast<char const*>(first + ahead), _MM_HINT_T0);
    for (auto* at = first; at != end; at += 64) {
      auto* line = reinterpret_cast<__m128i*>(at);
      _mm_stream_si128(line, value);
      _mm_stream_si128(line + 1, value);
      _mm_stream_si128(line + 2, value);
      _mm_stream_si128(line + 3, value);
    }
    _mm_clflush(first);
  }
}

void finish_cold_stores() { full_fence(); }

#else

namespace {

/// CTR_EL0.DminLine: log2 of the words in the smallest data cache line (Arm ARM D17.2.34).
std::uint64_t line_bytes() {
  std::uint64_t ctr;
  asm volatile("mrs %0, ctr_el0" : "=r"(ctr));
  return std::uint64_t{4} << ((ctr >> 16) & 15);
}

void flush(std::byte const* line) { asm volatile("dc civac, %0" ::"r"(line) : "memory"); }

}  // namespace

/// SCTLR_EL1.UCI and UCT decide, and Linux may emulate: a child tries, so that a SIGILL ends nobody else.
std::optional<std::string> why_no_cold_stores() {
  pid_t const child = fork();
  if (child < 0) return "cannot fork to try DC CIVAC";
  if (child == 0) {
    alignas(64) std::byte line[64]{};
    static_cast<void>(line_bytes());
    flush(line);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "cannot wait for the process that tries DC CIVAC";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return "DC CIVAC (or reading CTR_EL0) is not allowed to programs here";
}

/// A page at a time, so that lines are still near when they are flushed.
void store_cold(std::byte* to, std::uint64_t length, std::uint64_t pattern) {
  constexpr std::uint64_t step = 4096;
  auto const line = line_bytes();
  for (std::uint64_t done = 0; done < length; done += step) {
    auto const n = length - done < step ? length - done : step;
    for (std::uint64_t i = 0; i < n; i += 16)
      asm volatile("stp %1, %1, [%0]" ::"r"(to + done + i), "r"(pattern) : "memory");
    for (std::uint64_t i = 0; i < n; i += line) flush(to + done + i);
  }
}

void finish_cold_stores() { asm volatile("dsb sy" ::: "memory"); }

#endif

}  // namespace folioscope::backing
