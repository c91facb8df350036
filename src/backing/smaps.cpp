// SPDX-License-Identifier: Apache-2.0
#include "backing/smaps.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace folioscope::backing {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// "7f12a000-7f12b000 rw-p ..."; every other line has a colon behind its first word.
std::optional<Range> header(std::string_view line) {
  Range range;
  auto const* last = line.data() + line.size();
  auto const first = std::from_chars(line.data(), last, range.begin, 16);
  if (first.ec != std::errc{} || first.ptr == last || *first.ptr != '-') return std::nullopt;
  auto const second = std::from_chars(first.ptr + 1, last, range.end, 16);
  if (second.ec != std::errc{} || second.ptr == last || *second.ptr != ' ') return std::nullopt;
  return range;
}

/// "Rss:                 2048 kB"
std::optional<Bytes> kilobytes(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of(' ', key.size() + 1), line.size()));
  std::uint64_t value = 0;
  auto const read = std::from_chars(line.data(), line.data() + line.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  return Bytes(value << 10);
}

void add(Smaps& sum, std::string_view line) {
  if (auto const v = kilobytes(line, "Rss")) sum.rss = sum.rss + *v;
  if (auto const v = kilobytes(line, "AnonHugePages")) sum.anon_huge = sum.anon_huge + *v;
  if (auto const v = kilobytes(line, "ShmemPmdMapped")) sum.shmem_huge = sum.shmem_huge + *v;
  if (auto const v = kilobytes(line, "FilePmdMapped")) sum.file_huge = sum.file_huge + *v;
  if (auto const v = kilobytes(line, "Private_Hugetlb")) sum.hugetlb = sum.hugetlb + *v;
  if (auto const v = kilobytes(line, "Shared_Hugetlb")) sum.hugetlb = sum.hugetlb + *v;
  if (auto const v = kilobytes(line, "KernelPageSize"))
    sum.kernel_page = sum.kernel_page ? std::min(*sum.kernel_page, *v) : *v;
}

}  // namespace

Smaps sum_smaps(std::istream& text, std::uintptr_t begin, std::uintptr_t end) {
  Smaps sum;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (auto const range = header(line)) {
      if (range->begin >= end) break;
      inside = range->end > begin;
      if (inside) {
        ++sum.mappings;
        sum.length = sum.length + Bytes(range->end - range->begin);
      }
    } else if (inside) {
      add(sum, line);
    }
  }
  return sum;
}

std::optional<Smaps> read_smaps(std::byte const* begin, std::byte const* end) {
  std::ifstream file("/proc/self/smaps");
  if (!file) return std::nullopt;
  auto const sum = sum_smaps(file, reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end));
  if (sum.mappings == 0) return std::nullopt;
  return sum;
}

Json to_json(Smaps const& smaps) {
  return Json::object({{"mappings", smaps.mappings},
                       {"rss_bytes", smaps.rss.value},
                       {"anon_huge_bytes", smaps.anon_huge.value},
                       {"shmem_pmd_bytes", smaps.shmem_huge.value},
                       {"file_pmd_bytes", smaps.file_huge.value},
                       {"hugetlb_bytes", smaps.hugetlb.value},
                       {"kernel_page_bytes", smaps.kernel_page ? Json(smaps.kernel_page->value) : Json()}});
}

}  // namespace folioscope::backing
