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
#include "linuxmm/write_seq.hpp"
#include "terms/ticks.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

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

std::vector<Point> look(std::byte* begin, Fallocated const& what, PassPlace const& place) {
  std::byte* const last = begin + (what.length.value - what.folio.value);
  Nearness const seen = look_after_fault(last, what.folio, place.machine.base_page, place.clock, place.random);
  return near_points("clear", to_string(place.cell.backing), 0, seen);
}

/// What the program pays afterwards. Nothing where the memory cannot be mapped: the clear is measured all the same.
std::vector<Point> use_it(Fallocated const& what, PassPlace const& place, Nanoseconds cleared) {
  View const view(what.file, what.length, what.folio);
  // Mapping costs the same whatever the order was, so it stands in neither. No data is touched by it.
  if (!view.begin() || madvise(view.begin(), what.length.value, MADV_POPULATE_WRITE) != 0) return {};
  bool const downwards = place.cell.order == used_descending;
  std::vector<Point> points;
  if (!downwards) points = look(view.begin(), what, place);
  Timed const used = time_work(place.crew, 1, place.clock, [&](std::size_t) {
    write_through(view.begin(), what.length, what.folio, downwards ? Direction::down : Direction::up);
    return Worked{};
  });
  points.push_back({"path.clear", place.cell.kernel, 1, cleared.value, {}, {}});
  points.push_back({"path.use", place.cell.kernel, 1, used.sample.wall.value, {}, {}});
  return points;
}

}  // namespace

void add_fallocate(Plan& plan, Cell const& cell) {
  for (std::string const& order : {std::string("sequential"), std::string(used_descending)}) {
    PlannedCell planned{cell, {{Bytes(0), cell.footprint}}};
    planned.cell.order = order;
    plan.cells.push_back(std::move(planned));
  }
}

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
  return Passed{timed.sample, use_it(what, place, timed.sample.wall)};
}

}  // namespace folioscope
