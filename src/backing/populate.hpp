// SPDX-License-Identifier: Apache-2.0
// Gives a mapping its pages, by writing first (a page read first is the shared zero page). Faults are counted on this
// thread.
#pragma once
#include <cstdint>
#include <optional>

#include "backing/mapping.hpp"
#include "terms/cell.hpp"

namespace folioscope::backing {

struct Populated {
  std::uint64_t minor_faults = 0;
  std::optional<Refusal> refusal;
};

/// `backing` decides the advice given and the order of touching; `folio` and `base` are its page sizes here.
Populated populate(Mapping const& mapping, Backing const& backing, Bytes folio, Bytes base);

/// Splits the PMD mapping of every folio without changing its frames: one page is made read-only and writable again.
/// khugepaged is kept from undoing it.
std::optional<Refusal> split_translation(Mapping const& mapping, Bytes folio, Bytes base, std::string const& subject);

}  // namespace folioscope::backing
