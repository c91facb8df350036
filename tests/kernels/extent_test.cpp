// SPDX-License-Identifier: Apache-2.0
// Every kernel writes all of its extent and nothing beside it, for every size and alignment that its granule allows. A
// store outside meets a guard byte, or the inaccessible page where the extent touches it.
#include <algorithm>
#include <cstring>
#include <set>

#include "terms/random.hpp"
#include "terms/ticks.hpp"
#include "usable.hpp"

namespace folioscope {
namespace {

constexpr unsigned char guard = 0xa5;
constexpr std::size_t folio = std::size_t{2} << 20;

bool all_are(unsigned char const* bytes, std::size_t n, unsigned char value) {
  return n == 0 || (bytes[0] == value && std::memcmp(bytes, bytes + 1, n - 1) == 0);
}

/// Multiples of the granule: all up to two pages where those are few, else all small ones and the neighbours of powers
/// of two; and some larger, to the folio and past it.
std::vector<std::size_t> sizes(std::size_t granule) {
  std::set<std::size_t> chosen;
  auto const two_pages = 2 * page_size();
  auto const step = std::max(granule, two_pages / 256 / granule * granule);
  for (std::size_t n = 0; n <= two_pages; n += step) chosen.insert(n);
  for (std::size_t n = 0; n <= std::min(two_pages, 136 * granule); n += granule) chosen.insert(n);
  for (std::size_t power = 2 * granule; power <= folio; power *= 2)
    if (power <= 2 * two_pages || power == 65536 || power == folio)
      chosen.insert({power - granule, power, power + granule});
  return {chosen.begin(), chosen.end()};
}

/// Where in `space` an extent of n bytes starts: at both ends, and on either side of lines and pages.
std::vector<std::size_t> starts(std::size_t space, std::size_t n, std::size_t granule) {
  std::set<std::size_t> chosen{0, space - n};
  for (std::size_t const k : {1, 2, 3, 5, 7, 8, 15, 31, 33}) chosen.insert(k * granule);
  for (std::size_t const at : {std::size_t{64}, std::size_t{128}, page_size()})
    for (std::size_t const offset : {at - std::min(at, granule), at, at + granule})
      chosen.insert(offset / granule * granule);
  std::erase_if(chosen, [&](std::size_t start) { return start > space - n; });
  return {chosen.begin(), chosen.end()};
}

using Extent = KernelTest;

TEST_P(Extent, IsWrittenWholeAndAlone) {
  auto const& kernel = *GetParam();
  auto const largest = sizes(granule()).back();
  GuardedPages const source(largest);
  Random random(largest);
  std::generate_n(source.data(), source.size(), [&] { return static_cast<unsigned char>(random()); });
  source.protect(PROT_READ);
  for (auto const n : sizes(granule())) {
    GuardedPages const pages(n + page_size());
    for (auto const start : starts(pages.size(), n, granule())) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", start = " + std::to_string(start));
      std::memset(pages.data(), guard, pages.size());
      auto* const to = pages.data() + start;
      auto const* const from = source.data() + (source.size() - n - std::min(source.size() - n, start));
      if (kernel.clear) kernel.clear(to, n);
      if (kernel.copy) kernel.copy(to, from, n);
      full_fence();
      ASSERT_TRUE(all_are(pages.data(), start, guard)) << "wrote below its extent";
      ASSERT_TRUE(all_are(to + n, pages.size() - start - n, guard)) << "wrote above its extent";
      if (kernel.copy)
        ASSERT_EQ(std::memcmp(to, from, n), 0);
      else
        ASSERT_TRUE(all_are(to, n, contract().store == StoreKind::none ? guard : 0)) << "left a byte";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Extent, testing::ValuesIn(all_kernels()), kernel_name);

TEST(GuardedPagesDeathTest, HaveAGuardOnEitherSide) {
  GuardedPages const pages(1);
  unsigned char volatile* const data = pages.data();
  EXPECT_DEATH(data[-1] = 0, "");
  EXPECT_DEATH(data[pages.size()] = 0, "");
}

}  // namespace
}  // namespace folioscope
