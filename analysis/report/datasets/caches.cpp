// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

constexpr std::string_view size_suffix = ".size_bytes";

Table caches(Material const& m) {
  Table table({"campaign", "level", "cache_bytes"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i) {
    std::vector<std::string> seen;
    for (Fact const& f : m.campaigns[i].facts.all()) {
      if (!f.key.starts_with(fact::cache_prefix) || !f.key.ends_with(size_suffix)) continue;
      std::string const level = printable(
          f.key.substr(fact::cache_prefix.size(), f.key.size() - fact::cache_prefix.size() - size_suffix.size()), 12);
      auto const bytes = f.value.as_number();
      // Of two sources that disagree the trusted one stands first. Instructions' caches hold no folios.
      if (!bytes || *bytes <= 0 || level.ends_with('i') || std::ranges::find(seen, level) != seen.end()) continue;
      seen.push_back(level);
      table.add({m.labels[i], level, number(*bytes)});
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_caches{"caches", "a cache that holds data, as the machine's facts have it", caches};

}  // namespace folioscope
