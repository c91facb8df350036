// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/fault_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backing/pool.hpp"
#include "linuxmm/path.hpp"
#include "linuxmm/together.hpp"

namespace folioscope {
namespace {

TEST(LinuxPaths, AreNamedOnceAndFound) {
  std::set<std::string_view> names;
  for (LinuxPath const* path : linux_paths()) {
    EXPECT_TRUE(names.insert(path->name).second) << path->name;
    EXPECT_EQ(&find_linux_path(path->name), path);
    EXPECT_FALSE(path->summary.empty());
    EXPECT_FALSE(path->clears.empty());
    EXPECT_TRUE(path->plan && path->subject);
  }
  EXPECT_FALSE(names.empty());
  try {
    find_linux_path("fault-ordr");
    FAIL();
  } catch (UsageError const& error) {
    EXPECT_NE(std::string(error.what()).find("fault-order"), std::string::npos);
  }
}

TEST(LinuxPaths, ExpectTheOrderOfTheirRelease) {
  EXPECT_EQ(order_expected_of("4.13.0"), "sequential");
  EXPECT_EQ(order_expected_of("4.14.0-generic"), "target_last");
  EXPECT_EQ(order_expected_of("6.19.1"), "target_last");
  EXPECT_EQ(order_expected_of("7.0.0"), "neighbourhood_last@2");
  EXPECT_FALSE(order_expected_of("custom"));
}

TEST(FaultIndices, AreAtLeastSeventeenWithBothEndsAndTheMiddle) {
  for (std::uint64_t pages : {16u, 512u, 8192u}) {
    auto const all = fault_indices(pages, {});
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_EQ(all.size(), pages < 17 ? pages : 17);
    for (std::uint64_t must : {std::uint64_t{0}, pages / 2, pages - 1})
      EXPECT_TRUE(std::ranges::binary_search(all, must)) << must;
  }
  EXPECT_EQ(fault_indices(16, {3, 300, 3}), (std::vector<std::uint64_t>{0, 3}));
}

class Live : public testing::Test {
 protected:
  Machine const machine = read_machine();
  Clock const clock = read_clock();
  Random random{1};
};

TEST_F(Live, FaultsHugePagesWhateverIsTouchedFirst) {
  if (refuse(Backing{BackingKind::thp, {}}, machine)) GTEST_SKIP() << "no transparent huge pages here";
  auto memory = FaultMemory::make({BackingKind::thp, {}}, 2, machine);
  ASSERT_TRUE(memory) << memory.refusal().reason;
  for (std::uint64_t index : {std::uint64_t{0}, memory->pages() / 2, memory->pages() - 1})
    for (int again = 0; again < 2; ++again) {
      auto const fault = memory->fault(0, index, clock, random);
      ASSERT_TRUE(fault) << fault.refusal().reason;
      EXPECT_GT(fault->sample.wall.value, 0);
      EXPECT_GE(fault->minor_faults, 1u);
      if (!memory->whole(0, index)) GTEST_SKIP() << "no free huge page";
      for (std::uint64_t at = 128; at < memory->folio().value; at += 4096)
        ASSERT_EQ(memory->at(0)[at], std::byte{0}) << "cleared";
    }
}

TEST_F(Live, AWholePlacementGivesSamplesAndEvidence) {
  if (refuse(Backing{BackingKind::thp, {}}, machine)) GTEST_SKIP() << "no transparent huge pages here";
  LinuxPath const* const path = &find_linux_path("fault-order");
  LinuxRequest request;
  request.indices = {0, 5, 511};
  LinuxPlan planned = plan_linux({&path, 1}, machine, request);
  ASSERT_FALSE(planned.plan.cells.empty());
  planned.parts[0].plan.budget = Nanoseconds(1e9);
  std::vector<Together::Part> parts;
  parts.push_back(
      {"fault-order", planned.plan.cells.size(), path->subject(planned.parts[0].plan, machine, clock, request)});
  Together subject(std::move(parts), clock);
  Placement const placement = subject.place(0, random);
  Json const& thp = placement.evidence["fault-order"]["faults"]["thp"];
  EXPECT_FALSE(thp["first_touch_ns"].items().empty());
  subject.warm_up(random);
  std::size_t samples = 0;
  for (std::size_t cell = 0; cell < planned.plan.cells.size(); ++cell) {
    auto const sample = subject.run(cell, Arm::first, random);
    samples += static_cast<bool>(sample);
    auto const seen = subject.seen();
    PlannedCell const& planned_cell = planned.plan.cells[cell];
    if (sample) {
      bool const looks = planned_cell.cell.kernel == fault_kernel && !planned_cell.cell.target && sample->copies == 1;
      EXPECT_EQ(seen.size(), looks ? 4u : 0u) << describe(planned_cell.cell);
      for (Point const& p : seen) EXPECT_GE(p.y, 0) << p.series;
      EXPECT_GT(sample->wall.value, 0);
      EXPECT_GE(sample->copies, 1u);
    } else {
      EXPECT_FALSE(sample.refusal().reason.empty());
    }
  }
  EXPECT_GT(samples, 0u);
  Json const left = subject.leave();
  EXPECT_GT(left["fault-order at the end"]["faults at the end"]["thp"]["faults"].as_integer().value_or(0), 0);
  EXPECT_GT(subject.core_clock(), 0);
}

}  // namespace
}  // namespace folioscope
