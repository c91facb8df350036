// SPDX-License-Identifier: Apache-2.0
#include "probe/ground.hpp"

#include <sys/mman.h>

#include <fstream>

namespace folioscope {
namespace {

constexpr std::uint64_t smallest_ground = 4096;

std::uint64_t huge_page_bytes() {
  std::uint64_t size = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> size;
  return size ? size : (2_MiB).value;
}

}  // namespace

Ground::Ground(Bytes wanted) {
  auto const align = huge_page_bytes();
  for (auto size = wanted.value; size >= smallest_ground; size /= 2) {
    length_ = size + align;
    void* p = mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) continue;
    mapping_ = p;
    begin_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(p) + align - 1) / align * align);
    size_ = Bytes(size);
    madvise(begin_, size, MADV_HUGEPAGE);  // a wish: what is measured is as seen, with the pages that Linux gave
    return;
  }
}

Ground::~Ground() {
  if (mapping_) munmap(mapping_, length_);
}

}  // namespace folioscope
