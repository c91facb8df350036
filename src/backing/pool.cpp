// SPDX-License-Identifier: Apache-2.0
#include "backing/pool.hpp"

#include <fmt/core.h>

#include <cassert>
#include <fstream>
#include <numeric>

#include "backing/evidence.hpp"
#include "backing/populate.hpp"

namespace folioscope {
namespace {

using backing::Mapping;

/// Enough that a share of 99 % is seen, few enough that looking at base pages stays in milliseconds.
constexpr unsigned kSampledUnits = 512;

/// Linux would refuse the reservation too; asking first lets the refusal say how many there are.
std::optional<Refusal> refuse_empty_hugetlb(Backing const& wanted, std::size_t folios) {
  auto const folder = fmt::format("/sys/kernel/mm/hugepages/hugepages-{}kB", wanted.size->value >> 10);
  auto const number = [&](char const* name) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    if (std::ifstream(folder + "/" + name) >> value) return value;
    return std::nullopt;
  };
  auto const free = number("free_hugepages");
  auto const reserved = number("resv_hugepages").value_or(0);
  auto const surplus = number("nr_overcommit_hugepages").value_or(0);
  if (!free) return std::nullopt;
  auto const available = (*free > reserved ? *free - reserved : 0) + surplus;
  if (available >= folios) return std::nullopt;
  return Refusal{to_string(wanted), fmt::format("{} huge pages are needed, {} are free", folios, available),
                 fmt::format("write {} or more to {}/nr_hugepages as root, or pass --allow-system-changes",
                             folios - available, folder)};
}

Granted<Mapping> map(Backing const& wanted, Bytes length, Bytes folio) {
  auto const subject = to_string(wanted);
  if (wanted.kind == BackingKind::hugetlb) return Mapping::make_hugetlb(length, folio, subject);
  auto const source = wanted.kind == BackingKind::tmpfs ? Mapping::Source::memory_file : Mapping::Source::anonymous;
  return Mapping::make(source, length, folio, subject);
}

}  // namespace

struct Pool::Inside {
  Backing backing;
  Bytes folio;
  Bytes base;
  Mapping mapping;
  std::uint64_t minor_faults = 0;
  std::optional<double> huge_before_split;
};

Pool::Pool(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Pool::~Pool() = default;
Pool::Pool(Pool&&) noexcept = default;
Pool& Pool::operator=(Pool&&) noexcept = default;

Granted<Pool> Pool::make(PoolRequest const& request, Machine const& machine) {
  auto const& wanted = request.backing;
  if (request.folios == 0) return Refusal{to_string(wanted), "a pool of no folios", "ask for one or more"};
  if (auto refusal = refuse(wanted, machine)) return *refusal;
  if (wanted.kind == BackingKind::hugetlb)
    if (auto refusal = refuse_empty_hugetlb(wanted, request.folios)) return *refusal;
  auto const folio = *folio_of(wanted, machine);
  Bytes length;
  if (__builtin_mul_overflow(folio.value, request.folios, &length.value))
    return Refusal{to_string(wanted), "a pool larger than any address space", "ask for fewer folios"};
  auto mapping = map(wanted, length, folio);
  if (!mapping) return mapping.refusal();
  auto const populated = backing::populate(*mapping, wanted, folio, machine.base_page);
  if (populated.refusal) return *populated.refusal;
  auto inside = std::make_unique<Inside>(
      Inside{wanted, folio, machine.base_page, std::move(*mapping), populated.minor_faults, {}});
  if (wanted.kind == BackingKind::thp_pte) {
    if (auto const smaps = backing::read_smaps(inside->mapping.begin(), inside->mapping.end()))
      inside->huge_before_split = static_cast<double>(smaps->anon_huge.value) / static_cast<double>(length.value);
    if (auto refusal = backing::split_translation(inside->mapping, folio, machine.base_page, to_string(wanted)))
      return *refusal;
  }
  Pool pool(std::move(inside));
  if (auto evidence = pool.verify(); evidence.refusal) return *evidence.refusal;
  return pool;
}

Backing const& Pool::backing() const { return inside_->backing; }
Bytes Pool::folio_bytes() const { return inside_->folio; }
std::size_t Pool::folios() const { return inside_->mapping.length() / inside_->folio; }

std::byte* Pool::folio(std::size_t i) const {
  assert(i < folios());
  return inside_->mapping.begin() + i * inside_->folio.value;
}

Pool::Evidence Pool::verify() const {
  backing::Sighting seen;
  seen.backing = inside_->backing;
  seen.length = inside_->mapping.length();
  seen.folio = inside_->folio;
  seen.base = inside_->base;
  seen.minor_faults = inside_->minor_faults;
  seen.huge_before_split = inside_->huge_before_split;
  seen.smaps = backing::read_smaps(inside_->mapping.begin(), inside_->mapping.end());
  auto const unit = backing::unit_of(seen.backing, seen.folio, seen.base);
  seen.frames = backing::sample_frames(inside_->mapping, unit, seen.base, kSampledUnits);
  return backing::judge(seen);
}

std::vector<std::uint64_t> Pool::frames(std::vector<std::byte*> const& folios) const {
  backing::Pagemap const pagemap;
  std::vector<std::uint64_t> out;
  out.reserve(folios.size());
  for (auto const* folio : folios) {
    auto const frame = pagemap.frames(folio, 1, inside_->base);
    if (!frame) return {};
    out.push_back(frame->front());
  }
  return out;
}

std::vector<std::byte*> draw(Pool const& pool, std::size_t count, Random& random) {
  assert(count <= pool.folios());
  std::vector<std::size_t> indices(pool.folios());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::vector<std::byte*> drawn;
  drawn.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(indices[i], indices[i + random.below(indices.size() - i)]);
    drawn.push_back(pool.folio(indices[i]));
  }
  return drawn;
}

}  // namespace folioscope
