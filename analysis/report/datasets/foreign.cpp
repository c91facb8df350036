// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "report/dataset.hpp"

namespace folioscope {
namespace {

using Place = MeasuredBeside::Where;

/// An axis has no room for more.
std::string short_arm(ForeignFigure const& f) { return f.arm.substr(0, f.arm.find(" (")); }

Table foreign(Material const& m) {
  Table table({"measured", "workload", "arm", "over", "arm_short", "whose", "ratio", "low", "high", "n",
               "published_lies", "unit", "what", "source", "date", "machine", "quoted", "note", "why"});
  std::string const unit = "time ÷ time";
  bool several = false;
  for (ForeignRow const& row : m.explanation.foreign)
    for (MeasuredBeside const& h : row.here) several = several || h.campaign != row.here.front().campaign;
  for (ForeignRow const& row : m.explanation.foreign) {
    ForeignFigure const& f = row.figure;
    std::string const measured = row.here.empty() ? "no" : "yes";
    std::string const where = f.source.title + " (" + f.source.where + ")";
    table.add({measured, f.workload, f.arm, f.over, short_arm(f), std::string("published"), number(f.ratio), Value(),
               Value(), Value(), Value(), unit, Value(), where, f.source.date, f.source.machine, f.quoted, f.note,
               row.why});
    for (MeasuredBeside const& h : row.here) {
      std::string series = h.where == Place::linux ? "this Linux" : "user space";
      if (several) series += ", " + m.labels[h.campaign];
      table.add({measured, f.workload, f.arm, f.over, short_arm(f), series, number(h.ratio.ratio),
                 number(h.ratio.ci ? h.ratio.ci->low : NAN), number(h.ratio.ci ? h.ratio.ci->high : NAN),
                 number(h.ratio.n), published_lies(row, h), unit, printable(h.what, 120), std::string("measured here"),
                 Value(), m.labels[h.campaign], Value(), Value(), Value()});
    }
  }
  return table;
}

}  // namespace

extern Dataset const dataset_foreign{
    "foreign", "a published ratio of times, or the same ratio as it was measured here; nothing but ratios is compared",
    foreign};

}  // namespace folioscope
