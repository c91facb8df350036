// SPDX-License-Identifier: Apache-2.0
// Hypotheses as data: what each predicts of which cells, and what would contradict it. hypotheses.toml explains the
// keys; whoever adds an entry there edits nothing here.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/json.hpp"

namespace folioscope {

/// A cell by its order and the factors that matter; the rest is what stands for the machine.
struct CellSelector {
  std::string text;   ///< as written
  std::string order;  ///< with its parameter
  std::map<std::string, std::string> factors;
};
/// Throws Error naming `where`.
CellSelector parse_selector(std::string_view text, std::string_view where);

/// What a contrast is a quotient of. lines is the figure of one cell alone.
/// `linux`: how much more an order costs in Linux's own path than in user space.
enum class Measure { time, start, call, lines, count, probe, miss, linux };

struct Contrast {
  std::string what;
  CellSelector cell;
  std::optional<CellSelector> over;  ///< null: the cell's own sequential reference
  bool relative = false;             ///< both as ratios to their own sequential reference
  Measure measure = Measure::time;
  std::string of;  ///< the event of a count, the level of a probe or a miss, the path of Linux
  std::optional<double> above, below, refuted_below, refuted_above;
  bool optional = false;
};

struct Hypothesis {
  std::string name, title, claim;
  bool any = false;  ///< one prediction is enough
  std::vector<std::string> counters;
  std::string experiment;  ///< what to run where cells are missing
  std::string unseen;      ///< not empty: untested whatever was measured, and why
  std::vector<Contrast> predicts;
};

/// Throws Error naming `where` and the entry. Unknown keys are errors.
std::vector<Hypothesis> parse_hypotheses(std::string_view text, std::string_view where);
/// Those built in.
std::vector<Hypothesis> hypotheses();

/// "> 1.1", "0.85 to 1.18".
std::string predicted_words(Contrast const& contrast);

}  // namespace folioscope
