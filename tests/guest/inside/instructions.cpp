// SPDX-License-Identifier: Apache-2.0
// Counts, through perf_event, the user instructions that each kernel retires per 4 KiB, and prints one line a kernel.
// Under an emulator's instruction-counting clock the counts are exact; tests/guest/run holds them against each kernel's
// own loop.
#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "kernels/kernel.hpp"
#include "machine/machine.hpp"
#include "tests/cross/on_arm64.hpp"

namespace folioscope {
namespace {

constexpr std::size_t small = 64u << 10;
constexpr std::size_t large = 128u << 10;
constexpr std::size_t chunk = 4u << 10;

int open_instructions() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

std::uint64_t read_count(int event) {
  std::uint64_t count = 0;
  if (read(event, &count, sizeof count) != sizeof count) return 0;
  return count;
}

std::uint64_t count_call(int event, Kernel const& kernel, std::byte* to, std::byte const* from, std::size_t n) {
  auto const before = read_count(event);
  if (kernel.clear)
    kernel.clear(to, n);
  else
    kernel.copy(to, from, n);
  return read_count(event) - before;
}

/// What the loop adds for each further 4 KiB: the call, its prologue and the reads of the counter cancel out.
double per_chunk(int event, Kernel const& kernel, std::byte* to, std::byte const* from) {
  for (auto n : {large, small}) count_call(event, kernel, to, from, n);  // resolves libc's choices, touches the stack
  auto const less = count_call(event, kernel, to, from, small);
  auto const more = count_call(event, kernel, to, from, large);
  return (static_cast<double>(more) - static_cast<double>(less)) /
         (static_cast<double>(large - small) / static_cast<double>(chunk));
}

int count_all() {
  int const event = open_instructions();
  if (event < 0) {
    fmt::print("no counter: {}\n", std::strerror(errno));
    return 1;
  }
  auto const machine = read_machine();
  auto const map = [] {
    auto* p = mmap(nullptr, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
  };
  auto* const to = map();
  auto* const from = map();
  if (!to || !from) return 1;
  fmt::print("zva_block {}\n", machine.features.zva_block.value_or(Bytes(0)).value);
  fmt::print("vector_bytes {}\n", vector_bytes());
  for (auto const& kernel : kernel_catalogue()) {
    if (auto const refusal = refuse(kernel.contract, machine.features))
      fmt::print("refused {} {}\n", kernel.contract.name, refusal->reason);
    else
      fmt::print("counted {} {}\n", kernel.contract.name, per_chunk(event, kernel, to, from));
  }
  return 0;
}

}  // namespace
}  // namespace folioscope

int main() { return folioscope::count_all(); }
