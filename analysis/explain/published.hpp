// SPDX-License-Identifier: Apache-2.0
// The table of the October 2024 thread, measured here: a page at a time, the folio in one call, target last; five
// columns and their mean for each footprint.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/runs.hpp"

namespace folioscope {

struct PublishedRow {
  enum class Way { page_at_a_time, one_call, target_last } way = Way::page_at_a_time;
  std::uint32_t cell = 0;
  std::array<std::optional<Nanoseconds>, 5> columns;  ///< of a pass; each over a fifth of the placements
  std::optional<Nanoseconds> mean;                    ///< of the columns that are there
};

struct PublishedGroup {
  Bytes footprint;
  std::vector<PublishedRow> rows;
};

struct PublishedTable {
  std::size_t campaign = 0;
  std::string kernel;
  State state = State::cold;
  Backing backing;
  std::uint32_t threads = 1;
  std::vector<PublishedGroup> groups;  ///< by footprint
};

std::string to_string(PublishedRow::Way way);
/// Empty unless the campaign's experiment is "published-table".
std::vector<PublishedTable> published_tables(Campaign const& campaign, std::size_t index, Runs const& runs);
/// Why it is not quite the thread's.
std::string published_note();

}  // namespace folioscope
