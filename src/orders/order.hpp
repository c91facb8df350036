// SPDX-License-Identifier: Apache-2.0
// An order is a pure function from a shape to a permutation of run indices. Adding one is a file here and a line in
// catalogue.def. visits() turns a permutation into stretches; everything else (merging, calls) is the same for all
// orders.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terms/plan.hpp"

namespace folioscope {

struct OrderShape {
  std::uint64_t runs = 0;       ///< runs in the extent, >= 1
  std::uint64_t target = 0;     ///< the run that holds the target's first byte, < runs
  std::uint64_t parameter = 0;  ///< the order's own number (radius in runs, streams, ...)
  std::uint64_t seed = 1;
};

struct Order {
  std::string_view name = {};
  std::string_view summary = {};                        ///< one line for `list orders`
  bool has_target = false;                              ///< false: the target does not change it
  bool ends_at_target = false;                          ///< promised: the target's run is visited last
  std::optional<std::uint64_t> default_parameter = {};  ///< null: takes no parameter
  std::string_view parameter_meaning = {};
  std::uint64_t least_parameter = 0;
  std::string_view source = {};  ///< Linux version or commit, or "own"
  bool probe = false;            ///< tells mechanisms apart; no candidate for a system to adopt
  std::vector<std::uint64_t> (*permute)(OrderShape const& shape) = nullptr;
};

/// More runs than this in one extent are refused before anything is allocated (64 B runs up to 64 MiB).
inline constexpr std::uint64_t most_runs = std::uint64_t{1} << 20;
/// Runs are whole multiples of this: no kernel is handed part of a cache line.
inline constexpr Bytes least_run{64};

std::span<Order const* const> order_catalogue();
Order const* find_order(std::string_view name);
/// Checked against the catalogue, with the default parameter written out ("neighbourhood_last" is
/// "neighbourhood_last@2"; an optional seed of 0 is left away). Throws UsageError with the nearest name. "file:NAME"
/// passes as it is.
OrderName canonical(OrderName order);
bool is_file(OrderName const& order);

/// The permutation behind a "file:NAME" order.
struct OrderFile {
  Bytes run;                           ///< the unit the file's indices count
  std::vector<std::uint64_t> indices;  ///< a permutation of [0, indices.size())
};
struct VisitRequest {
  OrderName order;
  Bytes extent;
  std::optional<Bytes> run;
  std::optional<std::uint64_t> target_page;
  Bytes base_page;
  std::uint64_t seed = 1;
  OrderFile const* file = nullptr;
};
/// The stretches of an order over an extent. `target_page` indexes base pages. Throws UsageError where run does not
/// divide the extent, the target lies outside, or the order is unknown (nearest name suggested).
Visits visits(VisitRequest const& request);
/// Why the extent cannot be visited so: what visits() would throw about run, target and file. Unknown names still
/// throw.
std::optional<Refusal> refuse(VisitRequest const& request);

/// Parses an order file's text (indices or runs, '#' comments, optional run=BYTES first) for an extent. Throws Error
/// naming the line, or the first missing or repeated index. Sizes are bounded before anything is allocated.
OrderFile parse_order_file(std::string_view text, std::string_view where, Bytes extent, Bytes base_page);

}  // namespace folioscope
