// SPDX-License-Identifier: Apache-2.0
#include "backing/populate.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace folioscope::backing {
namespace {

std::uint64_t minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

/// Not instrumented: the sanitizer's shadow would fault too and be counted.
[[gnu::no_sanitize_address]] void touch(std::byte* begin, Bytes length, Bytes step) {
  for (std::uint64_t i = 0; i < length.value; i += step.value)
    *reinterpret_cast<unsigned char volatile*>(begin + i) = 1;
}

int advise(std::byte* begin, Bytes length, int advice) { return madvise(begin, length.value, advice) == 0 ? 0 : errno; }

Refusal not_built(std::string const& subject, int error) {
  return {subject,
          fmt::format("madvise is refused: {}; this Linux may have no transparent huge pages", errno_text(error)), ""};
}

/// A fault takes the largest enabled size that fits the mapping's advised part. So no part advised at a time is larger
/// than the wanted size: every other block of a folio first, then the rest. Larger sizes, PMD size too, may stay
/// enabled.
int populate_blocks(Mapping const& mapping, Bytes block, Bytes folio, Bytes base) {
  if (int const error = advise(mapping.begin(), mapping.length(), MADV_NOHUGEPAGE)) return error;
  for (auto* f = mapping.begin(); f < mapping.end(); f += folio.value)
    for (std::uint64_t parity = 0; parity < 2; ++parity) {
      for (auto i = parity * block.value; i < folio.value; i += 2 * block.value) {
        if (int const error = advise(f + i, block, MADV_HUGEPAGE)) return error;
        touch(f + i, block, base);
      }
      if (int const error = advise(f, folio, MADV_NOHUGEPAGE)) return error;
    }
  return 0;
}

/// "node 0: 12 free, node 1: 0 free": a pool may be there and on another node than this thread may use.
std::string free_by_node(Bytes page) {
  std::string text;
  std::error_code none;
  for (auto const& node : std::filesystem::directory_iterator("/sys/devices/system/node", none)) {
    std::ifstream file(node.path() / fmt::format("hugepages/hugepages-{}kB/free_hugepages", page.value >> 10));
    std::uint64_t free = 0;
    if (file >> free)
      text += fmt::format("{}{}: {} free", text.empty() ? "" : ", ", node.path().filename().string(), free);
  }
  return text.empty() ? "free pages per node unknown" : text;
}

/// The kernel writes for us: where a huge page is missing it returns EFAULT and we get no SIGBUS. For Linux
/// before 5.14.
int populate_by_read(Mapping const& mapping, Bytes page) {
  int const zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (zero < 0) return errno;
  int error = 0;
  for (auto* p = mapping.begin(); p < mapping.end() && error == 0; p += page.value)
    if (read(zero, p, 1) != 1) error = errno;
  close(zero);
  return error;
}

std::optional<Refusal> populate_guarded(Mapping const& mapping, Bytes page, std::string const& subject, bool hugetlb) {
  int error = advise(mapping.begin(), mapping.length(), MADV_POPULATE_WRITE);
  if (error == EINVAL) error = populate_by_read(mapping, page);
  if (error == 0) return std::nullopt;
  if (!hugetlb)
    return Refusal{subject, fmt::format("cannot populate {}: {}", format_bytes(mapping.length()), errno_text(error)),
                   "free memory, or ask for less with --max-memory"};
  return Refusal{subject,
                 fmt::format("{} huge pages were reserved but could not be populated: {} ({})", mapping.length() / page,
                             errno_text(error), free_by_node(page)),
                 "look at the memory policy (numactl) and the cgroup's hugetlb limit"};
}

}  // namespace

Populated populate(Mapping const& mapping, Backing const& backing, Bytes folio, Bytes base) {
  Populated out;
  auto const subject = to_string(backing);
  auto const before = minor_faults();
  int error = 0;
  switch (backing.kind) {
    case BackingKind::base:
      error = advise(mapping.begin(), mapping.length(), MADV_NOHUGEPAGE);
      if (error == EINVAL) error = 0;  // no transparent huge pages built: base pages are all there are
      if (error == 0) touch(mapping.begin(), mapping.length(), base);
      break;
    case BackingKind::thp:
    case BackingKind::thp_pte:
      error = advise(mapping.begin(), mapping.length(), MADV_HUGEPAGE);
      if (error == 0) touch(mapping.begin(), mapping.length(), base);
      break;
    case BackingKind::mthp:
      error = populate_blocks(mapping, *backing.size, folio, base);
      break;
    case BackingKind::hugetlb:
      out.refusal = populate_guarded(mapping, folio, subject, true);
      break;
    case BackingKind::tmpfs:
      advise(mapping.begin(), mapping.length(), MADV_HUGEPAGE);  // a wish: the system's setting decides and is recorded
      out.refusal = populate_guarded(mapping, base, subject, false);
      break;
  }
  if (error != 0) out.refusal = not_built(subject, error);
  out.minor_faults = minor_faults() - before;
  return out;
}

std::optional<Refusal> split_translation(Mapping const& mapping, Bytes folio, Bytes base, std::string const& subject) {
  int error = advise(mapping.begin(), mapping.length(), MADV_NOHUGEPAGE);  // khugepaged would map it whole again
  for (auto* f = mapping.begin(); f < mapping.end() && error == 0; f += folio.value)
    if (mprotect(f, base.value, PROT_READ) != 0 || mprotect(f, base.value, PROT_READ | PROT_WRITE) != 0) error = errno;
  if (error == 0) return std::nullopt;
  return Refusal{subject, fmt::format("cannot split the huge mapping: {}", errno_text(error)), ""};
}

}  // namespace folioscope::backing
