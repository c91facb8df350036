// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/fallocated.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "backing/mapping.hpp"
#include "backing/smaps.hpp"
#include "backing/state.hpp"
#include "linuxmm/witness.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

/// The whole file mapped shared at a folio's boundary; unmapped at the end.
class View {
 public:
  View(int file, Bytes length, Bytes folio) : reserved_length_(length.value + folio.value), length_(length.value) {
    reserved_ = mmap(nullptr, reserved_length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved_ == MAP_FAILED) return;
    auto const at = (reinterpret_cast<std::uintptr_t>(reserved_) + folio.value - 1) / folio.value * folio.value;
    void* const mapped =
        mmap(reinterpret_cast<void*>(at), length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    if (mapped != MAP_FAILED) begin_ = static_cast<std::byte*>(mapped);
  }
  ~View() {
    if (reserved_ != MAP_FAILED) munmap(reserved_, reserved_length_);
  }
  View(View const&) = delete;
  View& operator=(View const&) = delete;
  std::byte* begin() const { return begin_; }

 private:
  void* reserved_ = MAP_FAILED;
  std::size_t reserved_length_, length_;
  std::byte* begin_ = nullptr;
};

void touch_folios(std::byte* begin, Bytes length, Bytes folio) {
  for (std::uint64_t at = 0; at < length.value; at += folio.value) *reinterpret_cast<char volatile*>(begin + at) = 1;
}

Refusal failed(char const* what, int error) {
  return {
      {}, fmt::format("{}: {}", what, backing::errno_text(error)), "free memory, or ask for less with --max-memory"};
}

/// Non-zero data, in no cache, in the pages that the file has now: they are the next ones that it will get.
std::optional<Refusal> fill_cold(Fallocated const& what, PassPlace const& place) {
  View const view(what.file, what.length, what.folio);
  if (!view.begin()) return failed("mmap", errno);
  std::vector<std::byte*> folios;
  for (std::uint64_t at = 0; at < what.length.value; at += what.folio.value) folios.push_back(view.begin() + at);
  make_state(State::cold, folios, what.folio, place.machine.base_page, place.random);
  return std::nullopt;
}

std::vector<Point> look(Fallocated const& what, PassPlace const& place) {
  View const view(what.file, what.length, what.folio);
  if (!view.begin()) return {};
  std::byte* const last = view.begin() + (what.length.value - what.folio.value);
  Nearness const seen = look_after_fault(last, what.folio, place.machine.base_page, place.clock, place.random);
  return near_points("clear", to_string(place.cell.backing), 0, seen);
}

}  // namespace

std::optional<double> huge_share(int file, Bytes length, Bytes folio) {
  View const view(file, length, folio);
  if (!view.begin()) return std::nullopt;
  touch_folios(view.begin(), length, folio);
  auto const seen = backing::read_smaps(view.begin(), view.begin() + length.value);
  if (!seen) return std::nullopt;
  return static_cast<double>((seen->shmem_huge + seen->hugetlb).value) / static_cast<double>(length.value);
}

Granted<Passed> fallocate_pass(Fallocated const& what, PassPlace const& place) {
  auto const length = static_cast<off_t>(what.length.value);
  std::uint64_t const begun = ticks();
  if (ftruncate(what.file, length) != 0) return failed("ftruncate", errno);
  if (fallocate(what.file, 0, 0, length) != 0) return failed("fallocate", errno);
  if (auto refusal = fill_cold(what, place)) return *refusal;
  if (ftruncate(what.file, 0) != 0 || ftruncate(what.file, length) != 0) return failed("ftruncate", errno);
  if (what.allocate_first && fallocate(what.file, 0, 0, length) != 0) return failed("fallocate", errno);
  std::uint64_t const ready = ticks();
  Timed timed = time_work(place.crew, 1, place.clock,
                          [&](std::size_t) { return Worked{fallocate(what.file, 0, 0, length) == 0 ? 0 : errno}; });
  if (timed.error) return failed("fallocate", timed.error);
  timed.sample.state = Nanoseconds(static_cast<double>(ready - begun) * place.clock.ns_per_tick);
  return Passed{timed.sample, look(what, place)};
}

}  // namespace folioscope
