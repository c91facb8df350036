// SPDX-License-Identifier: Apache-2.0
// A table of published figures: what is taken holds ratios that can be written and read again.
#include "explain/foreign.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  fuzz::taken([&] {
    for (ForeignFigure const& f : parse_foreign(fuzz::text_of(data, size), "input.toml")) {
      fuzz::require(f.ratio > 0 && f.ratio < 1e37, "a ratio of positive numbers");
      ForeignRow const row{f, {}, f.unseen};
      Json const json = to_json(row);
      fuzz::require(parse_json(json.dump(), "row") == json, "a row reads back");
    }
  });
  return 0;
}
