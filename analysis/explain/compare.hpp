// SPDX-License-Identifier: Apache-2.0
// Two or more capsules side by side, cell by identical cell: the first is the base, every other is held against it.
// Between machines only ratios are compared (an order against sequential); on one machine instance times too. Welch
// intervals, one Holm family.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/verdict.hpp"

namespace folioscope {

struct CapsuleContent {
  std::string label;  ///< the file's name
  std::vector<Campaign> campaigns;
};

struct Compared {
  enum class Quantity { ratio, time } quantity = Quantity::ratio;
  std::size_t file = 0;  ///< the one held against file 0
  Cell cell;
  std::optional<Cell> reference;  ///< of a ratio
  Estimate base, other;           ///< the ratio, or the time in ns, in each file
  Estimate difference;            ///< other ÷ base
  double p_holm = 1;
  double delta = 0.02;
  Finding verdict = Finding::cannot_tell;
  std::string why;  ///< of a cannot_tell
};

struct ComparedFile {
  std::string label;
  std::string machine;         ///< "AMD EPYC 9B14, Linux 6.18.5"
  bool same_instance = false;  ///< as file 0
  std::optional<std::string> emulator;
  bool guest = false;                      ///< under a hypervisor: its times of one run say little of the next
  std::size_t matched = 0, unmatched = 0;  ///< cells of this file that file 0 has, has not
};

struct Comparison {
  std::vector<ComparedFile> files;
  std::vector<Compared> compared;
};

Comparison compare(std::span<CapsuleContent const> files);

/// "slower:3%" or "faster:3%": some difference of that kind, certain after Holm, and at least that large. Of guests,
/// ratios alone count.
struct FailOn {
  Finding finding = Finding::slower;
  double share = 0.03;
};
/// Throws UsageError.
FailOn parse_fail_on(std::string_view text);
std::vector<Compared const*> held_by(Comparison const& comparison, FailOn const& condition);

Json to_json(Comparison const& comparison, std::optional<FailOn> const& condition = std::nullopt);
std::string to_text(Comparison const& comparison, std::optional<FailOn> const& condition = std::nullopt,
                    std::size_t width = 100);

}  // namespace folioscope
