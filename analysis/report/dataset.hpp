// SPDX-License-Identifier: Apache-2.0
// The tables that figures are drawn from, one a file under datasets/, named by datasets/catalogue.def. Rows of a
// campaign stand together, what stands for the machine first. Texts out of capsules are made harmless here.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/material.hpp"
#include "report/table.hpp"

namespace folioscope {

struct Dataset {
  std::string_view name;
  std::string_view about;  ///< what one row is
  Table (*rows)(Material const& material);
};
std::span<Dataset const> datasets();
/// nullptr when there is none of that name.
Dataset const* find_dataset(std::string_view name);

/// Names of the columns that cell_values() fills: the campaign's label and the cell's factors, as texts for people and,
/// ending in _bytes, as numbers.
std::vector<std::string> cell_fields();
std::vector<Value> cell_values(Material const& material, std::size_t campaign, Cell const& cell);

/// `fields` after `more`: for tables that begin with a cell's columns.
std::vector<std::string> operator+(std::vector<std::string> fields, std::vector<std::string> const& more);
std::vector<Value> operator+(std::vector<Value> values, std::vector<Value> const& more);

}  // namespace folioscope
