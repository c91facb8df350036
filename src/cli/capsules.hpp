// SPDX-License-Identifier: Apache-2.0
// Every campaign of the capsules named on the command line, in that order; what opening noticed goes to stderr.
#pragma once
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/text.hpp"
#include "record/capsule.hpp"

namespace folioscope::cli {

inline std::vector<Campaign> load_all(std::vector<std::string> const& files) {
  std::vector<Campaign> campaigns;
  for (auto const& file : files) {
    Capsule const capsule = Capsule::open(file);
    for (auto const& note : capsule.notes()) fmt::print(stderr, "folioscope: {}\n", printable(note));
    for (auto const& header : capsule.headers()) campaigns.push_back(capsule.load(header.id));
  }
  return campaigns;
}

}  // namespace folioscope::cli
