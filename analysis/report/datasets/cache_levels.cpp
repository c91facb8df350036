// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

Table cache_levels(Material const& m) {
  Table table({"campaign", "load", "level", "ns", "seen_kib", "told_kib", "source", "note"});
  for (SeenCurve const& curve : m.explanation.curves)
    for (SeenLevel const& level : curve.levels) {
      bool const last = &level == &curve.levels.back();
      auto const add = [&](Value told, Value source, Value note) {
        table.add({m.labels[curve.campaign], curve.loaded ? printable(curve.load, 60) : "idle",
                   printable(level.seen.name, 30), number(level.seen.latency.value),
                   last ? Value() : number(static_cast<double>(level.seen.up_to.value) / 1024), std::move(told),
                   std::move(source), std::move(note)});
      };
      for (ToldSize const& told : level.told)
        add(number(static_cast<double>(told.size.value) / 1024), printable(told.source, 60), printable(told.note, 120));
      if (level.told.empty()) add(Value(), Value(), Value());
    }
  return table;
}

}  // namespace

extern Dataset const dataset_cache_levels{
    "cache_levels",
    "a level of a latency curve and a source that tells its cache's size: latency and size as seen beside what is told",
    cache_levels};

}  // namespace folioscope
