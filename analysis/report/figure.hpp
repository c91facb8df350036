// SPDX-License-Identifier: Apache-2.0
// A figure is data: figures/NAME.vl.json, a Vega-Lite specification of one panel whose `usermeta` says which dataset's
// rows it shows. docs/adding.md lists the keys. Built in by being there; the tests hold each to the rules.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/material.hpp"
#include "report/table.hpp"
#include "terms/json.hpp"

namespace folioscope {

/// A column of the figure's table, its CSV and its tooltips.
struct Column {
  std::string field, label, unit;
  std::string format;  ///< "text", "count", "bytes", "figure"
};

/// Rows where a field has a text, lacks it (not_equal), or is there at all.
struct Condition {
  enum class Kind { equal, not_equal, present } kind = Kind::present;
  std::string field, text;
};

/// A field made of others: the first always, the rest where they vary among the figure's rows.
struct Composed {
  std::string field;
  std::vector<std::string> of;
};

struct Figure {
  std::string name;
  std::string title, question, empty;
  double position = 0;              ///< in the page
  std::vector<std::string> tables;  ///< datasets; the first decides whether there is anything to show
  std::vector<Condition> where;
  std::vector<std::pair<std::string, std::size_t>> distinct;        ///< fields that need so many different values
  std::vector<std::pair<std::string, std::size_t>> panel_distinct;  ///< the same of every panel that is drawn
  std::vector<Composed> composed;                                   ///< "panel" is one of them
  std::vector<Column> columns;
  bool optional = false;  ///< left out where it has nothing to show
  std::size_t most_panels = 12;
  std::size_t abreast = 3;  ///< panels beside each other, at most
  Json spec;                ///< without usermeta; null for a table alone
};

/// Throws Error naming the file and what is wrong with it.
Figure parse_figure(std::string_view name, std::string_view text);
/// All that are built in, by position.
std::vector<Figure> figures();

/// A figure with its rows.
struct Prepared {
  Figure const* figure = nullptr;
  Table table;                      ///< the columns, the composed fields, and what the specification names
  std::vector<std::string> panels;  ///< drawn, in their order: each campaign's most telling first
  std::size_t panels_left_out = 0;  ///< beyond what a page can hold; their rows are in the table
  std::size_t rows_undrawn = 0;     ///< in drawn panels, beyond the names that a figure can hold
  std::size_t rows_left_out = 0;
  std::string constants;  ///< what all rows share: "cold, thp, 1 thread"
  std::string empty;      ///< why nothing is drawn; empty where something is
  std::string emulated;   ///< the emulator's name, where any campaign ran under one
};
/// `tables`: rows by dataset, in the order of datasets().
Prepared prepare(Figure const& figure, Material const& material, std::span<Table const> tables);

}  // namespace folioscope
