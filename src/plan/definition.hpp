// SPDX-License-Identifier: Apache-2.0
// An experiment file as values: what experiment.cpp reads and expand.cpp crosses.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/factors.hpp"
#include "terms/error.hpp"
#include "terms/json.hpp"

namespace folioscope {

struct Definition {
  std::string description;
  Nanoseconds budget{60e9};
  double precision = 0.03;
  std::uint32_t min_placements = 10;
  std::uint32_t max_placements = 200;
  std::uint32_t blocks_per_placement = 3;
  std::map<std::string, std::string> options;
  std::vector<Group> groups;
};

/// Throws Error naming `where` and the key.
Definition define(Json const& file, std::string const& where);
struct Overrides;
/// What the command line says replaces the levels in every group; order files join the orders. Throws with exit
/// status 2.
void apply(Overrides const& overrides, Definition& definition);
/// Throws UsageError for a target that no extent of this machine has.
void check_targets(std::vector<std::string> const& words, Bytes folio, Bytes base_page);
/// Who asked for the levels, to be named when they are too many: the command line, or the file alone.
struct Asker {
  std::string where;
  ExitStatus status;
};
Asker asker_of(Overrides const& overrides, std::string const& file);
/// Before anything is crossed: a hostile file may multiply a few long lists. Throws Error naming who asked.
void bound(Definition const& definition, Asker const& asker);

}  // namespace folioscope
