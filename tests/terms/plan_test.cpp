// SPDX-License-Identifier: Apache-2.0
#include "terms/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "terms/random.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text, Bytes extent = 2_MiB) {
  try {
    decode_visits(text, extent, "cell 3");
  } catch (Error const& error) {
    EXPECT_THAT(error.what(), HasSubstr("cell 3"));
    return error.what();
  }
  return "no error";
}

void expect_round_trip(Visits const& visits, Bytes extent) {
  EXPECT_EQ(decode_visits(encode_visits(visits), extent, "test"), visits);
}

TEST(VisitsText, FoldsAConstantStep) {
  Visits reverse;
  for (std::uint64_t i = 512; i-- > 0;) reverse.push_back({4_KiB * i, 4_KiB});
  EXPECT_EQ(encode_visits(reverse), "2093056+4096*512@-4096");
  expect_round_trip(reverse, 2_MiB);
}

TEST(VisitsText, ReadsAsWritten) {
  EXPECT_EQ(encode_visits({{0_B, 2_MiB}}), "0+2097152");
  EXPECT_EQ(encode_visits({}), "");
  EXPECT_TRUE(decode_visits("", 2_MiB, "test").empty());
  EXPECT_EQ(decode_visits("8192+4096 0+4096*2@4096", 16_KiB, "test"),
            (Visits{{8_KiB, 4_KiB}, {0_B, 4_KiB}, {4_KiB, 4_KiB}}));
}

TEST(VisitsText, RoundTripsAnything) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    Visits visits;
    std::uint64_t const n = 1 + random.below(64);
    for (std::uint64_t i : permutation(n, random)) visits.push_back({Bytes(i * 64), Bytes(random.below(4) ? 64 : 32)});
    expect_round_trip(visits, Bytes(n * 64));
  }
}

TEST(VisitsText, MixedLengthsAndStepsRoundTrip) {
  expect_round_trip({{0_B, 64_B}, {128_B, 64_B}, {256_B, 64_B}, {257_B, 32_B}, {64_B, 64_B}, {192_B, 64_B}}, 1_KiB);
  expect_round_trip({{0_B, 64_B}, {64_B, 32_B}, {128_B, 64_B}, {192_B, 64_B}, {256_B, 64_B}}, 1_KiB);
}

TEST(VisitsText, IsBoundedByTheExtent) {
  EXPECT_THAT(error_of("0+4096*18446744073709551615@0"), HasSubstr("more than the extent"));
  EXPECT_THAT(error_of("0+4096*513@0"), HasSubstr("more than the extent"));
  EXPECT_THAT(error_of("0+4096 0+2097152"), HasSubstr("more than the extent"));
  EXPECT_THAT(error_of("0+2097153"), HasSubstr("more than the extent"));
  EXPECT_THAT(error_of("2097152+64"), HasSubstr("outside"));
  EXPECT_THAT(error_of("0+4096*2@-4096"), HasSubstr("outside"));
  EXPECT_THAT(error_of("0+64*2@9223372036854775807"), HasSubstr("outside"));
  EXPECT_THAT(error_of("0+1*18446744073709551615@1", Bytes(~std::uint64_t{0})), HasSubstr("too many"));
}

TEST(VisitsText, RefusesOtherText) {
  for (char const* text : {"x", "0", "0+", "+64", "0+64,64+64", "0+64*", "0+64*2", "0+64*2@", "0+64*2@x", "0+0",
                           "0+64*0@1", "-1+64", "0+64 x", "99999999999999999999+1", "0+-64", " 0+64"})
    EXPECT_THAT(error_of(text), HasSubstr("cell 3")) << text;
}

TEST(VisitsText, SurvivesAnyBytes) {
  Random random(11);
  constexpr std::string_view alphabet = "0123456789+*@- x";
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(30); n > 0; --n) text += alphabet[random.below(alphabet.size())];
    try {
      for (Stretch const& s : decode_visits(text, 64_KiB, "test")) EXPECT_LE(s.offset + s.length, 64_KiB);
    } catch (Error const&) {
    }
  }
}

Plan example_plan() {
  Plan plan;
  plan.experiment = "quick";
  plan.description = "what \"it\" answers";
  plan.seed = ~std::uint64_t{0};
  plan.budget = Nanoseconds(12.5e9);
  plan.precision = 0.015;
  plan.min_placements = 11;
  plan.max_placements = 12;
  plan.blocks_per_placement = 2;
  plan.base_page = 4_KiB;
  plan.folio = 2_MiB;
  plan.options = {{"note", "a\nb"}, {"empty", ""}};
  return plan;
}

TEST(PlanJson, RoundTripsAllButCellsAndRefusals) {
  Plan const plan = example_plan();
  Plan const back = plan_from_json(parse_json(to_json(plan).dump(), "test"), "test");
  EXPECT_EQ(back.experiment, plan.experiment);
  EXPECT_EQ(back.description, plan.description);
  EXPECT_EQ(back.seed, plan.seed);
  EXPECT_EQ(back.budget, plan.budget);
  EXPECT_EQ(back.precision, plan.precision);
  EXPECT_EQ(back.min_placements, plan.min_placements);
  EXPECT_EQ(back.max_placements, plan.max_placements);
  EXPECT_EQ(back.blocks_per_placement, plan.blocks_per_placement);
  EXPECT_EQ(back.base_page, plan.base_page);
  EXPECT_EQ(back.folio, plan.folio);
  EXPECT_EQ(back.options, plan.options);
}

TEST(PlanJson, EveryDamagedFieldIsAnErrorThatNamesTheFile) {
  Json const whole = to_json(example_plan());
  for (auto const& [key, value] : whole.members()) {
    if (key == "options" || key == "description") continue;
    for (Json const& bad : {Json(), Json(-1), Json(Json::Array{}), Json(true)}) {
      Json damaged = whole;
      damaged.set(key, bad);
      EXPECT_THROW(plan_from_json(damaged, "x.folioscope"), Error) << key << " = " << bad.dump();
    }
  }
  EXPECT_THROW(plan_from_json(Json(), "x"), Error);
  EXPECT_THROW(plan_from_json(Json("text"), "x"), Error);
}

}  // namespace
}  // namespace folioscope
