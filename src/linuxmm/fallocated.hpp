// SPDX-License-Identifier: Apache-2.0
// One timed fallocate over a file of huge pages, on warm memory that was cold and full of data before.
#pragma once
#include "linuxmm/passes.hpp"

namespace folioscope {

struct Fallocated {
  int file = -1;
  Bytes length, folio;
  bool allocate_first = false;  ///< tmpfs: the first fallocate of a range only allocates, the second clears
};
/// Empties the file and times the fallocate that clears; then, mapped and its translations made, writes through all of
/// it, in the direction that the cell's order says: points "path.clear" and "path.use". Before a use that goes upwards,
/// which lines of the last folio are near: points "clear.near" and its kin.
Granted<Passed> fallocate_pass(Fallocated const& what, PassPlace const& place);

/// The cells of one kernel: used upwards, and used downwards.
void add_fallocate(Plan& plan, Cell const& cell);

/// The share of a shared mapping of the file that PMD entries map; nullopt where it cannot be read.
std::optional<double> huge_share(int file, Bytes length, Bytes folio);

}  // namespace folioscope
