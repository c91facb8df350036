// SPDX-License-Identifier: Apache-2.0
#include "bench/matrix.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "backing/pool.hpp"
#include "kernels/kernel.hpp"
#include "orders/order.hpp"

namespace folioscope::bench {
namespace {

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t const comma = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

std::optional<std::uint64_t> parse_count(std::string const& text) {
  std::uint64_t n = 0;
  auto const [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (trouble != std::errc{} || end != text.data() + text.size() || n == 0) return std::nullopt;
  return n;
}

template <class T>
void take_list(int& argc, char** argv, std::string const& flag, std::vector<T>& into,
               std::function<std::optional<T>(std::string const&)> const& parse) {
  std::string const text = take_flag(argc, argv, flag);
  if (text.empty()) return;
  into.clear();
  for (std::string const& part : split(text)) {
    auto value = parse(part);
    if (!value) throw UsageError(fmt::format("'{}' is no value of it", part), "--" + flag, "see --help");
    into.push_back(std::move(*value));
  }
}

bool wanted(std::vector<std::string> const& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// "8" is folios of the backing, "64K" a size; the words for the name with it.
struct Footprint {
  Bytes bytes;
  std::string name;
};
std::optional<Footprint> footprint_of(std::string const& text, Bytes folio) {
  if (auto const count = parse_count(text))
    return Footprint{folio * *count, fmt::format("{}folio{}", *count, *count == 1 ? "" : "s")};
  auto const bytes = parse_bytes(text);
  if (!bytes || bytes->value == 0) return std::nullopt;
  return Footprint{*bytes, compact_bytes(*bytes)};
}

std::string name_of(Cell const& cell, std::string const& footprint, bool weak) {
  std::string name = fmt::format("clear/{}/{}", cell.kernel, cell.order);
  if (cell.run) name += "/run:" + compact_bytes(*cell.run);
  name += fmt::format("/call:{}/{}/{}/{}", compact_bytes(cell.call), footprint, to_string(cell.state),
                      to_string(cell.backing));
  if (cell.threads > 1) name += fmt::format("/threads:{}", cell.threads);
  if (cell.prefetch.value > 0) name += "/prefetch:" + compact_bytes(cell.prefetch);
  if (weak && cell.fence == Fence::call) name += "/fence:call";
  return name;
}

}  // namespace

std::string take_flag(int& argc, char** argv, std::string const& name) {
  std::string const flag = "--" + name;
  std::string value;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (argument.starts_with(flag + "=")) {
      value = argument.substr(flag.size() + 1);
    } else if (argument == flag) {
      if (i + 1 == argc) throw UsageError("has no value", flag, "see --help");
      value = argv[++i];
    } else {
      argv[kept++] = argv[i];
      continue;
    }
    if (value.empty()) throw UsageError("has no value", flag, "see --help");
  }
  argc = kept;
  return value;
}

Levels take_levels(int& argc, char** argv) {
  Levels levels;
  auto const size = [](std::string const& text) -> std::optional<Bytes> {
    auto const bytes = parse_bytes(text);
    return bytes && bytes->value > 0 ? bytes : std::nullopt;
  };
  take_list<std::string>(argc, argv, "kernels", levels.kernels,
                         [](std::string const& text) -> std::optional<std::string> {
                           if (!find_kernel(text)) return std::nullopt;
                           return text;
                         });
  take_list<std::string>(argc, argv, "orders", levels.orders,
                         [](std::string const& text) -> std::optional<std::string> {
                           auto const name = parse_order(text);
                           if (!name || is_file(*name)) return std::nullopt;
                           return to_string(canonical(*name));
                         });
  take_list<Bytes>(argc, argv, "runs", levels.runs, size);
  take_list<Bytes>(argc, argv, "calls", levels.calls, size);
  take_list<Bytes>(argc, argv, "prefetches", levels.prefetches,
                   [](std::string const& text) { return parse_bytes(text); });
  take_list<std::string>(argc, argv, "footprints", levels.footprints,
                         [](std::string const& text) -> std::optional<std::string> {
                           if (!footprint_of(text, 2_MiB)) return std::nullopt;
                           return text;
                         });
  take_list<State>(argc, argv, "states", levels.states, [](std::string const& text) { return parse_state(text); });
  take_list<Backing>(argc, argv, "backings", levels.backings,
                     [](std::string const& text) { return parse_backing(text); });
  take_list<Fence>(argc, argv, "fences", levels.fences, [](std::string const& text) { return parse_fence(text); });
  take_list<std::uint32_t>(argc, argv, "threads", levels.threads,
                           [](std::string const& text) -> std::optional<std::uint32_t> {
                             auto const count = parse_count(text);
                             if (!count || *count > 1u << 20) return std::nullopt;
                             return static_cast<std::uint32_t>(*count);
                           });
  return levels;
}

namespace {

/// Kernel, order, run and call of a cell; the other factors are crossed around it.
std::vector<Cell> ways(Levels const& levels, Machine const& machine, Bytes folio) {
  std::vector<Cell> cells;
  for (Kernel const& kernel : kernel_catalogue()) {
    if (!kernel.clear || !wanted(levels.kernels, kernel.contract.name)) continue;
    for (Order const* order : order_catalogue()) {
      std::vector<std::string> names;
      if (levels.orders.empty()) names.push_back(to_string(canonical({std::string(order->name), {}})));
      for (std::string const& asked : levels.orders)
        if (parse_order(asked)->base == order->name) names.push_back(asked);
      bool const sequential = order->name == "sequential";
      auto const runs = levels.runs.empty() ? std::vector{machine.base_page} : levels.runs;
      auto calls = levels.calls.empty() ? std::vector{machine.base_page} : levels.calls;
      if (levels.calls.empty() && sequential) calls.push_back(folio);
      for (std::string const& name : names)
        for (Bytes run : sequential ? std::vector{machine.base_page} : runs)
          for (Bytes call : calls) {
            Cell cell;
            cell.kernel = kernel.contract.name;
            cell.order = name;
            if (!sequential) cell.run = run;
            cell.call = call;
            cells.push_back(cell);
          }
    }
  }
  return cells;
}

}  // namespace

std::vector<NamedCell> cells_of(Levels const& levels, Machine const& machine) {
  std::vector<NamedCell> cells;
  for (Backing const& backing : levels.backings) {
    Bytes const folio = folio_of(backing, machine).value_or(2_MiB);  // unknown: the run says so in its result
    for (Cell cell : ways(levels, machine, folio)) {
      Kernel const* const kernel = find_kernel(cell.kernel);
      bool const weak = kernel->contract.weakly_ordered;
      Order const* const order = find_order(parse_order(cell.order)->base);
      cell.backing = backing;
      for (std::string const& text : levels.footprints) {
        Footprint const footprint = *footprint_of(text, folio);
        cell.footprint = footprint.bytes;
        if (order->has_target) cell.target = std::min(folio, footprint.bytes) / machine.base_page / 4;
        for (State state : levels.states)
          for (std::uint32_t threads : levels.threads)
            for (Bytes prefetch : levels.prefetches)
              for (Fence fence : weak ? levels.fences : std::vector{Fence::pass}) {
                cell.state = state;
                cell.threads = threads;
                cell.prefetch = prefetch;
                cell.fence = weak ? std::optional(fence) : std::nullopt;
                cells.push_back({name_of(cell, footprint.name, weak), cell});
              }
      }
    }
  }
  return cells;
}

PlannedCell planned(Cell const& cell, Machine const& machine) {
  VisitRequest request;
  request.order = *parse_order(cell.order);
  request.extent = std::min(folio_of(cell.backing, machine).value_or(cell.footprint), cell.footprint);
  request.run = cell.run;
  request.target_page = cell.target;
  request.base_page = machine.base_page;
  return {cell, visits(request)};
}

}  // namespace folioscope::bench
