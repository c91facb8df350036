// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "explain/layout.hpp"
#include "report/html.hpp"
#include "report/page.hpp"
#include "report/svg/draw.hpp"
#include "terms/fixed.hpp"
#include "terms/units.hpp"

namespace folioscope {
namespace {

constexpr std::size_t table_rows = 300;  // more are in the CSV
constexpr double drawing_width = 720;

bool is_own(Prepared const& f, std::vector<Value> const& row) {
  auto const table = f.table.field("table");
  return !table || as_text(row[*table]) == f.figure->tables.front();
}

std::string cell_text(Column const& c, Value const& v) {
  if (!is_there(v)) return {};
  if (auto const* text = std::get_if<std::string>(&v)) return *text;
  double const n = std::get<double>(v);
  if (c.format == "count") return fixed(n, 0);
  if (c.format == "bytes" && n >= 0 && n < 9e18) return format_bytes(Bytes(static_cast<std::uint64_t>(n)));
  return figure(n);
}

bool several_campaigns(Prepared const& f) {
  auto const at = f.table.field("campaign");
  auto const& rows = f.table.rows();
  return at && std::ranges::any_of(rows, [&](auto const& row) { return row[*at] != rows.front()[*at]; });
}

/// "`command`" becomes code.
std::string with_code(std::string_view text) {
  std::string out;
  bool inside = false;
  for (char const c : escaped(text)) {
    if (c == '`')
      out += (inside = !inside) ? "<code>" : "</code>";
    else
      out += c;
  }
  return inside ? out + "</code>" : out;
}

std::string notes_html(Prepared const& f) {
  std::string out;
  if (!f.emulated.empty())
    out += fmt::format("<p class=\"emulated\">Emulated ({}): timings are no results.</p>", escaped(f.emulated));
  if (f.panels_left_out && f.empty.empty())
    out += fmt::format("<p class=\"note\">{} more panels are not drawn; their rows are in the table and the CSV.</p>",
                       f.panels_left_out);
  if (f.rows_undrawn && f.empty.empty())
    out += fmt::format("<p class=\"note\">{} more points are not drawn; their rows are in the table and the CSV.</p>",
                       f.rows_undrawn);
  if (f.rows_left_out)
    out += fmt::format(
        "<p class=\"note\">{} more rows are left out here; give fewer capsules, or use <code>folioscope "
        "export</code>.</p>",
        f.rows_left_out);
  return out;
}

}  // namespace

std::string table_html(Prepared const& f, std::size_t most_rows) {
  std::vector<Column const*> columns;
  std::vector<std::size_t> fields;
  for (Column const& c : f.figure->columns) {
    auto const at = f.table.field(c.field);
    if (c.field == "campaign" && !several_campaigns(f)) continue;
    // Factors that no row has would only make the table wide.
    bool const used = at && std::ranges::any_of(f.table.rows(), [&](auto const& row) {
                        return is_own(f, row) && is_there(row[*at]) && row[*at] != Value(std::string());
                      });
    if (!used) continue;
    columns.push_back(&c);
    fields.push_back(*at);
  }
  std::string out =
      fmt::format("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"{}: table\"><table><thead><tr>",
                  escaped(f.figure->title));
  for (Column const* c : columns)
    out += fmt::format("<th scope=\"col\"{}>{}{}</th>", c->format == "text" ? "" : " class=\"n\"", escaped(c->label),
                       c->unit.empty() ? "" : " <span>" + escaped(c->unit) + "</span>");
  out += "</tr></thead><tbody>";
  std::size_t shown = 0, all = 0;
  for (auto const& row : f.table.rows()) {
    if (!is_own(f, row)) continue;
    if (++all > most_rows) continue;
    ++shown;
    out += "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i)
      out += fmt::format("<td{}>{}</td>", columns[i]->format == "text" ? "" : " class=\"n\"",
                         escaped(cell_text(*columns[i], row[fields[i]])));
    out += "</tr>\n";
  }
  out += "</tbody></table></div>";
  if (all > shown) out += fmt::format("<p class=\"note\">{} more rows are in the CSV.</p>", all - shown);
  return out;
}

std::string figure_json(Prepared const& f) {
  std::string fields, data;
  for (std::size_t c = 0; c < f.table.fields().size(); ++c) {
    fields += (c ? "," : "") + json_string(f.table.fields()[c]);
    std::vector<std::string_view> names;
    std::unordered_map<std::string_view, std::size_t> number_of;
    std::string values;
    for (auto const& row : f.table.rows()) {
      values += values.empty() ? "" : ",";
      if (auto const* text = std::get_if<std::string>(&row[c])) {
        auto const [it, added] = number_of.emplace(*text, names.size());
        if (added) names.push_back(*text);
        values += std::to_string(it->second);
      } else if (double const n = as_number(row[c]); std::isfinite(n)) {
        values += fmt::format("{:.6g}", n);
      } else {
        values += "null";
      }
    }
    std::string texts;
    for (auto const name : names) texts += (texts.empty() ? "" : ",") + json_string(name);
    data += fmt::format("{}{{\"t\":{},\"v\":[{}]}}", c ? "," : "", names.empty() ? "null" : "[" + texts + "]", values);
  }
  std::string panels, columns;
  for (auto const& p : f.panels) panels += (panels.empty() ? "" : ",") + json_string(p);
  for (Column const& c : f.figure->columns)
    columns += fmt::format("{}{{\"field\":{},\"label\":{},\"unit\":{},\"format\":{}}}", columns.empty() ? "" : ",",
                           json_string(c.field), json_string(c.label), json_string(c.unit), json_string(c.format));
  return fmt::format(
      "{{\"name\":{},\"title\":{},\"own\":{},\"abreast\":{},\"spec\":{},\"panels\":[{}],\"columns\":[{}],\"fields\":[{}"
      "],\"data\":[{}]"
      "}}",
      json_string(f.figure->name), json_string(f.figure->title), json_string(f.figure->tables.front()),
      f.figure->abreast, f.empty.empty() ? inside_script(f.figure->spec.dump()) : "null", panels, columns, fields,
      data);
}

std::string figure_html(Prepared const& f, std::size_t& drawing_bytes) {
  Figure const& figure = *f.figure;
  std::string const name = escaped(figure.name);
  std::string out = fmt::format(
      "<figure id=\"{}\" aria-labelledby=\"{}-title\"><figcaption><h2 id=\"{}-title\"><a href=\"#{}\">{}</a></h2>"
      "<p class=\"question\">{}</p>",
      name, name, name, name, escaped(figure.title), with_code(figure.question));
  if (!f.constants.empty()) out += fmt::format("<p class=\"constants\">All: {}.</p>", escaped(f.constants));
  out += "</figcaption>" + notes_html(f);
  if (!f.empty.empty()) return out + fmt::format("<div class=\"empty\"><p>{}</p></div></figure>\n", with_code(f.empty));
  bool const drawn = !figure.spec.is_null();
  if (drawn) {
    std::string svg = draw_svg(f, of_page(), drawing_width, false);
    if (svg.size() > drawing_bytes)
      svg = "<p class=\"note\">Too much to draw without scripts; folioscope report --svg DIR draws it.</p>";
    else
      drawing_bytes -= svg.size();
    out += fmt::format("<div class=\"drawing\" role=\"img\" aria-label=\"{}. {}\">{}</div>", escaped(figure.title),
                       escaped(figure.question), svg);
  }
  out += fmt::format("<div class=\"actions\">{}<button type=\"button\" data-csv=\"{}\">CSV</button></div>",
                     drawn ? fmt::format("<button type=\"button\" data-svg=\"{}\">SVG</button>", name) : "", name);
  std::string const table = table_html(f, table_rows);
  if (drawn)
    out += fmt::format("<details><summary>Table</summary>{}</details>", table);
  else
    out += table;
  return out + fmt::format("<script type=\"application/json\" data-figure=\"{}\">{}</script></figure>\n", name,
                           figure_json(f));
}

}  // namespace folioscope
