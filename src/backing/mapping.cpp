// SPDX-License-Identifier: Apache-2.0
#include "backing/mapping.hpp"

#include <fmt/core.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>
#include <utility>

namespace folioscope::backing {
namespace {

Refusal no_room(std::string const& subject, Bytes length, int error) {
  return {subject, fmt::format("cannot map {}: {}", format_bytes(length), errno_text(error)),
          "free memory, raise the limit (ulimit -v, cgroup, vm.overcommit), or ask for less with --max-memory"};
}

/// Sparse: its pages come when they are written.
int memory_file(Bytes length) {
  int const fd = memfd_create("folioscope", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(length.value)) != 0) {
    int const error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

}  // namespace

std::string errno_text(int error) { return std::generic_category().message(error); }

Granted<Mapping> Mapping::make(Source source, Bytes length, Bytes alignment, std::string const& subject) {
  Mapping m;
  // One alignment is lost at most to reach the boundary; one more keeps neighbours away at the end.
  if (__builtin_add_overflow(length.value, 2 * alignment.value, &m.reserved_length_))
    return no_room(subject, length, ENOMEM);
  m.length_ = length;
  void* p = mmap(nullptr, m.reserved_length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return no_room(subject, length, errno);
  m.reserved_ = p;
  auto const address = reinterpret_cast<std::uintptr_t>(p);
  m.begin_ = static_cast<std::byte*>(p) + (alignment.value - address % alignment.value);
  int fd = -1;
  int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
  if (source == Source::memory_file) {
    flags = MAP_FIXED | MAP_SHARED;
    fd = memory_file(length);
    if (fd < 0) return no_room(subject, length, errno);
  }
  void* inner = mmap(m.begin_, length.value, PROT_READ | PROT_WRITE, flags, fd, 0);
  int const error = errno;
  if (fd >= 0) close(fd);
  if (inner == MAP_FAILED) return no_room(subject, length, error);
  // A child of this process that copies on write would move the frames; it has no use for them. Old Linux may not know:
  // no harm.
  madvise(inner, length.value, MADV_DONTFORK);
  return m;
}

Granted<Mapping> Mapping::make_hugetlb(Bytes length, Bytes page, std::string const& subject) {
  Mapping m;
  int const size = std::countr_zero(page.value) << MAP_HUGE_SHIFT;
  void* p =
      mmap(nullptr, length.value, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
  if (p == MAP_FAILED) {
    int const error = errno;
    return Refusal{
        subject,
        fmt::format("cannot reserve {} huge pages of {}: {}", length / page, format_bytes(page), errno_text(error)),
        fmt::format(
            "raise /sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages as root, or pass --allow-system-changes",
            page.value >> 10)};
  }
  m.reserved_ = p;
  m.begin_ = static_cast<std::byte*>(p);
  m.length_ = length;
  m.reserved_length_ = length.value;
  madvise(p, length.value, MADV_DONTFORK);
  return m;
}

Mapping::~Mapping() {
  if (reserved_) munmap(reserved_, reserved_length_);
}

Mapping::Mapping(Mapping&& other) noexcept { *this = std::move(other); }

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(length_, other.length_);
  std::swap(reserved_, other.reserved_);
  std::swap(reserved_length_, other.reserved_length_);
  return *this;
}

}  // namespace folioscope::backing
