// SPDX-License-Identifier: Apache-2.0
#include "usable.hpp"

#include <system_error>

#if defined(FOLIOSCOPE_HAS_MACHINE)
#include "machine/machine.hpp"
#else
#include <fstream>
#include <sstream>
#endif

namespace folioscope {

Features const& usable_features() {
#if defined(FOLIOSCOPE_HAS_MACHINE)
  static Features const features = read_machine().features;
#else
  static Features const features = [] {
    Features found;
    for (auto const* name :
         {"sse2", "avx2", "avx512f", "erms", "rep_good", "clzero", "movdir64b", "zva", "sve", "mops", "mte"})
      found.status[name] = {false, "not in /proc/cpuinfo"};
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (!line.starts_with("flags")) continue;
      std::istringstream words(line);
      for (std::string word; words >> word;)
        if (found.status.contains(word)) found.status[word] = {true, ""};
      break;
    }
    return found;
  }();
#endif
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
