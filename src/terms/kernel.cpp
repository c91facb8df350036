// SPDX-License-Identifier: Apache-2.0
#include "terms/kernel.hpp"

#include <fmt/core.h>

#include "terms/error.hpp"
#include "terms/words.hpp"

namespace folioscope {
namespace {

constexpr Word<KernelKind> kinds[] = {{KernelKind::clear, "clear"}, {KernelKind::copy, "copy"}};
constexpr Word<StoreKind> stores[] = {{StoreKind::none, "none"},      {StoreKind::plain, "plain"},
                                      {StoreKind::string, "string"},  {StoreKind::non_temporal, "non-temporal"},
                                      {StoreKind::hint, "hint"},      {StoreKind::zeroing, "zeroing"},
                                      {StoreKind::library, "library"}};
constexpr Word<Direction> directions[] = {{Direction::up, "up"}, {Direction::down, "down"}};
constexpr Word<LinuxUse> uses[] = {
    {LinuxUse::yes, "yes"}, {LinuxUse::needs_fpu, "needs FPU state"}, {LinuxUse::user_only, "user only"}};

template <class T, std::size_t n>
T required(Word<T> const (&words)[n], Json const& json, std::string_view key, std::string_view where) {
  auto const text = json[key].as_string();
  auto const value = text ? value_of(words, *text) : std::nullopt;
  if (!value)
    throw Error(fmt::format("kernel contract without a known '{}'", key), std::string(where),
                "the capsule is damaged or from a newer folioscope");
  return *value;
}

}  // namespace

std::string to_string(KernelKind kind) { return word_of(kinds, kind); }
std::string to_string(StoreKind store) { return word_of(stores, store); }
std::string to_string(Direction direction) { return word_of(directions, direction); }
std::string to_string(LinuxUse use) { return word_of(uses, use); }

Json to_json(KernelContract const& c) {
  Json features = Json::array();
  for (auto const& f : c.features) features.push(f);
  return Json::object({{"name", c.name},
                       {"kind", to_string(c.kind)},
                       {"features", features},
                       {"granule_bytes", c.granule.value},
                       {"store", to_string(c.store)},
                       {"direction", to_string(c.direction)},
                       {"weakly_ordered", c.weakly_ordered},
                       {"linux", to_string(c.linux_use)},
                       {"source", c.source}});
}

KernelContract contract_from_json(Json const& json, std::string_view where) {
  KernelContract c;
  c.name = json["name"].as_string().value_or("");
  if (c.name.empty()) throw Error("kernel contract without a name", std::string(where), "the capsule is damaged");
  c.kind = required(kinds, json, "kind", where);
  for (auto const& f : json["features"].items()) c.features.push_back(f.as_string().value_or(""));
  c.granule =
      Bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, json["granule_bytes"].as_integer().value_or(1))));
  c.store = required(stores, json, "store", where);
  c.direction = required(directions, json, "direction", where);
  c.weakly_ordered = json["weakly_ordered"].as_bool().value_or(false);
  c.linux_use = required(uses, json, "linux", where);
  c.source = json["source"].as_string().value_or("");
  return c;
}

}  // namespace folioscope
