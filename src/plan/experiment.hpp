// SPDX-License-Identifier: Apache-2.0
// Experiments are data: TOML files under experiments/ (or the user's) that name factor levels. expand() turns one, with
// the command line's overrides and this machine, into a Plan of distinct cells and refusals. Format: docs/adding.md.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.hpp"
#include "orders/order.hpp"
#include "terms/embedded.hpp"
#include "terms/json.hpp"
#include "terms/plan.hpp"

namespace folioscope {

struct Experiment {
  std::string name;
  std::string description;
  Json definition;    ///< the parsed file, checked: unknown keys and words are errors
  std::string where;  ///< the file, for errors that show when it is expanded
};

/// The built-in experiments, by file.
std::span<EmbeddedFile const> experiment_files();
/// A built-in name, or a path (contains '/' or ends in .toml). Unknown: UsageError with the nearest name.
Experiment load_experiment(std::string_view name_or_path);
/// Throws Error naming `where` and the key.
Experiment parse_experiment(std::string_view toml, std::string_view where);

/// What the command line overrides; empty lists leave the experiment's own.
struct Overrides {
  std::vector<std::string> kernels, orders, states, footprints, backings, targets, runs, calls, fences, threads,
      prefetches;
  std::vector<std::pair<std::string, std::string>> order_files;  ///< NAME, text of the file (the command line reads it)
  std::optional<Nanoseconds> budget;
  std::optional<Bytes> max_memory;
  std::optional<std::uint64_t> seed;
  bool allow_system_changes = false;
};

/// Distinct cells (identical visits and calls are one cell), references added, kernels and footprints that cannot be
/// had refused by name. Unknown names: UsageError with the nearest.
Plan expand(Experiment const& experiment, Overrides const& overrides, Machine const& machine);

/// Memory that a plan's pools need: at least twice the largest footprint per backing, times threads.
Bytes memory_needed(Plan const& plan);

}  // namespace folioscope
