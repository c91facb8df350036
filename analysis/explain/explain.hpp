// SPDX-License-Identifier: Apache-2.0
// What a capsule's campaigns say: verdicts, noise, the published table, and advice a person can act on, as one value.
// It holds no samples. to_json() has every key of the design; what is not known is null and stands under `untested`
// with its reason.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/bill.hpp"
#include "explain/cache_levels.hpp"
#include "explain/counts.hpp"
#include "explain/foreign.hpp"
#include "explain/knees.hpp"
#include "explain/lines.hpp"
#include "explain/linux_ratios.hpp"
#include "explain/mechanisms.hpp"
#include "explain/path_bill.hpp"
#include "explain/published.hpp"
#include "explain/recommendation.hpp"
#include "explain/residency.hpp"
#include "explain/returned.hpp"
#include "model/predict.hpp"
#include "stats/verdict.hpp"

namespace folioscope {

/// A campaign without its samples.
struct ExplainedCampaign {
  CampaignHeader header;
  Facts facts;
  std::string experiment;
  Bytes base_page, folio;
  std::vector<Cell> cells;
  std::vector<std::optional<Nanoseconds>> times;  ///< of a pass, by cell: median over placements
  std::vector<KernelContract> kernels;
  std::vector<Refusal> refusals;
  std::uint32_t placements = 0, blocks = 0, marked_blocks = 0;
  std::uint64_t samples = 0;
  double steal_s = 0;
  std::optional<double> away;  ///< share of the timed wall time in which the timed threads had no CPU; CPU clock known
  std::optional<std::string> emulator;  ///< timings are no results
  std::string left_out;                 ///< what is damaged in it, a sentence; empty as a rule
  std::string prefetchers_off;          ///< a causal test: which prefetchers were off; empty as a rule
};

/// What to do, from clearing times alone.
struct Advice {
  std::vector<std::string> findings;  ///< sentences with figures, the most important first
  std::string
      conclusion;  ///< "A change ... is justified", "No change is justified ...", "Cannot tell ..., because ..."
  std::vector<std::string> would_change;     ///< what would change the verdict
  std::optional<std::string> order, kernel;  ///< recommended; null where advice is refused or nothing can be told
  std::optional<Bytes> call;
};

struct Explanation {
  std::vector<ExplainedCampaign> campaigns;
  Judgement judgement;
  std::vector<PublishedTable> published;
  Counts counts;
  std::vector<MachineMechanisms> mechanisms;  ///< one a machine instance
  std::vector<Knee> knees;
  std::vector<LinesInFlight> lines;
  ModelReport model;
  std::vector<SeenCurve> curves;  ///< latency, by campaign
  Residency residency;            ///< where lines are after the clear
  Bills bills;                    ///< clear and use together; of a radius map too
  std::vector<FaultOrderFinding> fault_orders;
  std::vector<LinuxRatio> linux_ratios;
  std::vector<PathBillLine> path_bills;                 ///< clear and use along Linux's own paths
  std::vector<ForeignRow> foreign;                      ///< published results, beside what was measured
  std::vector<std::optional<ReturnedMemory>> returned;  ///< by campaign
  std::vector<Advice> advice;                           ///< one a campaign, in their order
  std::vector<Recommendation> recommendations;          ///< one a campaign, in their order
  std::map<std::string, std::string> untested;          ///< JSON key: why it is null
};

/// `foreign`: a user's own published figures, beside those built in.
Explanation explain(std::span<Campaign const> campaigns, std::span<ForeignFigure const> foreign = {});

Json to_json(Explanation const& explanation);
/// For a terminal, about one screen; names from capsules are made harmless. No line break at the end.
std::string to_text(Explanation const& explanation, std::size_t width = 100);
/// For a mailing list: plain ASCII, at most 72 columns (names and commands longer than a line excepted).
std::string to_mail(Explanation const& explanation);

}  // namespace folioscope
