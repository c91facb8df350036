// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <fmt/core.h>

#include "explain/advice.hpp"
#include "explain/layout.hpp"
#include "explain/tables.hpp"
#include "report/html.hpp"
#include "terms/embedded.hpp"

#ifndef FOLIOSCOPE_NO_BUNDLES
#define FOLIOSCOPE_NO_BUNDLES ""
#endif

namespace folioscope {

namespace embedded {
std::span<EmbeddedFile const> web();
std::span<EmbeddedFile const> bundles();
}  // namespace embedded

namespace {

constexpr std::size_t drawing_bytes_in_all = 900'000;  // of drawings that scripts replace
constexpr std::size_t open_verdicts = 4;

std::string_view web_file(std::string_view name) {
  for (EmbeddedFile const& f : embedded::web())
    if (f.name.ends_with(name)) return f.bytes;
  return {};
}

std::string list_html(std::vector<std::string> const& items) {
  std::string out = "<ul>";
  for (auto const& item : items) out += "<li>" + escaped(item) + "</li>";
  return out + "</ul>";
}

std::string one_verdict(Material const& m, std::size_t i, bool open) {
  ExplainedCampaign const& c = m.explanation.campaigns[i];
  Advice const& a = m.explanation.advice[i];
  std::string out = "<article class=\"verdict\">";
  if (c.emulator)
    out += fmt::format("<p class=\"emulated\">Emulated ({}): timings are no results.</p>",
                       escaped(printable(*c.emulator)));
  out += fmt::format("<p class=\"machine\">{}</p><p class=\"conclusion\">{}</p>",
                     escaped(m.labels.size() > 1 ? m.labels[i] : machine_words(c)), escaped(a.conclusion));
  for (auto const& remark : remarks(m, i)) out += fmt::format("<p class=\"remark\">{}</p>", escaped(remark));
  std::string more;
  if (!a.findings.empty()) more += list_html(a.findings);
  more += fmt::format("<p class=\"noise\">{}</p>", escaped(noise_sentence(m.explanation, i)));
  for (auto const& s : cache_sentences(m.explanation, i)) more += fmt::format("<p class=\"noise\">{}</p>", escaped(s));
  if (!a.would_change.empty()) more += "<h3>What would change this</h3>" + list_html(a.would_change);
  out += fmt::format("<details{}><summary>Why</summary>{}</details>", open ? " open" : "", more);
  return out + fmt::format("<p class=\"run\">{}</p></article>\n", escaped(campaign_sentence(c)));
}

std::string bundles_html() {
  std::string licences, scripts;
  for (EmbeddedFile const& f : embedded::bundles()) {
    if (f.name.ends_with(".js"))
      scripts += fmt::format("<script>{}</script>\n", f.bytes);
    else
      licences += std::string(f.bytes) + "\n";
  }
  // Two hyphens would end the comment.
  for (std::size_t at; (at = licences.find("--")) != std::string::npos;) licences.replace(at, 2, "- ");
  return "<!-- Vega, Vega-Lite and vega-embed stand in this page under these licences:\n" + licences + "-->\n" +
         scripts;
}

std::string contents_html(std::span<Prepared const> figures) {
  std::string out = "<nav aria-label=\"Figures\"><ol>";
  for (Prepared const& f : figures)
    if (!f.figure->optional || f.empty.empty())
      out += fmt::format("<li{}><a href=\"#{}\">{}</a></li>", f.empty.empty() ? "" : " class=\"nothing\"",
                         escaped(f.figure->name), escaped(f.figure->title));
  return out + "<li><a href=\"#reproduce\">How to reproduce</a></li></ol></nav>\n";
}

}  // namespace

std::string why_no_bundles() { return FOLIOSCOPE_NO_BUNDLES; }

std::string verdict_html(Material const& m) {
  if (m.labels.empty())
    return "<section class=\"verdicts\"><article class=\"verdict\"><p class=\"conclusion\">No campaign: the capsule "
           "holds "
           "nothing yet.</p><p>Run <code>folioscope sweep</code>.</p></article></section>\n";
  std::string out = "<section class=\"verdicts\" aria-label=\"Verdict\">";
  for (std::size_t i = 0; i < m.labels.size(); ++i) out += one_verdict(m, i, m.labels.size() <= open_verdicts);
  return out + "</section>\n";
}

std::string reproduce_html(Material const& m, std::span<ReportSource const> sources) {
  std::string out = "<section id=\"reproduce\"><h2><a href=\"#reproduce\">How to reproduce</a></h2>";
  std::size_t i = 0;
  for (ReportSource const& source : sources)
    for (std::size_t k = 0; k < source.campaigns && i < m.labels.size(); ++k, ++i) {
      CampaignHeader const& h = m.explanation.campaigns[i].header;
      out += fmt::format(
          "<div class=\"command\"><p>{}</p><pre tabindex=\"0\">{}</pre><p class=\"note\">folioscope {}, begun {}, "
          "campaign {} ({}) of {}</p></div>\n",
          escaped(m.labels[i]), escaped(printable(h.command, 2000)), escaped(printable(h.version)),
          escaped(printable(h.started)), h.id, escaped(printable(h.uuid)), escaped(printable(source.file, 300)));
    }
  return out + "</section>\n";
}

std::string page_html(Material const& m, std::span<ReportSource const> sources, std::span<Prepared const> figures) {
  std::string const title = m.labels.empty()       ? "folioscope: nothing yet"
                            : m.labels.size() == 1 ? "folioscope: " + m.labels.front()
                                                   : fmt::format("folioscope: {} campaigns", m.labels.size());
  // Nothing in the page may load anything: the policy makes a browser hold it to that.
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data: blob:\">\n<meta "
      "name=\"generator\" "
      "content=\"folioscope {}\">\n<title>{}</title>\n<link rel=\"icon\" "
      "href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n",
      FOLIOSCOPE_VERSION, escaped(title), web_file("page.css"));
  out +=
      "<header><p class=\"brand\">folioscope</p><p class=\"asks\">In what order, and with which instructions, should "
      "this "
      "machine clear huge pages?</p><button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\">"
      "<span aria-hidden=\"true\">◐</span></button></header>\n<main>\n";
  out += verdict_html(m);
  if (auto const why = why_no_bundles(); !why.empty())
    out += fmt::format("<p class=\"note bundles\">The figures are still drawings: {}.</p>\n", escaped(why));
  out += contents_html(figures);
  std::size_t drawing_bytes = drawing_bytes_in_all;
  for (Prepared const& f : figures)
    if (!f.figure->optional || f.empty.empty()) out += figure_html(f, drawing_bytes);
  out += reproduce_html(m, sources);
  out += fmt::format(
      "</main>\n<footer><p>folioscope {}. Intervals are 95 % t intervals over placements; a verdict holds after "
      "Holm's correction and beyond the smallest effect that the noise lets through.</p></footer>\n",
      FOLIOSCOPE_VERSION);
  out += bundles_html();
  out += fmt::format("<script>{}</script>\n</body>\n</html>\n", web_file("page.js"));
  return out;
}

}  // namespace folioscope
