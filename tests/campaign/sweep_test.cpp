// SPDX-License-Identifier: Apache-2.0
#include "campaign/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "campaign/prepared.hpp"
#include "orders/order.hpp"

namespace folioscope {
namespace {

constexpr Bytes page = 4_KiB;

Cell cell_of(std::string kernel, std::string order, Bytes footprint, std::uint32_t threads = 1) {
  Cell cell;
  cell.kernel = std::move(kernel);
  cell.order = std::move(order);
  if (cell.order != "sequential") cell.run = page;
  cell.call = page;
  cell.state = State::hot;
  cell.backing = {BackingKind::base, {}};
  cell.footprint = footprint;
  cell.threads = threads;
  return cell;
}

class Sweep : public ::testing::Test {
 protected:
  Machine const machine = read_machine();
  Clock const clock = read_clock();
  Bytes const folio = folio_of({BackingKind::base, {}}, machine).value_or(2_MiB);
  Plan plan;
  Random random{3};

  void add(Cell cell) {
    VisitRequest request;
    request.order = *parse_order(cell.order);
    request.extent = std::min(folio, cell.footprint);
    request.run = cell.run;
    request.target_page = cell.target;
    request.base_page = machine.base_page;
    plan.cells.push_back({cell, visits(request)});
  }
  Refusal refusal_of(SweepSubject& subject, std::uint32_t cell) {
    for (RefusedCell const& refused : subject.newly_refused())
      if (refused.cell == cell) return refused.refusal;
    ADD_FAILURE() << "cell " << cell << " was not refused";
    return {};
  }
  void SetUp() override {
    if (machine.base_page != page) GTEST_SKIP() << "written for 4 KiB pages";
  }
};

TEST_F(Sweep, PlacesRunsAndLeavesWithEvidence) {
  for (char const* order : {"sequential", "reverse"}) add(cell_of("memset", order, folio));
  SweepSubject subject(plan, machine, clock);
  ASSERT_EQ(subject.measurable(), 2u);
  for (std::uint32_t id = 0; id < 3; ++id) {
    Placement const placement = subject.place(id, random);
    EXPECT_EQ(placement.id, id);
    EXPECT_FALSE(id == 0 && placement.common_frames) << "there is nothing to have in common with";
    if (placement.common_frames) {
      EXPECT_GE(*placement.common_frames, 0);
      EXPECT_LE(*placement.common_frames, 1);
    }
    for (std::size_t cell = 0; cell < 2; ++cell) {
      auto const sample = subject.run(cell, Arm::first, random);
      ASSERT_TRUE(sample) << sample.refusal().reason;
      EXPECT_GT(sample->wall.value, 0);
      EXPECT_GT(sample->state.value, 0);
      EXPECT_GE(sample->copies, 1u);
    }
    Json const evidence = subject.leave();
    ASSERT_EQ(evidence["backings"].items().size(), 1u);
    EXPECT_GE(*evidence["backings"].items()[0]["share"].as_number(), 0.99);
  }
  EXPECT_TRUE(subject.newly_refused().empty());
  EXPECT_GT(subject.core_clock(), 0);
  EXPECT_FALSE(subject.clock_changed());
}

TEST_F(Sweep, ChecksTheStatesItMakesWhenItKnowsTheLatencies) {
  add(cell_of("memset", "sequential", folio));
  SweepOptions options;
  options.levels = {{"L1", 32_KiB, Nanoseconds(1)}, {"memory", 512_MiB, Nanoseconds(1e6)}};
  SweepSubject checked(plan, machine, clock, options);
  Json const with = checked.place(0, random).evidence;
  ASSERT_EQ(with["state_checks"].items().size(), 1u);
  EXPECT_EQ(with["state_checks"].items()[0]["state"].as_string(), "hot");
  EXPECT_GT(*with["state_checks"].items()[0]["samples"].as_integer(), 0);

  SweepSubject unchecked(plan, machine, clock);
  Json const without = unchecked.place(0, random).evidence;
  EXPECT_TRUE(without["state_checks"].is_null());
  EXPECT_TRUE(without["state_checks_reason"].as_string().has_value());
}

TEST_F(Sweep, OneBadCellIsRefusedAndTheOthersGoOn) {
  add(cell_of("memset", "sequential", folio));
  add(cell_of("no_such_kernel", "sequential", folio));
  add(cell_of("memcpy", "sequential", folio));
  add(cell_of("memset", "sequential", folio, static_cast<std::uint32_t>(machine.allowed_cpus.size()) + 1));
  add(cell_of("memset", "sequential", folio));
  plan.cells.back().visits.back().length = page;  // no longer covers the folio
  add(cell_of("memset", "sequential", folio));
  plan.cells.back().cell.footprint = folio + page;
  SweepSubject subject(plan, machine, clock);
  EXPECT_EQ(subject.measurable(), 1u);
  auto const refused = subject.newly_refused();
  ASSERT_EQ(refused.size(), 5u);
  subject.place(0, random);
  EXPECT_TRUE(subject.run(0, Arm::first, random));
  for (RefusedCell const& one : refused) {
    EXPECT_FALSE(one.refusal.reason.empty());
    auto const again = subject.run(one.cell, Arm::first, random);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.refusal(), one.refusal) << "the reason stays the same";
  }
}

TEST_F(Sweep, ABackingThatCannotBeHadRefusesItsCellsAlone) {
  add(cell_of("memset", "sequential", folio));
  Cell missing = cell_of("memset", "sequential", 16_MiB);
  missing.backing = {BackingKind::hugetlb, 16_MiB};  // no x86-64 or 4K-page arm64 machine has this size
  plan.cells.push_back({missing, {{0_B, 16_MiB}}});
  SweepSubject subject(plan, machine, clock);
  EXPECT_EQ(subject.measurable(), 1u);
  EXPECT_FALSE(refusal_of(subject, 1).reason.empty());
}

TEST_F(Sweep, ShortPassesClearSeveralCopiesAndTheSameNumberInEveryOrder) {
  for (char const* order : {"sequential", "reverse"}) add(cell_of("memset", order, 16_KiB));
  Clock coarse = clock;
  coarse.tick = Nanoseconds(40);
  SweepSubject subject(plan, machine, coarse);
  subject.place(0, random);
  auto const one = subject.run(0, Arm::first, random);
  auto const other = subject.run(1, Arm::first, random);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->copies, other->copies);
  EXPECT_GE(one->copies, 1u);
}

TEST_F(Sweep, CopiesThatDoNotFitAreRefusedNotShortened) {
  add(cell_of("memset", "sequential", folio));
  Clock coarse = clock;
  coarse.tick = Nanoseconds(1e7);  // a thousand of these are ten seconds
  SweepOptions options;
  options.max_memory = folio * 4;
  SweepSubject subject(plan, machine, coarse, options);
  EXPECT_EQ(subject.measurable(), 0u);
  EXPECT_NE(refusal_of(subject, 0).remedy.find("--max-memory"), std::string::npos);
}

TEST_F(Sweep, FasterThanAnyCoreIsNoSample) {
  add(cell_of("memset", "sequential", folio));
  Clock fast = clock;
  fast.ns_per_tick = clock.ns_per_tick * 1e-6;
  fast.tick = Nanoseconds(1e-6);
  SweepSubject subject(plan, machine, fast);
  subject.place(0, random);
  auto const sample = subject.run(0, Arm::first, random);
  ASSERT_FALSE(sample);
  EXPECT_NE(sample.refusal().reason.find("faster"), std::string::npos);
}

TEST_F(Sweep, AllThreadsGetTheirOwnExtents) {
  auto const pool = Pool::make({{BackingKind::base, {}}, 8}, machine);
  ASSERT_TRUE(pool) << pool.refusal().reason;
  for (Bytes footprint : {folio * 2, folio, 64_KiB, 64_B}) {
    Patch patch{{BackingKind::base, {}},
                footprint,
                2,
                std::min(folio, footprint),
                footprint / std::min(folio, footprint),
                1,
                {}};
    if (footprint < folio) patch.copies = 7;
    lay(patch, *pool, page, random);
    ASSERT_EQ(patch.extents.size(), 2u);
    std::vector<std::byte*> all;
    for (auto const& own : patch.extents) {
      EXPECT_EQ(own.size(), patch.extents_a_thread());
      all.insert(all.end(), own.begin(), own.end());
    }
    std::ranges::sort(all);
    for (std::size_t i = 1; i < all.size(); ++i)
      EXPECT_GE(static_cast<std::uint64_t>(all[i] - all[i - 1]), patch.extent.value);
  }
}

}  // namespace
}  // namespace folioscope
