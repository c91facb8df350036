// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/fault_memory.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "backing/pool.hpp"
#include "backing/state.hpp"
#include "terms/ticks.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace folioscope {
namespace {

constexpr std::uint64_t most_blocks = 16;

struct Usage {
  double cpu = 0;  ///< ns
  std::uint64_t minor_faults = 0, interruptions = 0;
};

Usage usage_now() {
  timespec now{};
  rusage u{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  getrusage(RUSAGE_THREAD, &u);
  return {1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec),
          static_cast<std::uint64_t>(u.ru_minflt), static_cast<std::uint64_t>(u.ru_nivcsw)};
}

/// Not instrumented: a sanitizer's shadow memory would fault, too, and be counted.
__attribute__((no_sanitize("address"))) void touch_byte(std::byte* at) { *reinterpret_cast<char volatile*>(at) = 1; }

}  // namespace

Granted<FaultMemory> FaultMemory::make(Backing const& backing, std::size_t extents, Machine const& machine) {
  std::string const subject = to_string(backing);
  if (auto refusal = refuse(backing, machine)) return *refusal;
  auto const whole = folio_of(backing, machine);
  if (!whole) return Refusal{subject, "the folio size of this backing is not known here", ""};
  FaultMemory m;
  m.backing_ = backing;
  m.base_page_ = machine.base_page;
  m.folio_ = backing.kind == BackingKind::mthp ? *backing.size : *whole;
  m.stride_ = m.folio_;
  if (backing.kind == BackingKind::mthp) {
    // Linux takes the largest size that is on and fits the mapping: every other block is a mapping of its own.
    m.folios_an_extent_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(*whole / m.folio_ / 2, 1, most_blocks));
    m.stride_ = m.folio_ * 2;
  }
  Bytes const length = m.stride_ * m.folios_an_extent_;
  if (backing.kind == BackingKind::hugetlb) {
    auto mapping = backing::Mapping::make_hugetlb(length * extents, m.folio_, subject);
    if (!mapping) return mapping.refusal();
    for (std::size_t i = 0; i < extents; ++i) m.extents_.push_back(mapping->begin() + i * length.value);
    m.mappings_.push_back(std::move(*mapping));
  } else {
    for (std::size_t i = 0; i < extents; ++i) {
      auto mapping = backing::Mapping::make(backing::Mapping::Source::anonymous, length, *whole, subject);
      if (!mapping) return mapping.refusal();
      for (std::uint64_t at = 0; at < length.value; at += m.stride_.value)
        if (madvise(mapping->begin() + at, m.folio_.value, MADV_HUGEPAGE) != 0)
          return Refusal{subject, "madvise(MADV_HUGEPAGE): " + backing::errno_text(errno),
                         "boot a Linux with transparent huge pages"};
      m.extents_.push_back(mapping->begin());
      m.mappings_.push_back(std::move(*mapping));
    }
  }
  m.populated_.assign(extents, false);
  m.freed_at_.assign(extents, 0);
  return m;
}

Fault FaultMemory::touch(std::size_t i, std::uint64_t index, Clock const& clock) {
  Fault fault;
  auto const step = static_cast<std::ptrdiff_t>(stride_.value);
  std::byte* const first = extents_[i] + index * base_page_.value;
  Usage const before = usage_now();
  std::uint64_t const start = ticks();
  if (backing_.kind == BackingKind::hugetlb) {
    // Never a SIGBUS, whoever took the page meanwhile; the hint that Linux gets is the same.
    if (madvise(first, base_page_.value, MADV_POPULATE_WRITE) != 0) fault.error = errno;
  } else {
    for (std::uint32_t k = 0; k < folios_an_extent_; ++k) touch_byte(first + k * step);
  }
  std::uint64_t const end = ticks();
  Usage const after = usage_now();
  populated_[i] = fault.error == 0;
  fault.sample.copies = folios_an_extent_;
  fault.sample.wall = Nanoseconds(static_cast<double>(end - start) * clock.ns_per_tick);
  // Linux splits CPU time by its ticks, milliseconds apart; here the program's own part is a single store.
  fault.sample.system = Nanoseconds(std::max(0.0, after.cpu - before.cpu));
  fault.sample.user = Nanoseconds(0);
  fault.minor_faults = after.minor_faults - before.minor_faults;
  fault.interruptions = after.interruptions - before.interruptions;
  if (freed_at_[i]) fault.since_free = Nanoseconds(static_cast<double>(start - freed_at_[i]) * clock.ns_per_tick);
  return fault;
}

Nanoseconds FaultMemory::since_free(std::size_t i, Clock const& clock) const {
  return Nanoseconds(freed_at_[i] ? static_cast<double>(ticks() - freed_at_[i]) * clock.ns_per_tick : 0);
}

void FaultMemory::make_cold(std::size_t i, Random& random) {
  std::vector<std::byte*> blocks;
  for (std::uint32_t k = 0; k < folios_an_extent_; ++k) blocks.push_back(extents_[i] + k * stride_.value);
  make_state(State::cold, blocks, folio_, base_page_, random);
}

bool FaultMemory::give_back(std::size_t i) {
  Bytes const length = stride_ * folios_an_extent_;
  if (madvise(extents_[i], length.value, MADV_DONTNEED) != 0) return false;
  freed_at_[i] = ticks();
  populated_[i] = false;
  return true;
}

bool FaultMemory::whole(std::size_t i, std::uint64_t index) {
  Usage const before = usage_now();
  for (std::uint32_t k = 0; k < folios_an_extent_; ++k) {
    std::byte* const folio = extents_[i] + k * stride_.value;
    for (std::uint64_t page : {std::uint64_t{0}, pages() / 3, pages() - 1})
      if (page != index) touch_byte(folio + page * base_page_.value + 64);
  }
  // Smaller pages fault at each of them; one fault may be this program's own, of code that ran for the first time.
  return usage_now().minor_faults - before.minor_faults <= 1;
}

Granted<Fault> FaultMemory::fault(std::size_t i, std::uint64_t index, Clock const& clock, Random& random) {
  std::string const subject = to_string(backing_);
  std::uint64_t const begun = ticks();
  if (populated_[i]) {
    make_cold(i, random);
    if (!give_back(i))
      return Refusal{subject, "madvise(MADV_DONTNEED): " + backing::errno_text(errno),
                     "this needs Linux 5.18 for hugetlb memory"};
  }
  Nanoseconds const state(static_cast<double>(ticks() - begun) * clock.ns_per_tick);
  Fault fault = touch(i, index, clock);
  fault.sample.state = state;
  if (fault.error)
    return Refusal{subject, "a page that was given back could not be had again: " + backing::errno_text(fault.error),
                   "leave more free pages in the pool, or use Linux 5.14 or newer"};
  return fault;
}

}  // namespace folioscope
