// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/write_seq.hpp"

#include "linuxmm/fault_order.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

using Word8 = std::uint64_t volatile;  // a store each, as the original's: nothing wider, no memset

void touch(std::byte* at) { *reinterpret_cast<Word8*>(at) = 1; }

/// Ticks without those of the first store.
std::uint64_t write_up(std::byte* begin, std::byte* end) {
  auto* at = reinterpret_cast<Word8*>(begin);
  *at++ = 1;
  std::uint64_t const faulted = ticks();
  for (; at != reinterpret_cast<Word8*>(end); ++at) *at = 1;
  return ticks() - faulted;
}
std::uint64_t write_down(std::byte* begin, std::byte* end) {
  auto* at = reinterpret_cast<Word8*>(end);
  *--at = 1;
  std::uint64_t const faulted = ticks();
  while (at != reinterpret_cast<Word8*>(begin)) *--at = 1;
  return ticks() - faulted;
}

}  // namespace

WriteSeq write_seq_of(Cell const& cell, Bytes folio, Bytes base_page) {
  WriteSeq what;
  what.length = cell.footprint;
  what.folio = folio;
  what.base_page = base_page;
  what.use = cell.order == used_descending ? Direction::down : Direction::up;
  what.apart = cell.kernel.ends_with("_apart");
  what.first = cell.target;
  return what;
}

void add_write_seq(Plan& plan, Cell const& cell, Bytes folio, Bytes base_page) {
  for (bool const apart : {false, true}) {
    Cell variant = cell;
    if (apart) variant.kernel += "_apart";
    auto const add = [&](std::string order, std::optional<std::uint64_t> first) {
      PlannedCell planned{variant, {{Bytes(0), cell.footprint}}};
      planned.cell.order = std::move(order);
      if (first) {
        planned.cell.target = first;
        planned.cell.run = base_page;
      }
      plan.cells.push_back(std::move(planned));
    };
    std::uint64_t const last = folio / base_page - 1;
    add("sequential", {});
    add(touch_first, last);
    // Used downwards, a program that touches no page on purpose touches the last one first.
    add(used_descending, {});
    add(used_descending, apart ? last : 0);
  }
}

void write_through(std::byte* begin, Bytes length, Bytes folio, Direction use) {
  WriteSeq what;
  what.length = length;
  what.folio = folio;
  what.use = use;
  what.apart = true;
  static_cast<void>(use_part(what, begin));
}

std::uint64_t clear_part(WriteSeq const& what, std::byte* begin) {
  if (!what.apart) return 0;
  std::uint64_t const at = what.first.value_or(0) * what.base_page.value;
  for (std::uint64_t folio = 0; folio < what.length.value; folio += what.folio.value) touch(begin + folio + at);
  return 0;
}

std::uint64_t use_part(WriteSeq const& what, std::byte* begin) {
  std::byte* const end = begin + what.length.value;
  std::uint64_t const folio = what.folio.value;
  std::uint64_t in_program = 0;
  if (what.use == Direction::down) {
    for (std::byte* at = end; at != begin; at -= folio) {
      if (!what.apart && what.first) touch(at - folio + *what.first * what.base_page.value);
      in_program += write_down(at - folio, at);
    }
    return in_program;
  }
  for (std::byte* at = begin; at != end; at += folio) {
    if (!what.apart && what.first) touch(at + *what.first * what.base_page.value);
    in_program += write_up(at, at + folio);
  }
  return in_program;
}

}  // namespace folioscope
