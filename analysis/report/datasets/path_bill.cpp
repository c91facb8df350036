// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

std::string first_text(PathBillLine const& line) {
  if (!line.first) return "no page";
  return line.last ? "last page" : "page " + std::to_string(*line.first);
}

Table path_bill(Material const& m) {
  Table table({"campaign", "path",      "use",        "first",       "way",       "kind",    "part",
               "from_us",  "to_us",     "clear_us",   "use_us",      "total_us",  "low",     "high",
               "ratio",    "ratio_low", "ratio_high", "clear_ratio", "use_ratio", "verdict", "n"});
  auto const us = [](std::optional<Nanoseconds> const& t) { return t ? t->value * 1e-3 : NAN; };
  auto const ratio = [](std::optional<Estimate> const& e) { return e && e->n > 0 ? e->ratio : NAN; };
  for (PathBillLine const& l : m.explanation.path_bills) {
    bool const compared = l.reference && l.ratio.n > 0;
    double const total = l.total.value * 1e-3, clear = us(l.clear);
    auto const add = [&](std::string kind, std::string part, double from, double to) {
      table.add({m.labels[l.campaign],
                 printable(l.path),
                 l.downwards ? "downwards" : "upwards",
                 first_text(l),
                 l.apart ? "apart" : "together",
                 std::move(kind),
                 std::move(part),
                 number(from),
                 number(to),
                 number(clear),
                 number(us(l.spent)),
                 number(total),
                 number(l.ci ? l.ci->low * 1e-3 : NAN),
                 number(l.ci ? l.ci->high * 1e-3 : NAN),
                 number(compared ? l.ratio.ratio : NAN),
                 number(compared && l.ratio.ci ? l.ratio.ci->low : NAN),
                 number(compared && l.ratio.ci ? l.ratio.ci->high : NAN),
                 number(ratio(l.clear_ratio)),
                 number(ratio(l.use_ratio)),
                 compared ? Value(to_string(l.finding)) : Value(),
                 number(l.n)});
    };
    if (l.clear) {
      add("clear", "clear", 0, clear);
      add("total", "use", clear, total);
    } else {
      add("total", "both, folio by folio", 0, total);
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_path_bill{"path_bill",
                                       "clear and use along a path of the running Linux by the page touched first and "
                                       "the direction of the use, us a folio "
                                       "with the 95 % interval of the total; ratios to page 0 first and the same use",
                                       path_bill};

}  // namespace folioscope
