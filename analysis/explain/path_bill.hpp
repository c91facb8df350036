// SPDX-License-Identifier: Apache-2.0
// Clear and use along the running Linux's own paths: what a huge page costs in all once the program has used it, by the
// page touched first and the direction of the use. The access after the fault decides which page is worth touching.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/capsule.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

/// One way of clearing and using; nanoseconds a folio, geometric means over placements.
struct PathBillLine {
  std::size_t campaign = 0;
  std::uint32_t cell = 0;
  std::string path;                         ///< "anon-w-seq, 2 tasks"
  Bytes memory;                             ///< that a pass clears and uses
  bool apart = false;                       ///< every folio is cleared before the first is used
  bool downwards = false;                   ///< the use
  std::optional<std::uint64_t> first;       ///< base page touched first; null where the path touches none
  bool last = false;                        ///< that is the folio's last page
  std::optional<Nanoseconds> clear, spent;  ///< spent: on the use; null where they do not stand apart
  Nanoseconds total;
  std::optional<Interval> ci;  ///< 95 %, of the total
  std::uint32_t n = 0;         ///< placements
  /// Total ÷ the total of `reference`: page 0 first and the same use; on paths that touch no page, used upwards.
  std::optional<std::uint32_t> reference;
  Estimate ratio;
  std::optional<Estimate> clear_ratio, use_ratio;  ///< the same of each part
  double p_holm = 1;
  double delta = 0.02;
  Finding finding = Finding::cannot_tell;
};

/// Of every `linux` campaign; by path, tasks and use. `judgement` gives the noise of its strata.
std::vector<PathBillLine> path_bills(std::span<Campaign const> campaigns, Judgement const& judgement);
/// {use, apart, first, clear_ns, use_ns, total_ns, total_ci, ...}: what a row of `linux` has of it.
Json to_json(PathBillLine const& line);
/// A table, and who wins in words.
std::string to_text(std::span<PathBillLine const> lines, std::size_t width);
/// A sentence for each path and use: which page first wins once the memory is used, and where the difference lies.
std::vector<std::string> path_bill_sentences(std::span<PathBillLine const> lines);

}  // namespace folioscope
