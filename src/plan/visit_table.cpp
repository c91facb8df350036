// SPDX-License-Identifier: Apache-2.0
#include "plan/visit_table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "terms/cell.hpp"

namespace folioscope {
namespace {

std::string name_of(OrderName const& order) { return order.base.substr(5); }  // without "file:"

}  // namespace

VisitTable::VisitTable(Bytes base_page, std::uint64_t seed,
                       std::vector<std::pair<std::string, std::string>> const& order_files)
    : base_page_(base_page), seed_(seed), texts_(order_files.begin(), order_files.end()) {}

Granted<VisitTable::Id> VisitTable::find(Key const& key) {
  auto const it = known_.find(key);
  return it != known_.end() ? it->second : known_.emplace(key, make(key)).first->second;
}

void VisitTable::check_files(Bytes folio) const {
  for (auto const& [name, text] : texts_) {
    auto const fits = [&](auto const& known) { return known.first.first == "file:" + name; };
    if (std::none_of(file_runs_.begin(), file_runs_.end(), fits))
      parse_order_file(text, "order file " + name, folio, base_page_);
  }
}

Bytes VisitTable::longest(Id id) const { return longest_[id]; }

Granted<VisitTable::Id> VisitTable::make(Key const& key) {
  VisitRequest request{key.order, key.extent, key.run, key.target, base_page_, seed_, nullptr};
  if (!is_file(key.order)) {
    if (auto no = refuse(request)) return *no;
    return keep(key, folioscope::visits(request));
  }
  auto const file = read(key);
  if (!file) return file.refusal();
  request.file = &*file;
  file_runs_[{key.order.base, key.extent}] = file->run;
  return keep(key, folioscope::visits(request));
}

Granted<OrderFile> VisitTable::read(Key const& key) {
  auto const text = texts_.find(name_of(key.order));
  if (text == texts_.end()) {
    std::vector<std::string> names;
    for (auto const& [name, _] : texts_) names.push_back(name);
    auto const nearest = nearest_name(name_of(key.order), names);
    throw UsageError(fmt::format("no order file '{}'", name_of(key.order)), "orders",
                     nearest ? fmt::format("did you mean '{}'?", *nearest)
                             : fmt::format("give --order-file {}=FILE", name_of(key.order)));
  }
  try {
    return parse_order_file(text->second, "order file " + text->first, key.extent, base_page_);
  } catch (Error const& error) {
    return Refusal{fmt::format("{} over {}", key.order.base, format_bytes(key.extent)), error.what(), {}};
  }
}

Granted<VisitTable::Id> VisitTable::keep(Key const& key, Visits visits) {
  if (auto const it = ids_.find(visits); it != ids_.end()) return it->second;
  if (visits.size() > most_stretches - stretches_)
    return Refusal{fmt::format("{} over {}", to_string(key.order), format_bytes(key.extent)),
                   fmt::format("the plan's orders would have more than {} stretches", most_stretches),
                   "give fewer levels, or longer runs"};
  stretches_ += visits.size();
  auto const longest =
      std::max_element(visits.begin(), visits.end(), [](Stretch a, Stretch b) { return a.length < b.length; });
  longest_.push_back(longest->length);
  Id const id = by_id_.size();
  by_id_.push_back(&ids_.emplace(std::move(visits), id).first->first);
  return id;
}

}  // namespace folioscope
