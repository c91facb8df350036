// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <filesystem>

#include "explain/compare.hpp"
#include "explain/explain.hpp"
#include "fuzz.hpp"

namespace folioscope::fuzz {

/// What the commands that read a capsule do with it, one after the other. Throws Error.
inline void read_capsule(std::filesystem::path const& path) {
  Capsule const capsule = Capsule::open(path);
  std::vector<Campaign> campaigns;
  for (CampaignHeader const& header : capsule.headers()) {
    if (campaigns.size() == 4) break;  // enough: each may be as large as the file
    campaigns.push_back(capsule.load(header.id));
  }
  Explanation const explanation = explain(campaigns);
  Json const json = to_json(explanation);
  require(parse_json(json.dump(), "explain --json") == json, "explain's JSON reads back");
  auto const harmless = [](std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; });
  };
  require(harmless(to_text(explanation)), "names from capsules are made harmless");
  require(harmless(to_mail(explanation)), "names from capsules are made harmless in mail");
  std::vector<CapsuleContent> const twice{{"a", campaigns}, {"b", campaigns}};
  require(harmless(to_text(compare(twice))), "names from capsules are made harmless in comparisons");
}

}  // namespace folioscope::fuzz
