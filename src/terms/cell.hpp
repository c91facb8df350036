// SPDX-License-Identifier: Apache-2.0
// A cell is one combination of all factors; everything measured is a repetition of a cell.
// Factor words and their text forms are those of the command line, the capsule and the JSON output.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/json.hpp"
#include "terms/units.hpp"

namespace folioscope {

/// Where the buffer's lines are before a pass.
enum class State { cold, hot, cold_zero };  // "cold", "hot", "cold-zero"
/// Where a fence stands for weakly ordered kernels.
enum class Fence { call, pass };  // "call", "pass"
enum class BackingKind { base, mthp, thp, thp_pte, hugetlb, tmpfs };

/// "base", "mthp-64K", "thp", "thp-pte", "hugetlb-2M", "tmpfs"; size only for mthp and hugetlb.
struct Backing {
  BackingKind kind = BackingKind::base;
  std::optional<Bytes> size;
  friend auto operator<=>(Backing const&, Backing const&) = default;
};

/// An order by its catalogue name and at most one whole-number parameter: "reverse", "neighbourhood_last@2".
/// A user's file is "file:NAME".
struct OrderName {
  std::string base;
  std::optional<std::uint64_t> parameter;
  friend auto operator<=>(OrderName const&, OrderName const&) = default;
};

struct Cell {
  std::string kernel;
  std::string order = "sequential";     ///< text of an OrderName
  std::optional<Bytes> run;             ///< the unit the order permutes; null for sequential
  Bytes call;                           ///< the most handed to the kernel at once
  Bytes prefetch;                       ///< how far ahead in the order lines are prefetched for writing
  std::optional<std::uint64_t> target;  ///< base-page index; null where the order has none
  State state = State::cold;
  Backing backing;
  Bytes footprint;  ///< per thread; below one folio the order covers the footprint alone
  std::uint32_t threads = 1;
  std::optional<Fence> fence;  ///< only for kernels that need one
  friend auto operator<=>(Cell const&, Cell const&) = default;
};

std::string to_string(State state);
std::string to_string(Fence fence);
std::string to_string(Backing const& backing);
std::string to_string(OrderName const& order);
std::optional<State> parse_state(std::string_view text);
std::optional<Fence> parse_fence(std::string_view text);
std::optional<Backing> parse_backing(std::string_view text);
std::optional<OrderName> parse_order(std::string_view text);

/// Keys as in the design's verdicts[]: kernel, state, backing, footprint_bytes, threads, order, run_bytes, call_bytes,
/// prefetch_bytes, target, fence.
Json to_json(Cell const& cell);
/// Throws Error (hostile capsules, experiment files) naming `where`.
Cell cell_from_json(Json const& json, std::string_view where);
/// One line for people: "rep_stosb reverse run 4K call 4K target 128 cold thp 2M x1".
std::string describe(Cell const& cell);

/// The stratum in which noise is pooled: state x footprint x backing x threads.
struct Stratum {
  State state = State::cold;
  Bytes footprint;
  Backing backing;
  std::uint32_t threads = 1;
  friend auto operator<=>(Stratum const&, Stratum const&) = default;
};
Stratum stratum_of(Cell const& cell);
/// The cell that orders are compared with: sequential of the same kernel, state, backing, footprint, threads, call,
/// fence.
Cell reference_of(Cell const& cell);
bool is_reference(Cell const& cell);  ///< order == "sequential" and no prefetch

/// A nearest name by edit distance for "did you mean"; nullopt when none is near.
std::optional<std::string> nearest_name(std::string_view name, std::vector<std::string> const& names);

}  // namespace folioscope
