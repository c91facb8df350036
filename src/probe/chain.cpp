// SPDX-License-Identifier: Apache-2.0
// The whole loop is assembly: the same chain in every build, and loads that the compiler can neither drop nor reorder.
#include "probe/chain.hpp"

#include "terms/ticks.hpp"

namespace folioscope {
namespace {

/// On the chain per load: the load itself and the AND (one cycle). The offset's load and the add to base depend on
/// nothing before them and run ahead. The AND's mask is a register, so that no core can know its result without the
/// loaded value. Early clobbers, because mask and carried both start as 0: a compiler that inlines this sees equal
/// values and would give them one register.
void walk(std::byte const* base, std::uint32_t const* offset, std::uint32_t const* end, std::uint64_t& carried) {
#if defined(__x86_64__)
  std::uint64_t address;
  asm volatile(
      "1:\n\t"
      "movl (%[offset]), %k[address]\n\t"
      "addq $4, %[offset]\n\t"
      "addq %[base], %[address]\n\t"
      "movq (%[address],%[carried]), %[carried]\n\t"
      "andq %[mask], %[carried]\n\t"
      "cmpq %[end], %[offset]\n\t"
      "jne 1b"
      : [offset] "+&r"(offset), [carried] "+&r"(carried), [address] "=&r"(address)
      : [base] "r"(base), [mask] "r"(std::uint64_t{0}), [end] "r"(end)
      : "cc", "memory");
#elif defined(__aarch64__)
  std::uint64_t address;
  // The closing branch on the value makes the clock's ISB wait for the last load (Arm ARM B2.3, control dependency and
  // ISB).
  asm volatile(
      "1:\n\t"
      "ldr %w[address], [%[offset]], #4\n\t"
      "add %[address], %[address], %[base]\n\t"
      "ldr %[carried], [%[address], %[carried]]\n\t"
      "and %[carried], %[carried], %[mask]\n\t"
      "cmp %[offset], %[end]\n\t"
      "b.ne 1b\n\t"
      "cbnz %[carried], 2f\n"
      "2:"
      : [offset] "+&r"(offset), [carried] "+&r"(carried), [address] "=&r"(address)
      : [base] "r"(base), [mask] "r"(std::uint64_t{0}), [end] "r"(end)
      : "cc", "memory");
#else
#error "folioscope measures on x86-64 and arm64"
#endif
}

}  // namespace

std::uint64_t chase_ticks(std::byte const* base, std::span<std::uint32_t const> offsets, std::uint32_t rounds) {
  std::uint64_t carried = 0;
  auto const* begin = offsets.data();
  auto const* end = begin + offsets.size();
  auto const start = ticks();
  if (!offsets.empty())
    for (std::uint32_t round = 0; round < rounds; ++round) walk(base, begin, end, carried);
  return ticks() - start;
}

}  // namespace folioscope
