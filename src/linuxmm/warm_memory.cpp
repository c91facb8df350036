// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/warm_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <vector>

#include "backing/smaps.hpp"
#include "backing/state.hpp"

namespace folioscope {
namespace {

constexpr double least_huge_share = 0.99;

int fill_and_give_back(std::byte* begin, Bytes length, Bytes folio, Machine const& machine, Random& random) {
  std::vector<std::byte*> folios;
  for (std::byte* at = begin; at < begin + length.value; at += folio.value) folios.push_back(at);
  make_state(State::cold, folios, folio, machine.base_page, random);
  return ::madvise(begin, length.value, MADV_DONTNEED) == 0 ? 0 : errno;
}

}  // namespace

int make_warm(std::byte* begin, Bytes length, Machine const& machine, Random& random) {
  // A mapping anew: MAP_POPULATE and splitting leave other advice behind.
  if (mmap(begin, length.value, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    return errno;
  if (::madvise(begin, length.value, MADV_HUGEPAGE) != 0) return errno;
  return fill_and_give_back(begin, length, *machine.folio, machine, random);
}

int make_warm_hugetlb(std::byte* begin, Bytes length, Bytes page, Machine const& machine, Random& random) {
  return fill_and_give_back(begin, length, page, machine, random);
}

std::optional<Refusal> not_huge(std::byte const* begin, Bytes length) {
  auto const seen = backing::read_smaps(begin, begin + length.value);
  if (!seen) return std::nullopt;
  if (static_cast<double>(seen->anon_huge.value) >= least_huge_share * static_cast<double>(length.value))
    return std::nullopt;
  return Refusal{{}, "Linux served it with smaller pages", "free memory, or compact it (/proc/sys/vm/compact_memory)"};
}

}  // namespace folioscope
