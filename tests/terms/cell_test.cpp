// SPDX-License-Identifier: Apache-2.0
#include "terms/cell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "terms/error.hpp"

namespace folioscope {
namespace {

Cell example() {
  Cell c;
  c.kernel = "movnti";
  c.order = "neighbourhood_last@2";
  c.run = 4_KiB;
  c.call = 64_KiB;
  c.prefetch = 4_KiB;
  c.target = 128;
  c.state = State::cold_zero;
  c.backing = {BackingKind::hugetlb, 2_MiB};
  c.footprint = 16_MiB;
  c.threads = 3;
  c.fence = Fence::call;
  return c;
}

TEST(Words, RoundTrip) {
  for (State state : {State::cold, State::hot, State::cold_zero}) EXPECT_EQ(parse_state(to_string(state)), state);
  for (Fence fence : {Fence::call, Fence::pass}) EXPECT_EQ(parse_fence(to_string(fence)), fence);
  for (char const* text : {"base", "mthp-64K", "thp", "thp-pte", "hugetlb-2M", "hugetlb-1G", "tmpfs"}) {
    ASSERT_TRUE(parse_backing(text)) << text;
    EXPECT_EQ(to_string(*parse_backing(text)), text);
  }
  for (char const* text : {"reverse", "neighbourhood_last@2", "random@18446744073709551615", "file:mine", "file:a@b"}) {
    ASSERT_TRUE(parse_order(text)) << text;
    EXPECT_EQ(to_string(*parse_order(text)), text);
  }
}

TEST(Words, RefuseOtherText) {
  for (char const* text : {"", "Base", "mthp", "mthp-", "mthp-0", "hugetlb", "thp-2M", "base-4K", "hugetlb-2X"})
    EXPECT_FALSE(parse_backing(text)) << text;
  for (char const* text : {"", "@2", "x@", "x@-1", "x@2y", "x@18446744073709551616", "file:"})
    EXPECT_FALSE(parse_order(text)) << text;
  EXPECT_FALSE(parse_state("cold_zero"));
  EXPECT_FALSE(parse_fence(""));
}

TEST(CellJson, RoundTrips) {
  EXPECT_EQ(cell_from_json(to_json(example()), "test"), example());
  Cell plain;
  plain.kernel = "memset";
  EXPECT_EQ(cell_from_json(to_json(plain), "test"), plain);
  EXPECT_TRUE(to_json(plain)["run_bytes"].is_null());
  EXPECT_TRUE(to_json(plain)["target"].is_null());
}

TEST(CellJson, DamageIsAnErrorThatNamesTheFile) {
  Json const whole = to_json(example());
  for (auto const& [key, value] : whole.members())
    for (Json const& bad : {Json(-1), Json("?"), Json(Json::Array{}), Json(true)}) {
      if (bad.is_string() && (key == "kernel" || key == "order")) continue;
      Json damaged = whole;
      damaged.set(key, bad);
      try {
        cell_from_json(damaged, "x.folioscope");
        ADD_FAILURE() << key << " = " << bad.dump();
      } catch (Error const& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("x.folioscope"));
      }
    }
}

TEST(Reference, DiffersInTheOrderAlone) {
  Cell const reference = reference_of(example());
  EXPECT_TRUE(is_reference(reference));
  EXPECT_FALSE(is_reference(example()));
  EXPECT_EQ(reference.order, "sequential");
  EXPECT_EQ(reference.run, std::nullopt);
  EXPECT_EQ(reference.target, std::nullopt);
  EXPECT_EQ(reference.prefetch, 0_B);
  EXPECT_EQ(reference.call, example().call);
  EXPECT_EQ(reference.fence, example().fence);
  EXPECT_EQ(stratum_of(reference), stratum_of(example()));
}

TEST(Describe, NamesEveryFactorThatIsThere) {
  EXPECT_EQ(
      describe(example()),
      "movnti neighbourhood_last@2 run 4K call 64K prefetch 4K target 128 fence call cold-zero hugetlb-2M 16M x3");
}

TEST(NearestName, FindsSlipsAndNothingElse) {
  std::vector<std::string> const names{"sequential", "reverse", "random"};
  EXPECT_EQ(nearest_name("reverze", names), "reverse");
  EXPECT_EQ(nearest_name("sequental", names), "sequential");
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name("entirely different", names), std::nullopt);
}

}  // namespace
}  // namespace folioscope
