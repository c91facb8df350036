// SPDX-License-Identifier: Apache-2.0
// Every figure that is built in, and what would be refused of one that is added.
#include "report/figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "report/dataset.hpp"
#include "report/machines.hpp"
#include "report/svg/chart.hpp"
#include "report/svg/draw.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

std::vector<Table> tables_of(Material const& m) {
  std::vector<Table> out;
  for (Dataset const& d : datasets()) out.push_back(d.rows(m));
  return out;
}

void fields_of(Json const& json, std::set<std::string>& into) {
  for (auto const& [key, value] : json.members()) {
    if (key == "field") into.insert(value.as_string().value_or(""));
    fields_of(value, into);
  }
  for (Json const& item : json.items()) fields_of(item, into);
}

bool has(Figure const& f, std::string const& field) {
  return std::ranges::find(f.columns, field, &Column::field) != f.columns.end();
}

TEST(Figures, EveryFileIsBuiltIn) {
  std::set<std::string> files, built;
  for (auto const& entry : std::filesystem::directory_iterator(FOLIOSCOPE_SOURCE_DIR "/analysis/report/figures"))
    files.insert(entry.path().filename().string());
  for (Figure const& f : figures()) built.insert(f.name + ".vl.json");
  EXPECT_EQ(files, built);
  EXPECT_GE(built.size(), 14u);
}

TEST(Figures, EachStaysInsideWhatIsDrawnWithoutABrowser) {
  for (Figure const& f : figures())
    if (!f.spec.is_null()) {
      EXPECT_FALSE(svg::parse_chart(f.spec, f.name).layers.empty()) << f.name;
    }
}

TEST(Figures, EachNamesOnlyFieldsThatThereAre) {
  std::vector<Campaign> const campaigns{synthetic::usual()};
  Material const m = material_of(campaigns);
  auto const tables = tables_of(m);
  for (Figure const& f : figures()) {
    std::set<std::string> known{"table"}, named;
    for (auto const& name : f.tables)
      for (auto const& field : tables[static_cast<std::size_t>(find_dataset(name) - datasets().data())].fields())
        known.insert(field);
    for (auto const& c : f.composed) {
      for (auto const& field : c.of) EXPECT_TRUE(known.contains(field)) << f.name << " composes " << field;
      known.insert(c.field);
    }
    fields_of(f.spec, named);
    for (auto const& c : f.columns) named.insert(c.field);
    for (auto const& c : f.where) named.insert(c.field);
    for (auto const& [field, least] : f.distinct) named.insert(field);
    for (auto const& field : named) EXPECT_TRUE(known.contains(field)) << f.name << " names " << field;
  }
}

TEST(Figures, EachQuantitativeAxisHasAUnitAndEachIntervalItsN) {
  for (Figure const& f : figures()) {
    if (f.spec.is_null()) continue;
    auto const chart = svg::parse_chart(f.spec, f.name);
    for (auto const name : {"x", "y"})
      for (auto const& layer : chart.layers)
        if (auto const* c = layer.channel(name); c && c->quantitative && c->has_axis && layer.mark == "point") {
          EXPECT_FALSE(c->title.empty()) << f.name << " " << name;
        }
    bool const interval = chart.channel("x2") || chart.channel("y2");
    if (interval) {
      EXPECT_TRUE(has(f, "n")) << f.name;
      EXPECT_TRUE(std::ranges::any_of(f.columns, [](Column const& c) { return c.label == "95 % from"; })) << f.name;
    }
  }
}

TEST(Figures, AnEmptyOneSaysWhatToRun) {
  for (Figure const& f : figures())
    if (!f.spec.is_null()) {
      EXPECT_TRUE(f.empty.find("`folioscope ") != std::string::npos || f.empty.find("sweep") != std::string::npos ||
                  f.empty.find("No source") != std::string::npos)
          << f.name;
    }
}

TEST(Figures, RowsOutsideTheConditionAreLeftOut) {
  std::vector<Campaign> campaigns{synthetic::usual()};
  campaigns[0].kernels[0].store = StoreKind::none;
  std::string const nothing = campaigns[0].kernels[0].name;
  Material const m = material_of(campaigns);
  auto const tables = tables_of(m);
  auto const all = figures();
  auto const it = std::ranges::find(all, "time_by_order", &Figure::name);
  ASSERT_NE(it, all.end());
  Prepared const p = prepare(*it, m, tables);
  auto const kernel = p.table.field("kernel");
  ASSERT_TRUE(kernel);
  ASSERT_FALSE(p.table.rows().empty());
  for (auto const& row : p.table.rows()) EXPECT_NE(as_text(row[*kernel]), nothing);
}

TEST(Figures, EveryCampaignHasAPanelHoweverMany) {
  std::vector<Campaign> campaigns;
  for (std::uint64_t i = 0; i < 30; ++i) {
    synthetic::Request r{
        .plan = synthetic::plan_of({.folios = {1, 8}}), .true_ns = synthetic::by_order({}), .placements = 3};
    r.machine = "Machine " + std::to_string(i);
    campaigns.push_back(synthetic::campaign(r));
  }
  Material const m = material_of(campaigns);
  auto const tables = tables_of(m);
  auto const all = figures();
  Prepared const p = prepare(*std::ranges::find(all, "time_by_order", &Figure::name), m, tables);
  EXPECT_EQ(p.panels.size(), 30u);
  EXPECT_EQ(p.panels_left_out, 30u);
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_TRUE(std::ranges::any_of(p.panels, [&](auto const& name) { return name.starts_with(m.labels[i]); }))
        << m.labels[i];
}

TEST(Figures, WhatIsOutsideTheRulesIsRefusedByName) {
  std::string const meta =
      R"("usermeta": {"position": 1, "title": "t", "question": "q", "empty": "e", "tables": ["cells"], "compose": {"panel": ["campaign"]}, "columns": [{"field": "n", "label": "n"}]})";
  auto const refused = [&](std::string const& text, std::string const& names) {
    try {
      Figure const f = parse_figure("mine", text);
      svg::parse_chart(f.spec, f.name);
      ADD_FAILURE() << "accepted: " << text;
    } catch (Error const& e) {
      EXPECT_NE(std::string(e.what()).find(names), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("mine"), std::string::npos) << e.what();
    }
  };
  EXPECT_NO_THROW(
      svg::parse_chart(parse_figure("mine", "{" + meta + R"(, "height": 100, "mark": "point"})").spec, "mine"));
  refused("{}", "usermeta.title");
  refused("{" + meta + R"(, "mark": "point"})", "height");
  refused("{" + meta + R"(, "height": 100, "mark": "arc"})", "arc");
  refused("{" + meta + R"(, "height": 100, "mark": "point", "params": []})", "params");
  refused("{" + meta + R"(, "height": 100, "mark": "point", "encoding": {"size": {"field": "n"}}})", "encoding.size");
  refused(
      "{" + meta +
          R"(, "height": 100, "mark": "point", "encoding": {"x": {"field": "n", "type": "quantitative", "bin": true}}})",
      "bin");
  std::string other = meta;
  other.replace(other.find("cells"), 5, "celsl");
  refused("{" + other + R"(, "height": 100, "mark": "point"})", "celsl");
}

}  // namespace
}  // namespace folioscope
