// SPDX-License-Identifier: Apache-2.0
// dc_gzva stores tags as well as zeros: on a PROT_MTE mapping every 16-byte granule of the extent carries the pointer's
// tag afterwards, and none beside it does.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "kernels/kernel.hpp"
#include "machine/machine.hpp"

#ifndef PROT_MTE
#define PROT_MTE 0x20
#endif

namespace folioscope {
namespace {

constexpr std::size_t granule = 16;
constexpr unsigned tag_shift = 56;

__attribute__((target("arch=armv8.5-a+memtag"))) unsigned tag_of(void const* pointer) {
  auto value = reinterpret_cast<std::uintptr_t>(pointer);
  asm volatile("ldg %0, [%1]" : "+r"(value) : "r"(pointer) : "memory");
  return static_cast<unsigned>(value >> tag_shift) & 15;
}

std::set<unsigned> tags(std::byte const* from, std::size_t n) {
  std::set<unsigned> found;
  for (std::size_t i = 0; i < n; i += granule) found.insert(tag_of(from + i));
  return found;
}

TEST(Tags, AreStoredOverTheExtentAndNowhereElse) {
  auto const machine = read_machine();
  auto const* const kernel = find_kernel("dc_gzva");
  ASSERT_NE(kernel, nullptr);
  if (auto const refusal = refuse(kernel->contract, machine.features))
    GTEST_SKIP() << refusal->subject << ": " << refusal->reason;
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const mapping = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE | PROT_MTE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  auto* const start = static_cast<std::byte*>(mapping);
  std::memset(start, 0x5a, 3 * page);
  constexpr unsigned tag = 5;
  auto* const tagged =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(start + page) | (std::uintptr_t{tag} << tag_shift));
  kernel->clear(tagged, page);
  EXPECT_EQ(tags(start, page), std::set<unsigned>{0});
  EXPECT_EQ(tags(start + page, page), std::set<unsigned>{tag});
  EXPECT_EQ(tags(start + 2 * page, page), std::set<unsigned>{0});
  munmap(mapping, 3 * page);
}

}  // namespace
}  // namespace folioscope
