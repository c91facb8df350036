// SPDX-License-Identifier: Apache-2.0
#include "terms/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "terms/error.hpp"
#include "terms/facts.hpp"
#include "terms/random.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;

TEST(Json, RoundTrips) {
  Json const value = Json::object(
      {{"b", true}, {"a", Json::array({1, -2, 0.5, nullptr, "q\"\n\xc3\xa9"})}, {"o", Json(Json::Object{})}});
  EXPECT_EQ(parse_json(value.dump(), "test"), value);
  EXPECT_EQ(parse_json(value.dump(2), "test"), value);
  EXPECT_EQ(value.members().front().first, "b") << "insertion order";
}

TEST(Json, TheLastOfEqualKeysCountsWhereTheFirstStood) {
  Json const value = parse_json(R"({"a": 1, "b": 2, "a": {"c": 3, "c": []}})", "test");
  EXPECT_EQ(value.dump(), R"({"a":{"c":[]},"b":2})");
}

TEST(Json, ManyKeysAndItemsRoundTrip) {
  Json many = Json(Json::Object{});
  for (int i = 0; i < 3000; ++i) many.set("k" + std::to_string(i), Json::array({i, Json::object({{"n", i}})}));
  EXPECT_EQ(parse_json(many.dump(), "test"), many);
}

TEST(Json, HasNoNumberThatIsNone) {
  EXPECT_TRUE(Json(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(Json(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, WritesTextThatIsNoUtf8) { EXPECT_NO_THROW(parse_json(Json("\xff\xfe").dump(), "test")); }

TEST(Json, OtherTypesAreNothing) {
  Json const text("7");
  EXPECT_FALSE(text.as_integer());
  EXPECT_FALSE(text.as_number());
  EXPECT_TRUE(text.items().empty());
  EXPECT_TRUE(text["key"].is_null());
  EXPECT_EQ(Json(7).as_number(), 7.0);
}

TEST(Json, BadTextIsAnErrorThatNamesTheFile) {
  for (char const* text : {"", "{", "[1,]", "{\"a\":}", "nul", "1 2", "\"\\x\"", "NaN"}) {
    try {
      parse_json(text, "mine.json");
      ADD_FAILURE() << text;
    } catch (Error const& error) {
      EXPECT_THAT(error.what(), HasSubstr("mine.json")) << text;
    }
  }
}

TEST(Json, DepthIsBounded) {
  EXPECT_THROW(parse_json(std::string(100000, '['), "deep"), Error);
  EXPECT_THROW(parse_toml("a = " + std::string(100000, '['), "deep"), Error);
}

TEST(Toml, WhatNestsTooDeepIsAnErrorBeforeItIsParsed) {
  std::string dotted = "a";
  for (int i = 1; i < 20000; ++i) dotted += i % 2 ? ".a" : " . 'a'";
  for (std::string const& text : {dotted + " = 1", "[" + dotted + "]", "[[" + dotted + "]]", "b = {" + dotted + " = 1}",
                                  "s = '''\n'''\n" + dotted + " = 1", "# it's\n" + dotted + " = 1"})
    try {
      parse_toml(text, "deep.toml");
      ADD_FAILURE() << text.substr(0, 40);
    } catch (Error const& error) {
      EXPECT_THAT(error.what(), HasSubstr("deep.toml")) << text.substr(0, 40);
      EXPECT_THAT(error.what(), HasSubstr("nests deeper than 32 levels")) << text.substr(0, 40);
    }
  std::string nested = "1";
  for (int i = 0; i < 40; ++i) nested = "{a.b.c.d = " + nested + "}";
  EXPECT_THROW(parse_toml("x = " + nested, "deep.toml"), Error);
}

TEST(Toml, DotsInTextAndManyNumbersAreNoDepth) {
  std::string const dots(100, '.');
  std::string numbers;
  for (int i = 0; i < 100; ++i) numbers += "1.5, ";
  Json const value = parse_toml("a.b.c = \"" + dots + "\\\"" + dots + "\" # " + dots + "\nd = '" + dots + "'\ne = [" +
                                    numbers + "]\nf = \"\"\"\n" + dots + "\"\"\"\ng = \"don't\"\n",
                                "test");
  EXPECT_EQ(value["a"]["b"]["c"], Json(dots + "\"" + dots));
  EXPECT_EQ(value["d"], Json(dots));
  EXPECT_EQ(value["e"].items().size(), 100u);
  EXPECT_EQ(value["f"], Json(dots));
}

TEST(Toml, IsTheSameValue) {
  Json const value = parse_toml("a = 1\nb = [\"x\", 2.5, true]\n[t]\nd = 2024-10-01\n", "test");
  EXPECT_EQ(value["a"].as_integer(), 1);
  EXPECT_EQ(value["b"], Json::array({"x", 2.5, true}));
  EXPECT_EQ(value["t"]["d"].as_string(), "2024-10-01");
}

TEST(Facts, TheFirstOfAKeyIsTrusted) {
  Facts facts;
  facts.add("cache.L3.size_bytes", 32, "sysfs");
  facts.add("cache.L3.size_bytes", 320, "glibc");
  EXPECT_EQ(facts.value("cache.L3.size_bytes").as_integer(), 32);
  EXPECT_TRUE(facts.value("cpu.model").is_null());
  EXPECT_EQ(facts.find("cpu.model"), nullptr);
  EXPECT_EQ(facts.all().size(), 2u);
}

TEST(Error, IsOneLine) {
  Error const error("a\nb", "c\x1b[31m", "d");
  EXPECT_EQ(std::string(error.what()).find_first_of("\n\x1b"), std::string::npos);
}

TEST(Random, IsTheSameEverywhere) {
  Random random(1);
  EXPECT_EQ(random(), 0x910a2dec89025cc1u);  // SplitMix64's published sequence for seed 1
  EXPECT_EQ(random(), 0xbeeb8da1658eec67u);
}

TEST(Random, BelowStaysBelow) {
  Random random(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 7000; ++i) ++seen.at(random.below(7));
  for (int n : seen) EXPECT_GT(n, 800);
}

}  // namespace
}  // namespace folioscope
