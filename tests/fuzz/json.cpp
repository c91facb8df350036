// SPDX-License-Identifier: Apache-2.0
// JSON text, and what capsules keep as JSON: cells, plans, kernel contracts.
#include "fuzz.hpp"
#include "terms/cell.hpp"
#include "terms/kernel.hpp"
#include "terms/plan.hpp"

namespace folioscope::fuzz {
namespace {

/// What is taken must say the same when it is written and read again.
template <class Read>
void fixed(Json const& json, Read read, std::string_view promise) {
  taken([&] {
    Json const once = to_json(read(json, "input"));
    require(to_json(read(once, "again")) == once, promise);
  });
}

}  // namespace
}  // namespace folioscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  Json json;
  if (!fuzz::taken([&] { json = parse_json(fuzz::text_of(data, size), "input"); })) return 0;
  fuzz::require(parse_json(json.dump(), "again") == json, "JSON reads back as it was written");
  parse_json(json.dump(2), "indented");
  fuzz::fixed(json, cell_from_json, "a cell reads back");
  fuzz::fixed(json, plan_from_json, "a plan reads back");
  fuzz::fixed(json, contract_from_json, "a contract reads back");
  return 0;
}
