// SPDX-License-Identifier: Apache-2.0
#include "terms/facts.hpp"

#include <algorithm>

namespace folioscope {

void Facts::add(std::string key, Json value, std::string source, std::string note) {
  facts_.push_back({std::move(key), std::move(value), std::move(source), std::move(note)});
}
Fact const* Facts::find(std::string_view key) const {
  auto const it = std::ranges::find(facts_, key, &Fact::key);
  return it == facts_.end() ? nullptr : &*it;
}
Json const& Facts::value(std::string_view key) const {
  static Json const null;
  Fact const* fact = find(key);
  return fact ? fact->value : null;
}

std::optional<std::string> machine_of(Facts const& facts) {
  auto const instance = facts.value(fact::instance_key).as_string();
  if (!instance) return std::nullopt;
  return *instance + '/' + facts.value(fact::model_key).as_string().value_or("");
}

}  // namespace folioscope
