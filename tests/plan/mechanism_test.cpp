// SPDX-License-Identifier: Apache-2.0
// The mechanism experiment plans every cell that the hypotheses ask for, on every kind of machine, within its budget.
#include <gtest/gtest.h>

#include "explain/finder.hpp"
#include "kernels/kernel.hpp"
#include "made_up.hpp"
#include "model/predict.hpp"
#include "plan/experiment.hpp"

namespace folioscope {
namespace {

Campaign planned(Machine const& machine) {
  Campaign c;
  c.plan = expand(load_experiment("mechanism"), {}, machine);
  for (Kernel const& k : kernel_catalogue()) c.kernels.push_back(k.contract);
  c.facts.add(std::string(fact::linux_kernel), machine.linux_kernel, "made up");
  return c;
}

TEST(MechanismExperiment, HasEveryCellThatAHypothesisNeeds) {
  Campaign const c = planned(made_up::machine());
  CellFinder const finder(c);
  ASSERT_TRUE(finder.main());
  for (Hypothesis const& h : hypotheses()) {
    std::size_t planned_contrasts = 0;
    std::string missing;
    for (Contrast const& contrast : h.predicts) {
      if (contrast.optional) continue;
      std::string why;
      auto const cell = finder.find(contrast.cell, why);
      bool const whole = cell && (contrast.over ? finder.find(*contrast.over, why) : finder.reference(*cell));
      planned_contrasts += whole;
      if (!whole) missing += "\n  " + contrast.cell.text + ": " + why;
    }
    bool const enough = h.any ? planned_contrasts > 0 || h.predicts.empty() : missing.empty();
    EXPECT_TRUE(enough) << h.name << missing;
  }
}

TEST(MechanismExperiment, FitsItsBudgetAndHoldsOrdersBack) {
  Campaign const c = planned(made_up::machine());
  EXPECT_LE(c.plan.budget.value, 180e9);
  EXPECT_GE(c.plan.min_placements, 10u);
  std::size_t large = 0, held_out = 0;
  for (PlannedCell const& p : c.plan.cells) {
    large += p.cell.footprint >= c.plan.folio * 100;
    held_out += is_held_out(c.plan, p.cell);
  }
  EXPECT_LE(large, 200u);
  EXPECT_LE(c.plan.cells.size() - large, 360u);
  EXPECT_GE(held_out, 30u);
}

}  // namespace
}  // namespace folioscope
