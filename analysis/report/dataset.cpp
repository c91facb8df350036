// SPDX-License-Identifier: Apache-2.0
#include "report/dataset.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "explain/layout.hpp"

namespace folioscope {

#define DATASET(name) extern Dataset const dataset_##name;
#include "report/datasets/catalogue.def"
#undef DATASET

std::span<Dataset const> datasets() {
  static Dataset const all[] = {
#define DATASET(name) dataset_##name,
#include "report/datasets/catalogue.def"
#undef DATASET
  };
  return all;
}

Dataset const* find_dataset(std::string_view name) {
  auto const all = datasets();
  auto const it = std::ranges::find(all, name, &Dataset::name);
  return it == all.end() ? nullptr : &*it;
}

std::vector<std::string> operator+(std::vector<std::string> fields, std::vector<std::string> const& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::vector<Value> operator+(std::vector<Value> values, std::vector<Value> const& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

std::vector<std::string> cell_fields() {
  return {"campaign", "kernel",   "stores",    "linux_use",  "order",          "run",
          "call",     "prefetch", "target",    "state",      "footprint",      "backing",
          "threads",  "fence",    "run_bytes", "call_bytes", "footprint_bytes"};
}

std::vector<Value> cell_values(Material const& m, std::size_t campaign, Cell const& cell) {
  ExplainedCampaign const& c = m.explanation.campaigns[campaign];
  auto const contract = std::ranges::find(c.kernels, cell.kernel, &KernelContract::name);
  bool const known = contract != c.kernels.end();
  auto const bytes = [](Bytes b) { return number(static_cast<double>(b.value)); };
  return {m.labels[campaign],
          printable(cell.kernel, 30),
          known ? Value(to_string(contract->store)) : Value(),
          known ? Value(to_string(contract->linux_use)) : Value(),
          printable(cell.order, 30),
          cell.run ? Value("run " + compact_bytes(*cell.run)) : Value(),
          "call " + compact_bytes(cell.call),
          cell.prefetch.value ? Value("prefetch " + compact_bytes(cell.prefetch)) : Value(),
          cell.target ? Value(fmt::format("target {}", *cell.target)) : Value(),
          to_string(cell.state),
          footprint_words(cell.footprint, c.folio),
          to_string(cell.backing),
          fmt::format("{} thread{}", cell.threads, cell.threads == 1 ? "" : "s"),
          cell.fence ? Value("fence a " + to_string(*cell.fence)) : Value(),
          cell.run ? bytes(*cell.run) : Value(),
          bytes(cell.call),
          bytes(cell.footprint)};
}

}  // namespace folioscope
