// SPDX-License-Identifier: Apache-2.0
// What /proc/PID/smaps says of an address range, summed over the mappings that lie in it (they split and merge).
#pragma once
#include <cstdint>
#include <istream>
#include <optional>

#include "terms/json.hpp"
#include "terms/units.hpp"

namespace folioscope::backing {

struct Smaps {
  unsigned mappings = 0;
  Bytes length;  ///< of those mappings
  Bytes rss;
  Bytes anon_huge;                   ///< AnonHugePages: mapped by PMD
  Bytes shmem_huge;                  ///< ShmemPmdMapped
  Bytes file_huge;                   ///< FilePmdMapped
  Bytes hugetlb;                     ///< Private_Hugetlb + Shared_Hugetlb; such pages are not in rss
  std::optional<Bytes> kernel_page;  ///< the smallest KernelPageSize seen
};

/// Mappings that reach outside the range are counted whole. Stops reading behind the range (each line costs Linux a
/// walk).
Smaps sum_smaps(std::istream& text, std::uintptr_t begin, std::uintptr_t end);
/// Of this process; nullopt where /proc cannot be read.
std::optional<Smaps> read_smaps(std::byte const* begin, std::byte const* end);
Json to_json(Smaps const& smaps);

}  // namespace folioscope::backing
