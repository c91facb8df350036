// SPDX-License-Identifier: Apache-2.0
#include "usable.hpp"

#include <system_error>

#include "machine/machine.hpp"

namespace folioscope {

Features const& usable_features() {
  static Features const features = read_machine().features;
  return features;
}

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::vector<Kernel const*> all_kernels() {
  std::vector<Kernel const*> kernels;
  for (auto const& kernel : kernel_catalogue()) kernels.push_back(&kernel);
  return kernels;
}

std::string kernel_name(testing::TestParamInfo<Kernel const*> const& info) { return info.param->contract.name; }

GuardedPages::GuardedPages(std::size_t at_least) : size_((at_least + page_size() - 1) / page_size() * page_size()) {
  void* const mapping =
      mmap(nullptr, size_ + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  mapping_ = static_cast<unsigned char*>(mapping);
  protect(PROT_READ | PROT_WRITE);
}

GuardedPages::~GuardedPages() { munmap(mapping_, size_ + 2 * page_size()); }

void GuardedPages::protect(int access) const {
  if (mprotect(data(), size_, access) != 0) throw std::system_error(errno, std::generic_category(), "mprotect");
}

}  // namespace folioscope
