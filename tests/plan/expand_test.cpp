// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "made_up.hpp"

namespace folioscope {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

template <class T>
std::set<T> levels(Plan const& plan, T Cell::*factor) {
  std::set<T> levels;
  for (PlannedCell const& planned : plan.cells) levels.insert(planned.cell.*factor);
  return levels;
}

std::vector<std::string> texts(Plan const& plan) {
  std::vector<std::string> texts;
  for (PlannedCell const& planned : plan.cells) texts.push_back(describe(planned.cell));
  return texts;
}

std::vector<std::string> refusals(Plan const& plan) {
  std::vector<std::string> texts;
  for (Refusal const& r : plan.refusals) texts.push_back(r.subject + ": " + r.reason + "; " + r.remedy);
  return texts;
}

TEST(Expand, StandardLevelsGiveTheBaseline) {
  Plan const plan = made_up::plan("");
  EXPECT_THAT(texts(plan), ElementsAre(made_up::linux_kernel() + " sequential call 4K cold thp 2M x1"));
  EXPECT_EQ(plan.cells[0].visits, (Visits{{0_B, 2_MiB}}));
  EXPECT_THAT(refusals(plan), IsEmpty());
  EXPECT_EQ(plan.folio, 2_MiB);
  EXPECT_EQ(plan.base_page, 4_KiB);
}

TEST(Expand, AddsTheReferenceOfEveryCellAndTheBaselineOfEveryStratum) {
  Plan const plan = made_up::plan(
      "kernels = \"memset\"\norders = \"reverse\"\nruns = \"16K\"\ncalls = \"16K\"\nstates = [\"cold\", "
      "\"hot\"]\nfootprints = [1, 2]");
  std::string const baseline = made_up::linux_kernel() + " sequential call 4K ";
  std::vector<std::string> expected;
  for (std::string const stratum : {"cold thp 2M x1", "cold thp 4M x1", "hot thp 2M x1", "hot thp 4M x1"}) {
    expected.push_back("memset reverse run 16K call 16K " + stratum);
    expected.push_back("memset sequential call 16K " + stratum);
    expected.push_back(baseline + stratum);
  }
  EXPECT_THAT(texts(plan), testing::UnorderedElementsAreArray(expected));
}

TEST(Expand, EveryCellHasItsReferenceInEveryBuiltInExperiment) {
  for (EmbeddedFile const& file : experiment_files()) {
    Plan const plan = expand(parse_experiment(file.bytes, file.name), {}, made_up::machine());
    std::set<Cell> cells;
    for (PlannedCell const& planned : plan.cells)
      EXPECT_TRUE(cells.insert(planned.cell).second) << describe(planned.cell);
    for (Cell const& cell : cells) EXPECT_TRUE(cells.contains(reference_of(cell))) << describe(cell);
    EXPECT_GT(cells.size(), 0u);
  }
}

TEST(Expand, SequentialHasNoRunAndTargetsBelongToOrdersThatHaveThem) {
  Plan const plan = made_up::plan("orders = \"all\"\ntargets = [\"N/4\", \"N-1\"]");
  for (PlannedCell const& planned : plan.cells) {
    OrderName const name = *parse_order(planned.cell.order);
    EXPECT_EQ(planned.cell.run.has_value(), name.base != "sequential");
    EXPECT_EQ(planned.cell.target.has_value(), find_order(name.base)->has_target) << planned.cell.order;
  }
}

TEST(Expand, OrdersWithOneVisitAreOneCellUnderTheFirstName) {
  EXPECT_THAT(
      texts(made_up::plan("orders = [\"reverse\", \"target_last\", \"sequential\"]\ntargets = [\"0\", \"N-1\"]")),
      UnorderedElementsAre(HasSubstr("sequential"), HasSubstr("reverse")));
  EXPECT_THAT(made_up::plan("orders = [\"reverse\", \"target_last\"]\ntargets = \"0\"").options.at("same_cells"),
              HasSubstr("target_last run 4K call 4K target 0"));
  EXPECT_EQ(made_up::plan("orders = \"reverse\"\nruns = \"folio\"").cells.size(), 1u);
}

TEST(Expand, CallsAreBoundedByTheExtentAndByUnmergedRuns) {
  Plan const stretch = made_up::plan("calls = \"1G\"");
  EXPECT_THAT(levels(stretch, &Cell::call), ElementsAre(4_KiB, 2_MiB));
  Plan const reverse = made_up::plan("orders = \"reverse\"\ncalls = [\"page\", \"64K\", \"stretch\"]");
  EXPECT_THAT(texts(reverse),
              UnorderedElementsAre(HasSubstr("sequential call 4K"), HasSubstr("reverse run 4K call 4K")));
  Plan const ranges = made_up::plan("orders = \"neighbourhood_last\"\ncalls = \"stretch\"");
  EXPECT_THAT(texts(ranges), Contains(HasSubstr("neighbourhood_last@2 run 4K call 2M")));
  EXPECT_THAT(texts(ranges), Contains(HasSubstr("sequential call 2M")));
}

TEST(Expand, FencesAreAFactorOfWeaklyOrderedKernelsAlone) {
  Plan const plan = made_up::plan("kernels = \"all\"\nfences = [\"pass\", \"call\"]");
  for (PlannedCell const& planned : plan.cells) {
    bool const weak = find_kernel(planned.cell.kernel)->contract.weakly_ordered;
    EXPECT_EQ(planned.cell.fence.has_value(), weak) << planned.cell.kernel;
  }
  auto const fenced = [](Fence fence) { return [fence](PlannedCell const& p) { return p.cell.fence == fence; }; };
  EXPECT_EQ(std::count_if(plan.cells.begin(), plan.cells.end(), fenced(Fence::pass)),
            std::count_if(plan.cells.begin(), plan.cells.end(), fenced(Fence::call)));
  for (PlannedCell const& planned : made_up::plan("kernels = \"all\"").cells)
    EXPECT_NE(planned.cell.fence, Fence::call);
}

TEST(Expand, PrefetchIsNoReference) {
  Plan const plan =
      made_up::plan("orders = [\"sequential\", \"reverse\"]\nprefetches = [0, \"page\", \"64K\", \"2M\"]");
  EXPECT_THAT(levels(plan, &Cell::prefetch), ElementsAre(0_B, 4_KiB, 64_KiB));
  EXPECT_EQ(std::count_if(plan.cells.begin(), plan.cells.end(), [](auto const& p) { return is_reference(p.cell); }), 1);
  EXPECT_THAT(refusals(plan), ElementsAre(HasSubstr("prefetch 2M")));
}

TEST(Expand, TargetsFollowTheExtent) {
  Plan const plan = made_up::plan(
      "orders = \"target_last\"\ntargets = [\"N/4\", \"3*N/4\", \"N-2\", \"5\", \"600\", \"N-513\"]\nfootprints = [1, "
      "\"64K\"]");
  EXPECT_THAT(levels(plan, &Cell::target), UnorderedElementsAre(std::nullopt, 128, 384, 510, 5, 4, 12, 14));
  EXPECT_THAT(refusals(plan), Contains(HasSubstr("target 600 lies outside 0 to 511")));
  EXPECT_THAT(refusals(plan), Contains(HasSubstr("N-513")));
}

TEST(Expand, RunsThatDoNotFitAreRefused) {
  Plan const plan =
      made_up::plan("orders = \"reverse\"\nruns = [\"page\", \"64K\", \"12K\", \"folio\"]\nfootprints = \"16K\"");
  EXPECT_THAT(refusals(plan), UnorderedElementsAre(HasSubstr("run 64 KiB does not divide 16 KiB"),
                                                   HasSubstr("run 12 KiB does not divide 16 KiB")));
  EXPECT_THAT(texts(plan), Contains(HasSubstr("reverse run 4K")));
}

TEST(Expand, RandomFollowsTheSeed) {
  Overrides two;
  two.seed = 2;
  auto const visits_of = [](Plan const& plan) {
    return std::find_if(plan.cells.begin(), plan.cells.end(), [](auto const& p) { return p.cell.order == "random"; })
        ->visits;
  };
  Plan const a = made_up::plan("orders = \"random\""), b = made_up::plan("orders = \"random\""),
             c = made_up::plan("orders = \"random\"", made_up::machine(), two);
  EXPECT_EQ(visits_of(a), visits_of(b));
  EXPECT_NE(visits_of(a), visits_of(c));
  EXPECT_EQ(c.seed, 2u);
}

TEST(Expand, EveryCataloguedOrderAndClearKernelCanBePlanned) {
  Plan const plan = made_up::plan("kernels = \"all\"\norders = \"all\"");
  for (Order const* order : order_catalogue())
    EXPECT_THAT(levels(plan, &Cell::order),
                Contains(testing::AnyOf(std::string(order->name), HasSubstr(std::string(order->name) + "@"))));
  for (Kernel const& kernel : kernel_catalogue())
    EXPECT_EQ(levels(plan, &Cell::kernel).contains(kernel.contract.name),
              made_up::clears(kernel.contract) && kernel.contract.store != StoreKind::none);
  EXPECT_THAT(levels(made_up::plan("kernels = \"nothing\""), &Cell::kernel), Contains("nothing"));
}

TEST(Expand, CandidatesAndProbesTogetherAreAll) {
  auto const names = [](char const* word) {
    return levels(made_up::plan(std::string("orders = \"") + word + "\"\ntargets = \"N/8\""), &Cell::order);
  };
  auto both = names("candidates");
  both.merge(names("probes"));
  EXPECT_EQ(both, names("all"));
  EXPECT_THAT(names("candidates"), Not(Contains(HasSubstr("streams"))));
}

TEST(Expand, HeaderFollowsTheFileAndTheCommandLine) {
  Experiment const experiment =
      made_up::experiment("",
                          "budget = \"5s\"\nprecision = 0.1\nmin_placements = 2\nmax_placements = "
                          "3\nblocks_per_placement = 4\n[options]\nnote = \"x\"");
  Plan plan = expand(experiment, {}, made_up::machine());
  EXPECT_EQ(plan.experiment, "made-up");
  EXPECT_EQ(plan.description, "made up");
  EXPECT_EQ(plan.budget, Nanoseconds(5e9));
  EXPECT_EQ(plan.precision, 0.1);
  EXPECT_EQ(plan.min_placements, 2u);
  EXPECT_EQ(plan.max_placements, 3u);
  EXPECT_EQ(plan.blocks_per_placement, 4u);
  EXPECT_EQ(plan.options.at("note"), "x");
  Overrides o;
  o.budget = Nanoseconds(1e9);
  EXPECT_EQ(expand(experiment, o, made_up::machine()).budget, Nanoseconds(1e9));
}

TEST(Overrides, ReplaceTheLevelsOfEveryGroup) {
  Overrides o;
  o.kernels = {"memset"};
  o.orders = {"reverse"};
  o.footprints = {"1"};
  o.backings = {"base"};
  o.threads = {"2"};
  Plan const plan = expand(load_experiment("quick"), o, made_up::machine());
  EXPECT_THAT(levels(plan, &Cell::footprint), ElementsAre(2_MiB));
  EXPECT_THAT(levels(plan, &Cell::threads), ElementsAre(2u));
  EXPECT_THAT(levels(plan, &Cell::backing), ElementsAre(Backing{BackingKind::base, {}}));
  EXPECT_THAT(levels(plan, &Cell::order), ElementsAre("reverse", "sequential"));
}

TEST(Overrides, UnknownWordsNameTheOptionAndTheNearest) {
  auto const error_of = [](auto set) {
    Overrides o;
    set(o);
    try {
      made_up::plan("", made_up::machine(), o);
    } catch (UsageError const&) {
      return std::string("UsageError");
    } catch (Error const& error) {
      EXPECT_EQ(error.status(), ExitStatus::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of([](Overrides& o) { o.kernels = {"memste"}; }),
              testing::AllOf(HasSubstr("--kernels"), HasSubstr("did you mean 'memset'?")));
  EXPECT_THAT(error_of([](Overrides& o) { o.orders = {"reverze"}; }),
              testing::AllOf(HasSubstr("--orders"), HasSubstr("did you mean 'reverse'?")));
  EXPECT_THAT(error_of([](Overrides& o) { o.states = {"warm"}; }), HasSubstr("--states"));
  EXPECT_THAT(error_of([](Overrides& o) { o.threads = {"0"}; }), HasSubstr("--threads"));
  EXPECT_THAT(error_of([](Overrides& o) { o.orders = {"file:mine"}; }), HasSubstr("UsageError"));
}

std::string folio_file() { return "511-0\n"; }

TEST(OrderFiles, JoinTheOrders) {
  Overrides o;
  o.order_files = {{"mine", "# half\nrun=1M\n1\n0\n"}};
  Plan const plan = made_up::plan("orders = \"reverse\"\nfootprints = [1, \"64K\"]", made_up::machine(), o);
  auto const it =
      std::find_if(plan.cells.begin(), plan.cells.end(), [](auto const& p) { return p.cell.order == "file:mine"; });
  ASSERT_NE(it, plan.cells.end());
  EXPECT_EQ(it->cell.run, 1_MiB);
  EXPECT_EQ(it->visits, (Visits{{1_MiB, 1_MiB}, {0_B, 1_MiB}}));
  EXPECT_THAT(levels(plan, &Cell::order), Contains("reverse"));
  EXPECT_THAT(refusals(plan), Contains(HasSubstr("file:mine over 64 KiB")));
}

TEST(OrderFiles, ThatDoWhatAnOrderDoesAreThatOrder) {
  Overrides o;
  o.order_files = {{"mine", folio_file()}};
  EXPECT_THAT(levels(made_up::plan("orders = \"reverse\"", made_up::machine(), o), &Cell::order),
              ElementsAre("reverse", "sequential"));
}

TEST(OrderFiles, MayBeWrittenForASmallerExtent) {
  Overrides o;
  o.order_files = {{"mine", "15-0\n"}};
  EXPECT_THAT(levels(made_up::plan("footprints = \"64K\"", made_up::machine(), o), &Cell::order),
              Contains("file:mine"));
}

TEST(OrderFiles, ThatAreNoPermutationAreAnError) {
  Overrides o;
  o.order_files = {{"mine", "0-510\n"}};
  try {
    made_up::plan("", made_up::machine(), o);
    FAIL();
  } catch (Error const& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("mine"), HasSubstr("511 is missing")));
    EXPECT_EQ(error.status(), ExitStatus::failed);
  }
}

TEST(Limits, TooManyCombinationsAreRefusedBeforeTheyAreMade) {
  std::string many = "[";
  for (int i = 1; i <= 1000; ++i) many += std::to_string(i * 64) + ",";
  many += "]";
  EXPECT_THROW(made_up::plan("orders = \"reverse\"\nruns = " + many + "\ncalls = " + many + "\nprefetches = " + many),
               Error);
}

TEST(Limits, CellsBeyondWhatVisitsMayTakeAreRefusedAndTheRestPlanned) {
  Machine m = made_up::machine();
  m.hugetlb = {{64_MiB, 64, 64}};
  Plan const plan = made_up::plan(
      "kernels = \"all\"\norders = \"reverse\"\nruns = "
      "64\nbackings = \"hugetlb-64M\"",
      m);
  std::uint64_t stretches = 0;
  for (PlannedCell const& planned : plan.cells) stretches += planned.visits.size();
  EXPECT_LE(stretches, std::uint64_t{1} << 23);
  EXPECT_THAT(refusals(plan), Contains(HasSubstr("stretches")));
  EXPECT_THAT(levels(plan, &Cell::order), Contains("reverse"));
}

TEST(Expand, TooManyCellsAreTheFilesFaultOrTheCommandLines) {
  std::string many = "footprints = [1";
  for (int i = 2; i <= 1000; ++i) many += ", " + std::to_string(i);
  std::string const far = many +
                          "]\norders = \"all\"\nstates = [\"cold\", \"hot\"]\ncalls = [\"4K\", \"stretch\"]\n"
                          "targets = [0, 1, 2, 3, 4, 5, 6, 7]\nruns = [\"4K\", \"8K\", \"16K\", \"64K\"]\n";
  Overrides o;
  try {
    made_up::plan(far, made_up::machine(), o);
    ADD_FAILURE() << "nothing was thrown";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), ExitStatus::failed);
    EXPECT_THAT(error.what(), HasSubstr("made-up.toml"));
    EXPECT_THAT(error.what(), HasSubstr("give fewer levels"));
  }
  o.states = {"cold", "hot", "cold-zero"};
  try {
    made_up::plan(far, made_up::machine(), o);
    ADD_FAILURE() << "nothing was thrown";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("made-up.toml")));
  }
}

}  // namespace
}  // namespace folioscope
