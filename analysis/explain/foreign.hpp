// SPDX-License-Identifier: Apache-2.0
// Published results beside what was measured here: ratio against ratio, never times. foreign.toml has those built in
// and explains the form; a user's own tables join them.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/hypothesis.hpp"
#include "explain/linux_ratios.hpp"
#include "record/capsule.hpp"
#include "stats/runs.hpp"

namespace folioscope {

struct ForeignSource {
  std::string name, title, where, date, machine;
};

struct ForeignFigure {
  ForeignSource source;
  std::string workload, arm, over, note;
  std::string quoted;  ///< "11.76 against 23.58 GB/s"
  double ratio = 1;    ///< time of `arm` over time of `over`
  std::vector<CellSelector> cells;
  std::optional<CellSelector> over_cell;  ///< null: the cell's own sequential reference
  std::string path, over_path;            ///< of Linux's own
  std::string command;                    ///< measures it here
  std::string unseen;                     ///< why nothing does
};

/// The same ratio as it was measured on a machine of the capsules.
struct MeasuredBeside {
  enum class Where { user_space, linux } where = Where::user_space;
  std::size_t campaign = 0;
  std::string what;  ///< "reverse ÷ sequential", "fault-order thp target_last t0"
  Estimate ratio;
};

struct ForeignRow {
  ForeignFigure figure;
  std::vector<MeasuredBeside> here;  ///< one a machine instance and place; empty: `why` says what is missing
  std::string why;
};

/// Throws Error naming `where` and the entry: an unknown key, a value that is no positive number, an entry twice.
std::vector<ForeignFigure> parse_foreign(std::string_view text, std::string_view where);
/// Those built in.
std::vector<ForeignFigure> foreign_figures();
/// A user's table, at most 1 MiB; what is built in already, or is in `others`, is an error.
std::vector<ForeignFigure> load_foreign(std::string const& path, std::span<ForeignFigure const> others = {});

/// Those built in, then `own`. Campaigns of emulators, and such with prefetchers off, stand beside nothing.
std::vector<ForeignRow> foreign_rows(std::span<Campaign const> campaigns, std::span<Runs const> runs,
                                     std::span<LinuxRatio const> linux_ratios, std::span<ForeignFigure const> own);

/// Whether the published ratio lies in the measured interval, above or below it.
std::string published_lies(ForeignRow const& row, MeasuredBeside const& here);
/// "clear 1 folio of 2 MiB: folio_zero_user ÷ clear_highpage".
std::string row_words(ForeignFigure const& figure);
Json to_json(ForeignRow const& row);
/// A table for a terminal or a mail: measured rows, `most` at most; what is left out is counted. Empty where nothing is
/// measured.
std::string foreign_text(std::span<ForeignRow const> rows, std::size_t width, std::size_t most);

}  // namespace folioscope
