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
/// Empties the file and times the fallocate that clears. Afterwards which lines of the last folio are near: points
/// "clear.near" and its kin.
Granted<Passed> fallocate_pass(Fallocated const& what, PassPlace const& place);

/// The share of a shared mapping of the file that PMD entries map; nullopt where it cannot be read.
std::optional<double> huge_share(int file, Bytes length, Bytes folio);

}  // namespace folioscope
