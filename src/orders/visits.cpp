// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "orders/order.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

std::optional<Refusal> refuse_run(Bytes extent, Bytes run, std::string const& order) {
  if (run < least_run || run.value % least_run.value != 0)
    return Refusal{order, fmt::format("run {} is no multiple of {}", format_bytes(run), format_bytes(least_run)),
                   "give runs in whole cache lines"};
  if (extent.value % run.value != 0)
    return Refusal{order, fmt::format("run {} does not divide {}", format_bytes(run), format_bytes(extent)),
                   "choose a run that divides the folio, or the footprint where that is smaller"};
  if (extent / run > most_runs)
    return Refusal{order, fmt::format("{} runs of {} are too many", extent / run, format_bytes(run)),
                   fmt::format("at most {} runs fit one extent: choose longer runs", most_runs)};
  return std::nullopt;
}

std::optional<Refusal> refuse_file(VisitRequest const& request, std::string const& order) {
  if (!request.file) return Refusal{order, "no order file of that name", "give --order-file NAME=FILE"};
  Bytes const covered = request.file->run * request.file->indices.size();
  if (covered == request.extent) return std::nullopt;
  return Refusal{order, fmt::format("the file covers {}, not {}", format_bytes(covered), format_bytes(request.extent)),
                 "write one for this extent"};
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

std::optional<Refusal> refuse(VisitRequest const& request) {
  std::string const text = to_string(request.order);
  OrderName const name = canonical(request.order);
  if (request.extent.value == 0) return Refusal{text, "an empty extent has no order", "give a larger footprint"};
  if (is_file(name)) return refuse_file(request, text);
  if (name.base == "sequential") return std::nullopt;
  if (!request.run) return Refusal{text, "needs the unit that it permutes", "give a run size"};
  if (auto refusal = refuse_run(request.extent, *request.run, text)) return refusal;
  std::uint64_t const pages = std::max<std::uint64_t>(1, request.extent / request.base_page);
  if (request.target_page.value_or(0) >= pages)
    return Refusal{text, fmt::format("target {} lies outside 0 to {}", *request.target_page, pages - 1),
                   "targets index the base pages of the extent"};
  return std::nullopt;
}

Visits visits(VisitRequest const& request) {
  if (auto const no = refuse(request)) throw UsageError(no->reason, no->subject, no->remedy);
  OrderName const name = canonical(request.order);
  if (is_file(name)) return merged(request.file->indices, request.file->run);
  if (name.base == "sequential") return {{Bytes(0), request.extent}};
  Bytes const run = *request.run;
  OrderShape const shape{.runs = request.extent / run,
                         .target = request.base_page * request.target_page.value_or(0) / run,
                         .parameter = name.parameter.value_or(0),
                         .seed = request.seed};
  return merged(find_order(name.base)->permute(shape), run);
}

}  // namespace folioscope
