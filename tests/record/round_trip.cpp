// SPDX-License-Identifier: Apache-2.0
// What is written is read again, exactly: odd names, unknown values, several campaigns, resumed and merged ones.
#include <cmath>
#include <limits>

#include "fixture.hpp"

namespace folioscope::record_test {
namespace {

using RoundTrip = InFolder;

TEST_F(RoundTrip, EverythingComesBack) {
  Facts const facts = some_facts();
  Plan const plan = some_plan();
  std::vector<KernelContract> const kernels{some_kernel()};
  std::vector<Point> const points{{"latency.idle", "L1 \"d\"", 32768, 1.5, {}, {}},
                                  {"state_check.cold", "", 0, 1, 2, 0}};
  std::vector<RefusedCell> const refused{{2, 0, {"cell", "its huge pages are gone", "retry"}}};
  CampaignHeader header;
  header.command = "folioscope sweep --kernels 'a,b'\n";
  header.version = "0.1.0";
  {
    auto writer = CapsuleWriter::open(file(), "instance-1");
    EXPECT_EQ(writer.begin(header, facts, plan, kernels, Json::object({{"cache", "definition"}})), 1);
    writer.add(points);
    writer.add(some_placement(0));
    writer.commit(some_block(0, 0), some_samples(0), some_readings(0));
    writer.add(some_placement(1));
    writer.add(refused);
    writer.commit(some_block(1, 1), some_samples(1), some_readings(1));
    writer.finish("budget spent", true);
  }
  EXPECT_EQ(files_there(), 1u);
  auto const capsule = Capsule::open(file());
  EXPECT_TRUE(capsule.notes().empty());
  ASSERT_EQ(capsule.headers().size(), 1u);
  Campaign const back = capsule.load(1);
  Campaign expected{
      back.header, facts, plan,   kernels, {some_placement(0), some_placement(1)}, {some_block(0, 0), some_block(1, 1)},
      {},          {},    points, refused, Json::object({{"cache", "definition"}})};
  for (std::uint32_t b : {0u, 1u}) {
    for (auto const& s : some_samples(b)) expected.samples.push_back(s);
    for (auto const& r : some_readings(b)) expected.readings.push_back(r);
  }
  EXPECT_EQ(text_of(back), text_of(expected));
  EXPECT_EQ(back.header.command, header.command);
  EXPECT_EQ(back.header.uuid.size(), 36u);
  EXPECT_EQ(back.header.started.size(), std::string("2026-01-01T00:00:00Z").size());
  EXPECT_FALSE(back.header.finished.empty());
  EXPECT_TRUE(back.header.complete);
  EXPECT_EQ(back.plan.cells[1].cell, plan.cells[1].cell);
  EXPECT_EQ(back.plan.cells[1].visits, plan.cells[1].visits);
}

TEST_F(RoundTrip, WhatIsNotANumberIsNull) {
  double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  {
    auto writer = CapsuleWriter::open(file(), "i");
    Facts facts;
    facts.add("x", nan, "measured");
    writer.begin({}, facts, some_plan(), {}, {});
    writer.add(some_placement(0));
    auto samples = some_samples(0);
    samples[0].user = Nanoseconds(nan);
    samples[1].system = Nanoseconds(infinity);
    Block block = some_block(0, 0);
    block.add_ns_before = nan;
    writer.commit(block, samples, {}, std::vector<Point>{{"s", "", 1, -infinity, {}, {}}});
    writer.finish("", true);
  }
  Campaign const back = Capsule::open(file()).load(1);
  EXPECT_TRUE(back.facts.value("x").is_null());
  EXPECT_TRUE(std::isnan(back.samples[0].user.value));
  EXPECT_TRUE(std::isnan(back.samples[1].system.value));
  EXPECT_TRUE(std::isnan(back.blocks[0].add_ns_before));
  EXPECT_TRUE(std::isnan(back.points[0].y));
  EXPECT_EQ(bytes_of(file()).find("Inf"), std::string::npos);
}

TEST_F(RoundTrip, AnotherCampaignIsAppendedAndSharesVisits) {
  write_campaign(file());
  auto const first = Capsule::open(file()).load(1);
  write_campaign(file());
  auto const capsule = Capsule::open(file());
  ASSERT_EQ(capsule.headers().size(), 2u);
  EXPECT_EQ(text_of(capsule.load(1)), text_of(first));
  Campaign second = capsule.load(2);
  EXPECT_NE(second.header.uuid, first.header.uuid);
  second.header = first.header;
  EXPECT_EQ(text_of(second), text_of(first));
  EXPECT_THROW(capsule.load(3), Error);
}

TEST_F(RoundTrip, EvidenceOfAPlacementIsReplaced) {
  {
    auto writer = CapsuleWriter::open(file(), "i");
    writer.begin({}, {}, some_plan(), {}, {});
    writer.add(some_placement(1));
    writer.commit(some_block(0, 1), some_samples(0));
    writer.add(Placement{1, {}, "checked again"});
    writer.finish("", true);
  }
  auto const back = Capsule::open(file()).load(1);
  ASSERT_EQ(back.placements.size(), 1u);
  EXPECT_EQ(back.placements[0].evidence, Json("checked again"));
  EXPECT_EQ(back.placements[0].common_frames, 0.25);
}

TEST_F(RoundTrip, AnUnfinishedCampaignContinues) {
  std::vector<Point> const point{{"s", "before", 0, 0, {}, {}}}, later{{"s", "after", 0, 0, {}, {}}};
  {
    auto writer = CapsuleWriter::open(file(), "i");
    EXPECT_FALSE(writer.unfinished());
    writer.begin({}, {}, some_plan(), {}, {});
    writer.add(point);
    writer.add(some_placement(0));
    writer.commit(some_block(0, 0), some_samples(0));
    writer.finish("interrupted", false);
  }
  {
    auto writer = CapsuleWriter::open(file(), "i");
    auto const before = writer.unfinished();
    ASSERT_TRUE(before);
    EXPECT_EQ(before->header.stop_reason, "interrupted");
    EXPECT_EQ(before->plan.seed, some_plan().seed);
    writer.continue_campaign(before->header.id);
    writer.add(later);
    writer.add(std::vector<Refusal>{{"late", "reason", ""}});
    writer.add(some_placement(1));
    writer.commit(some_block(1, 1), some_samples(1));
    writer.finish("budget spent", true);
    EXPECT_FALSE(writer.unfinished());
  }
  auto const back = Capsule::open(file()).load(1);
  EXPECT_EQ(back.blocks.size(), 2u);
  EXPECT_EQ(back.samples.size(), 6u);
  ASSERT_EQ(back.points.size(), 2u);
  EXPECT_EQ(back.points[1].label, "after");
  EXPECT_EQ(back.plan.refusals.back().subject, "late");
  EXPECT_TRUE(back.header.complete);
}

TEST_F(RoundTrip, MergingKeepsOneCopyOfEach) {
  write_campaign(file("a"));
  write_campaign(file("b"));
  auto const a = Capsule::open(file("a")).load(1), b = Capsule::open(file("b")).load(1);
  {
    auto writer = CapsuleWriter::open(file("merged"), "");
    EXPECT_TRUE(writer.copy(a));
    EXPECT_TRUE(writer.copy(b));
    EXPECT_FALSE(writer.copy(a));
  }
  auto const merged = Capsule::open(file("merged"));
  ASSERT_EQ(merged.headers().size(), 2u);
  EXPECT_EQ(text_of(merged.load(1)), text_of(a));
  EXPECT_EQ(text_of(merged.load(2)), text_of(b));
}

TEST_F(RoundTrip, AReaderBesideALivingWriterSeesWholeBlocks) {
  auto writer = CapsuleWriter::open(file(), "i");
  writer.begin({}, {}, some_plan(), {}, {});
  writer.add(some_placement(0));
  writer.commit(some_block(0, 0), some_samples(0));
  writer.add(some_placement(1));  // waits for the next block
  auto const capsule = Capsule::open(file());
  EXPECT_TRUE(capsule.notes().empty());
  EXPECT_EQ(capsule.load(1).placements.size(), 1u);
  writer.commit(some_block(1, 1), some_samples(1));
  EXPECT_EQ(capsule.load(1).blocks.size(), 2u);
  writer.finish("", true);
  EXPECT_TRUE(capsule.headers()[0].complete);
}

}  // namespace
}  // namespace folioscope::record_test
