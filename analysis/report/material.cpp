// SPDX-License-Identifier: Apache-2.0
#include "report/material.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "explain/advice.hpp"
#include "explain/layout.hpp"
#include "explain/linux_paths.hpp"

namespace folioscope {
namespace {

bool all_differ(std::vector<std::string> labels) {
  std::ranges::sort(labels);
  return std::ranges::adjacent_find(labels) == labels.end();
}

/// The model's name, and as much more as it takes to tell the campaigns apart.
std::vector<std::string> labels_of(std::vector<ExplainedCampaign> const& campaigns) {
  std::vector<std::string> labels(campaigns.size());
  auto const extend = [&](auto const& part) {
    if (!labels.empty() && !labels.front().empty() && all_differ(labels)) return;
    std::vector<std::string> parts;
    for (auto const& c : campaigns) parts.push_back(part(c));
    bool const same = std::ranges::all_of(parts, [&](auto const& p) { return p == parts.front(); });
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i].empty())
        labels[i] = parts[i];
      else if (!same)
        labels[i] += ", " + parts[i];
  };
  if (campaigns.size() == 1) extend([](ExplainedCampaign const& c) { return machine_words(c); });
  auto const fact_of = [](ExplainedCampaign const& c, std::string_view key, char const* other) {
    return printable(c.facts.value(key).as_string().value_or(other), 40);
  };
  extend([&](ExplainedCampaign const& c) { return fact_of(c, fact::cpu_model, "CPU unknown"); });
  extend([&](ExplainedCampaign const& c) { return "Linux " + fact_of(c, fact::linux_release, "unknown"); });
  extend([](ExplainedCampaign const& c) { return printable(c.experiment, 30); });
  extend([&](ExplainedCampaign const& c) { return fact_of(c, fact::hostname, "unknown host"); });
  extend([](ExplainedCampaign const& c) { return printable(c.header.started, 30); });
  if (!all_differ(labels))
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] += fmt::format(" #{}", i + 1);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (campaigns[i].emulator) labels[i] += fmt::format(" [emulated: {}]", printable(*campaigns[i].emulator, 30));
  return labels;
}

std::vector<std::uint32_t> by_prominence(ExplainedCampaign const& c) {
  std::vector<std::vector<std::uint64_t>> ranks;
  for (Cell const& cell : c.cells) ranks.push_back(prominence(c, cell));
  std::vector<std::uint32_t> order(c.cells.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) -> std::vector<std::uint64_t> const& { return ranks[i]; });
  return order;
}

}  // namespace

Material material_of(std::span<Campaign const> campaigns, std::span<ForeignFigure const> foreign) {
  Material m;
  m.campaigns = campaigns;
  m.explanation = explain(campaigns, foreign);
  for (Campaign const& c : campaigns) m.runs.emplace_back(c);
  m.labels = labels_of(m.explanation.campaigns);
  for (ExplainedCampaign const& c : m.explanation.campaigns) {
    m.cells.push_back(by_prominence(c));
    // Linux's own paths do more than clear: they have figures of their own.
    std::erase_if(m.cells.back(), [&](std::uint32_t i) { return is_path_kernel(c.cells[i].kernel); });
  }
  return m;
}

}  // namespace folioscope
