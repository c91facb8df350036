// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

std::string value_text(Json const& value) {
  if (value.is_null()) return "not known";
  if (auto const text = value.as_string()) return printable(*text, 300);
  return printable(value.dump(), 300);
}

Table facts(Material const& m) {
  Table table({"campaign", "key", "value", "source", "note"});
  for (std::size_t i = 0; i < m.campaigns.size(); ++i)
    for (Fact const& f : m.campaigns[i].facts.all())
      table.add(
          {m.labels[i], printable(f.key, 80), value_text(f.value), printable(f.source, 200), printable(f.note, 300)});
  return table;
}

}  // namespace

extern Dataset const dataset_facts{"facts", "a fact of the machine, where it is from, and what is to be said about it",
                                   facts};

}  // namespace folioscope
