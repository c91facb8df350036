// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "report/dataset.hpp"
#include "report/page.hpp"
#include "report/svg/draw.hpp"

namespace folioscope {

Report report(std::span<Campaign const> campaigns, std::span<ReportSource const> sources, bool with_svgs,
              std::span<ForeignFigure const> foreign) {
  Material const material = material_of(campaigns, foreign);
  std::vector<Table> tables;
  for (Dataset const& d : datasets()) tables.push_back(d.rows(material));
  std::vector<Figure> const all = figures();
  std::vector<Prepared> prepared;
  for (Figure const& f : all) prepared.push_back(prepare(f, material, tables));
  Report out;
  for (Prepared const& p : prepared) {
    if (p.figure->spec.is_null()) continue;
    if (!p.empty.empty()) {
      out.undrawn.push_back(p.figure->name);
    } else if (with_svgs) {
      out.svgs.push_back({p.figure->name, draw_svg(p, paper(), 960, true)});
    }
  }
  out.html = page_html(material, sources, prepared);
  return out;
}

}  // namespace folioscope
