// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "orders/order.hpp"
#include "plan/definition.hpp"
#include "plan/experiment.hpp"

namespace folioscope {
namespace {

constexpr double most_combinations = 1e6;

}  // namespace

void apply(Overrides const& overrides, Definition& definition) {
  std::pair<Factor, std::vector<std::string> const&> const given[] = {{Factor::kernels, overrides.kernels},
                                                                      {Factor::orders, overrides.orders},
                                                                      {Factor::runs, overrides.runs},
                                                                      {Factor::calls, overrides.calls},
                                                                      {Factor::targets, overrides.targets},
                                                                      {Factor::states, overrides.states},
                                                                      {Factor::footprints, overrides.footprints},
                                                                      {Factor::backings, overrides.backings},
                                                                      {Factor::fences, overrides.fences},
                                                                      {Factor::threads, overrides.threads},
                                                                      {Factor::prefetches, overrides.prefetches}};
  for (auto const& [factor, words] : given) {
    if (words.empty()) continue;
    for (std::string const& word : words)
      check(factor, word, {"--" + std::string(to_string(factor)), ExitStatus::usage});
    for (Group& group : definition.groups) group.of(factor) = words;
  }
  for (auto const& [name, text] : overrides.order_files) {
    if (name.empty()) throw UsageError("an order file without a name", "--order-file", "write NAME=FILE");
    for (Group& group : definition.groups) group.of(Factor::orders).push_back("file:" + name);
  }
  if (overrides.budget) definition.budget = *overrides.budget;
}

void check_targets(std::vector<std::string> const& words, Bytes folio, Bytes base_page) {
  std::uint64_t const pages = folio / base_page;
  for (std::string const& word : words) {
    auto const page = parse_target(word)->page(pages);
    if (!page || *page >= pages)
      throw UsageError(fmt::format("target {} lies outside the folio's {} base pages", word, pages), "--targets",
                       fmt::format("write 0 to {}, or a share such as N/4", pages - 1));
  }
}

Asker asker_of(Overrides const& o, std::string const& file) {
  bool const own = !o.order_files.empty() ||
                   std::ranges::any_of(std::array{&o.kernels, &o.orders, &o.states, &o.footprints, &o.backings,
                                                  &o.targets, &o.runs, &o.calls, &o.fences, &o.threads, &o.prefetches},
                                       [](auto const* words) { return !words->empty(); });
  return own ? Asker{"experiment", ExitStatus::usage} : Asker{file, ExitStatus::failed};
}

void bound(Definition const& definition, Asker const& asker) {
  double sum = 0;
  for (Group const& group : definition.groups) {
    double product = 1;
    for (auto const& words : group.words) product *= static_cast<double>(words.size());
    sum += product;
  }
  if (sum > most_combinations)
    throw Error(fmt::format("{:.0f} combinations of levels", sum), asker.where,
                fmt::format("at most {:.0f}: give fewer levels", most_combinations), asker.status);
}

}  // namespace folioscope
