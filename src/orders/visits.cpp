// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "orders/order.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

std::uint64_t runs_in(Bytes extent, Bytes run, std::string const& order) {
  if (run < least_run || run.value % least_run.value != 0)
    throw UsageError(fmt::format("run {} is no multiple of {}", format_bytes(run), format_bytes(least_run)), order,
                     "give runs in whole cache lines");
  if (extent.value % run.value != 0 || extent.value == 0)
    throw UsageError(fmt::format("run {} does not divide {}", format_bytes(run), format_bytes(extent)), order,
                     "choose a run that divides the folio, or the footprint where that is smaller");
  if (extent / run > most_runs)
    throw UsageError(fmt::format("{} runs of {} are too many", extent / run, format_bytes(run)), order,
                     fmt::format("at most {} runs fit one extent: choose longer runs", most_runs));
  return extent / run;
}

/// Runs that follow each other in ascending address become one stretch.
Visits merged(std::vector<std::uint64_t> const& order, Bytes run) {
  Visits visits;
  for (std::uint64_t index : order) {
    Bytes const offset = run * index;
    if (!visits.empty() && visits.back().offset + visits.back().length == offset)
      visits.back().length = visits.back().length + run;
    else
      visits.push_back({offset, run});
  }
  return visits;
}

}  // namespace

bool is_file(OrderName const& order) { return order.base.starts_with("file:"); }

OrderName canonical(OrderName order) {
  if (is_file(order)) return order;
  Order const* known = find_order(order.base);
  if (!known) {
    std::vector<std::string> names;
    for (Order const* o : order_catalogue()) names.emplace_back(o->name);
    auto const nearest = nearest_name(order.base, names);
    throw UsageError(fmt::format("no order '{}'", order.base), "orders",
                     nearest ? fmt::format("did you mean '{}'?", *nearest) : "`folioscope list orders` names them");
  }
  if (!known->default_parameter && order.parameter)
    throw UsageError(fmt::format("'{}' takes no parameter", order.base), "orders",
                     fmt::format("write '{}'", order.base));
  if (!known->default_parameter) return order;
  std::uint64_t const parameter = order.parameter.value_or(*known->default_parameter);
  if (parameter < known->least_parameter)
    throw UsageError(fmt::format("'{}' needs a parameter of at least {}", order.base, known->least_parameter), "orders",
                     fmt::format("it counts {}", known->parameter_meaning));
  order.parameter = parameter == 0 && *known->default_parameter == 0 ? std::nullopt : std::optional(parameter);
  return order;
}

Visits visits(VisitRequest const& request) {
  std::string const text = to_string(request.order);
  OrderName const name = canonical(request.order);
  if (request.extent.value == 0)
    throw UsageError("an empty extent has no order", text, "give a footprint of at least one run");
  if (is_file(name)) {
    if (!request.file) throw UsageError("no order file of that name", text, "give --order-file NAME=FILE");
    if (request.file->run * request.file->indices.size() != request.extent)
      throw UsageError(
          fmt::format("the file covers {}, not {}", format_bytes(request.file->run * request.file->indices.size()),
                      format_bytes(request.extent)),
          text, "write one for this extent");
    return merged(request.file->indices, request.file->run);
  }
  if (name.base == "sequential") return {{Bytes(0), request.extent}};
  if (!request.run) throw UsageError("needs the unit it permutes", text, "give a run size");
  OrderShape shape{.runs = runs_in(request.extent, *request.run, text)};
  if (request.target_page) {
    std::uint64_t const pages = std::max<std::uint64_t>(1, request.extent / request.base_page);
    if (*request.target_page >= pages)
      throw UsageError(fmt::format("target {} lies outside 0 to {}", *request.target_page, pages - 1), text,
                       "targets index the base pages of the extent");
    shape.target = request.base_page * *request.target_page / *request.run;
  }
  shape.parameter = name.parameter.value_or(0);
  shape.seed = request.seed;
  return merged(find_order(name.base)->permute(shape), *request.run);
}

}  // namespace folioscope
