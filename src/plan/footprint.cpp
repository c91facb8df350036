// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "plan/choice.hpp"

namespace folioscope {
namespace {

std::optional<Bytes> cache_size(std::uint64_t level, Machine const& machine) {
  for (Cache const& cache : machine.caches)
    if (cache.level == level && cache.type != "instruction" && cache.size && cache.size->value != 0) return cache.size;
  return std::nullopt;
}

}  // namespace

Bytes folio_for(Backing const& backing, Machine const& machine) {
  if (backing.kind == BackingKind::hugetlb) return *backing.size;
  // A PMD entry maps what one page of 8-byte entries maps: 2 MiB at 4 KiB, 32 MiB at 16 KiB, 512 MiB at 64 KiB.
  return machine.folio.value_or(Bytes(machine.base_page.value * (machine.base_page.value / 8)));
}

Granted<Bytes> footprint_for(std::string const& word, Backing const& backing, Machine const& machine) {
  std::string const subject = "footprint " + word;
  FootprintWord const footprint = *parse_footprint(word);
  Bytes const folio = folio_for(backing, machine);
  if (footprint.kind == FootprintWord::Kind::folios) return folio * footprint.amount;
  if (footprint.kind == FootprintWord::Kind::bytes) {
    Bytes const bytes(footprint.amount);
    Bytes const unit = bytes < folio ? machine.base_page : folio;
    if (bytes.value % unit.value == 0) return bytes;
    return Refusal{subject, fmt::format("no multiple of {}", format_bytes(unit)),
                   "give whole folios, or whole base pages below one folio"};
  }
  auto const cache = cache_size(footprint.amount, machine);
  if (!cache)
    return Refusal{subject, fmt::format("the size of the L{} cache is not known here", footprint.amount),
                   "give a size instead"};
  Bytes const wanted(std::min(cache->value, std::uint64_t{1} << 40) * footprint.times / footprint.over);
  // Caches come in sizes such as 24.75 MiB: the next smaller whole number of folios, or of base pages below one folio.
  Bytes const unit = wanted < folio ? machine.base_page : folio;
  if (wanted < machine.base_page)
    return Refusal{subject, fmt::format("{} are less than a base page", format_bytes(wanted)), ""};
  return unit * (wanted / unit);
}

}  // namespace folioscope
