// SPDX-License-Identifier: Apache-2.0
// Fits the cost model to a campaign's cells and tries it on orders of kinds that no fit saw. Those kinds are named by
// the experiment (option hold_out) before anything is measured.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/fit.hpp"
#include "record/capsule.hpp"
#include "stats/runs.hpp"

namespace folioscope {

/// One fit: cold cells of one kernel, backing and number of threads, of whole folios in runs and calls of base
/// pages and more: shorter calls are done another way by some instructions, and Linux makes none.
struct FittedSetting {
  std::size_t campaign = 0;
  std::string kernel;
  Backing backing;
  std::uint32_t threads = 1;
  Fit fit;
  std::vector<std::uint32_t> cells;  ///< it was fitted to
};

struct Prediction {
  std::size_t campaign = 0;
  std::size_t setting = 0;  ///< index into ModelReport::settings
  std::uint32_t cell = 0;
  bool held_out = true;  ///< else one of the fitted cells, for curves
  double predicted_ns = 0, measured_ns = 0;
  std::optional<double> ratio;                     ///< measured, to its sequential reference
  std::optional<double> repeat;                    ///< |log| of one half of the placements over the other
  std::optional<double> like_sequential, nearest;  ///< what the baselines predict, ns
};

struct ErrorSummary {
  std::size_t cells = 0;
  std::optional<double> median, p90;  ///< of |predicted ÷ measured − 1|
};

struct ModelErrors {
  ErrorSummary model, repeat, like_sequential, nearest;
};

struct ModelReport {
  std::vector<FittedSetting> settings;
  std::vector<Prediction> predictions;  ///< held out first
  ModelErrors all;                      ///< over all hold-out cells
  ModelErrors where_order_matters;      ///< over those whose ratio is off 1 by more than 10 %
  std::string why;                      ///< there is none
};

/// Over hold-out cells, of some machine's campaigns.
ModelErrors errors_of(std::span<Prediction const> predictions, bool only_where_order_matters);
/// Campaigns without an option hold_out use the kinds that systems adopt and files.
ModelReport model_report(std::span<Campaign const> campaigns, std::span<Runs const> runs);
bool is_held_out(Plan const& plan, Cell const& cell);

}  // namespace folioscope
