// SPDX-License-Identifier: Apache-2.0
// The workload of vm-scalability's anon-w-seq family: memory never touched before is written through by 8-byte stores,
// so that each huge page is cleared and then used. Here clear and use also stand apart, use also goes downwards, and
// another page may be touched first.
#pragma once
#include <cstddef>
#include <string>

#include "terms/kernel.hpp"
#include "terms/plan.hpp"

namespace folioscope {

struct WriteSeq {
  Bytes length, folio, base_page;
  Direction use = Direction::up;
  bool apart = false;                  ///< every huge page is touched before the first is used
  std::optional<std::uint64_t> first;  ///< base page of each huge page that is touched before it is used
};
/// Order of the cells whose use goes downwards.
inline constexpr char const* used_descending = "descending";

/// What the cell asks for; kernels that end in "_apart" clear and use apart.
WriteSeq write_seq_of(Cell const& cell, Bytes folio, Bytes base_page);
/// Adds the cells of one kernel: together and apart, ascending and descending use, page 0 and the last page first.
void add_write_seq(Plan& plan, Cell const& cell, Bytes folio, Bytes base_page);

/// The two parts of a pass; where nothing is apart the second is all of it. Each gives the ticks that it spent in
/// stores which met no fault: the first store of each huge page is timed by itself.
std::uint64_t clear_part(WriteSeq const& what, std::byte* begin);
std::uint64_t use_part(WriteSeq const& what, std::byte* begin);
/// Writes through memory that is there already.
void write_through(std::byte* begin, Bytes length, Bytes folio, Direction use);

}  // namespace folioscope
