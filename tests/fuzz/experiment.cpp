// SPDX-License-Identifier: Apache-2.0
// An experiment file, parsed and expanded on a machine that has everything.
#include "../plan/made_up.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  static Machine const machine = [] {
    Machine made = made_up::machine();
    made.folio = 64_KiB;  // few pages an order: the crossing is tried, not the permuting
    return made;
  }();
  fuzz::taken([&] {
    Experiment const experiment = parse_experiment(fuzz::text_of(data, size), "input.toml");
    Plan const plan = expand(experiment, {}, machine);
    Json const json = to_json(plan);
    fuzz::require(to_json(plan_from_json(json, "plan")) == json, "a plan reads back");
    for (PlannedCell const& planned : plan.cells)
      fuzz::require(cell_from_json(to_json(planned.cell), "cell") == planned.cell, "a planned cell reads back");
  });
  return 0;
}
