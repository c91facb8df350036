// SPDX-License-Identifier: Apache-2.0
// Every campaign of the capsules named on the command line, in that order; what opening noticed goes to stderr. And
// the tables of published figures.
#pragma once
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/text.hpp"
#include "explain/foreign.hpp"
#include "record/plausible.hpp"

namespace folioscope::cli {

/// A file of folioscope's with nothing in it is no result.
inline void refuse_empty(Capsule const& capsule) {
  if (capsule.headers().empty()) throw Error("holds no campaign", capsule.path().string(), "measure again");
}

inline std::vector<Campaign> load_all(std::vector<std::string> const& files) {
  std::vector<Campaign> campaigns;
  for (auto const& file : files) {
    Capsule const capsule = Capsule::open(file);
    refuse_empty(capsule);
    for (auto const& note : capsule.notes()) say("folioscope: {}\n", printable(note));
    for (auto const& header : capsule.headers()) campaigns.push_back(plausible(capsule.load(header.id)));
  }
  return campaigns;
}

/// Tables of published figures, in that order; none may repeat another's.
inline std::vector<ForeignFigure> load_all_foreign(std::vector<std::string> const& files) {
  std::vector<ForeignFigure> figures;
  for (auto const& file : files)
    for (ForeignFigure& f : load_foreign(file, figures)) figures.push_back(std::move(f));
  return figures;
}

}  // namespace folioscope::cli
