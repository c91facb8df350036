// SPDX-License-Identifier: Apache-2.0
// In which direction does a kernel write? Its extent starts inaccessible; each fault opens the page it met and notes
// it, so the pages are listed in the order of their first store. libc's kernels are left out: their direction is libc's
// choice.
#include <csignal>

#include "usable.hpp"

namespace folioscope {
namespace {

constexpr std::size_t most_faults = 64;

// A signal handler reaches nothing but static storage.
struct Watch {
  unsigned char* start = nullptr;
  std::size_t size = 0;
  std::size_t page = 0;
  std::size_t faults = 0;
  std::size_t pages[most_faults] = {};
} watch;

void open_page(int signal, siginfo_t* info, void*) {
  auto const offset = static_cast<std::size_t>(static_cast<unsigned char*>(info->si_addr) - watch.start);
  if (offset >= watch.size || watch.faults == most_faults) {
    std::signal(signal, SIG_DFL);  // not ours: the instruction faults again, and the test dies of it
    return;
  }
  auto const page = offset / watch.page;
  watch.pages[watch.faults++] = page;
  mprotect(watch.start + page * watch.page, watch.page, PROT_READ | PROT_WRITE);
}

/// The pages of `pages` in the order in which the kernel first stores to them, for n bytes from `offset`.
std::vector<std::size_t> store_order(Kernel const& kernel, GuardedPages const& pages, std::size_t offset,
                                     std::size_t n) {
  GuardedPages const source(n);
  pages.protect(PROT_NONE);
  watch = {pages.data(), pages.size(), page_size(), 0, {}};
  struct sigaction watching = {};
  struct sigaction before = {};
  watching.sa_sigaction = open_page;
  watching.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &watching, &before);
  if (kernel.clear) kernel.clear(pages.data() + offset, n);
  if (kernel.copy) kernel.copy(pages.data() + offset, source.data(), n);
  sigaction(SIGSEGV, &before, nullptr);
  return {watch.pages, watch.pages + watch.faults};
}

using Order = KernelTest;

TEST_P(Order, OfPagesIsTheDeclaredDirection) {
  GuardedPages const pages(6 * page_size());
  std::vector<std::size_t> expected{0, 1, 2, 3, 4, 5};
  if (contract().direction == Direction::down) expected = {5, 4, 3, 2, 1, 0};
  EXPECT_EQ(store_order(*GetParam(), pages, 0, pages.size()), expected);
}

TEST_P(Order, OfNeighbouringGranulesIsTheDeclaredDirection) {
  auto const span = std::max<std::size_t>(granule(), 64);
  GuardedPages const pages(2 * page_size());
  std::vector<std::size_t> expected{0, 1};
  if (contract().direction == Direction::down) expected = {1, 0};
  EXPECT_EQ(store_order(*GetParam(), pages, page_size() - span, 2 * span), expected);
}

std::vector<Kernel const*> directed_kernels() {
  auto kernels = all_kernels();
  std::erase_if(kernels, [](Kernel const* kernel) {
    return kernel->contract.store == StoreKind::none || kernel->contract.store == StoreKind::library;
  });
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Order, testing::ValuesIn(directed_kernels()), kernel_name);

}  // namespace
}  // namespace folioscope
