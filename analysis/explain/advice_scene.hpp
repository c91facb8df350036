// SPDX-License-Identifier: Apache-2.0
// What an advice is about, and its first sentence: shared by advice.cpp and conclusion.cpp.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace folioscope {

/// The verdicts of one campaign's most prominent stratum and reference, and what they are about.
struct Scene {
  ExplainedCampaign const& campaign;
  Cell reference;                         ///< sequential, the kernel that stands for Linux
  std::optional<Nanoseconds> time;        ///< of the reference
  std::vector<Verdict const*> orders;     ///< against that reference, most prominent first
  std::vector<Verdict const*> kernels;    ///< against the baseline, same stratum
  std::vector<Verdict const*> elsewhere;  ///< orders in other strata, same kernel and call

  Cell const& cell(Verdict const& v) const { return campaign.cells[v.cell]; }
  std::string order(Verdict const& v) const { return parse_order(cell(v).order).value_or(OrderName{}).base; }
  /// Of neighbourhood_last: base pages on either side of the target, Linux's two where no number stands.
  std::uint64_t radius(Verdict const& v) const {
    return parse_order(cell(v).order).value_or(OrderName{}).parameter.value_or(2);
  }
};
std::optional<Scene> scene_of(Explanation const& explanation, std::size_t campaign);

/// What is cleared, with what, in what time.
std::string opening(Scene const& scene);
/// "The same at other footprints and states": the span of one order's ratio over the strata that it was measured in.
std::optional<std::string> elsewhere(Scene const& scene, Verdict const& lead);
/// The slowest order, a page's worth a time, is the one whose other strata are worth a sentence.
Verdict const* most_telling(Scene const& scene);

/// Is a change justified? By the orders, or by Linux's own kernel in larger calls.
std::string conclude(Scene const& scene);

}  // namespace folioscope
