// SPDX-License-Identifier: Apache-2.0
// Words and figures for people: wrapping, tables, and names out of capsules made harmless for terminals and mails.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/verdict.hpp"
#include "terms/cell.hpp"

namespace folioscope {

/// Control characters, terminal escapes, broken UTF-8 and characters that turn the writing direction become '?'; what
/// is longer than `most` characters is cut with "...".
std::string printable(std::string_view text, std::size_t most = 60);
/// Plain ASCII for mailing lists: known signs get their usual stand-ins, the rest '?'.
std::string ascii(std::string_view text);
/// Characters, not bytes.
std::size_t shown_width(std::string_view text);
/// Lines of at most `width`, each but the first after `indent` spaces; words longer than a line are left whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t first_indent = 0, std::size_t indent = 0);

/// Columns as wide as their widest entry; the first `left` of them aligned left, the rest right.
class TextTable {
 public:
  explicit TextTable(std::size_t left, std::size_t gap = 2) : left_(left), gap_(gap) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::size_t width() const;
  std::string text(std::size_t indent = 0) const;

 private:
  std::vector<std::size_t> widths() const;
  std::size_t left_, gap_;
  std::vector<std::vector<std::string>> rows_;
};

/// Rows whose first `labels` entries name them and whose others are figures; figures that do not fit the width go into
/// a further table beneath with the labels again. `headings` are rows too, and stand above each part.
struct Sheet {
  std::size_t labels = 1;
  std::size_t gap = 2;
  std::string constants;  ///< factors that all rows share, for the title: ", calls of 4 KiB, 1 thread"
  std::vector<std::vector<std::string>> headings;
  std::vector<std::vector<std::string>> rows;
  bool cut = false;  ///< an experiment with more factors than a screen has room for: see narrowed()
};
/// The columns that fit the width, and of the rows those that have a figure there. `left_out` counts what goes.
Sheet narrowed(Sheet sheet, std::size_t width, std::size_t indent, std::size_t& left_out);
std::string fitted(Sheet const& sheet, std::size_t width, std::size_t indent = 0);

/// "3.10", three significant digits; "-" for no number.
std::string figure(double value);
/// "3.10 (2.95 to 3.25)".
std::string with_interval(Estimate const& estimate);
/// Microseconds with one decimal, as tables of times want them; "-" for no number.
std::string microseconds(Nanoseconds time);
std::string percent(double share);
/// "1 folio", "100 folios", "64 KiB".
std::string footprint_words(Bytes footprint, Bytes folio);
/// "N=100" or "64K".
std::string footprint_mark(Bytes footprint, Bytes folio);

}  // namespace folioscope
