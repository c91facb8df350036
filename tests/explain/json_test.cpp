// SPDX-License-Identifier: Apache-2.0
// The JSON contract: every key is there in every case, null with a reason where there is nothing to say.
#include <gtest/gtest.h>

#include "explain/explain.hpp"
#include "explain/machines.hpp"

namespace folioscope {
namespace {

using namespace synthetic;

constexpr char const* keys[] = {"campaigns",
                                "verdicts",
                                "aa",
                                "mechanisms",
                                "knees",
                                "lines_in_flight",
                                "predictions",
                                "median_prediction_error",
                                "p90_prediction_error",
                                "repeat_error",
                                "baseline_errors",
                                "fills",
                                "residency",
                                "bill",
                                "radius",
                                "linux",
                                "foreign",
                                "recommendation",
                                "untested"};
constexpr char const* verdict_keys[] = {
    "campaign",       "kernel", "state", "backing",   "footprint_bytes", "threads", "order",  "run_bytes", "call_bytes",
    "prefetch_bytes", "target", "fence", "reference", "ratio",           "ci",      "p_holm", "n",         "verdict"};

void expect_contract(Json const& json) {
  for (char const* key : keys) {
    ASSERT_TRUE(json.contains(key)) << key;
    if (json[key].is_null())
      EXPECT_TRUE(json["untested"][key].is_string()) << key << " is null without a reason";
    else
      EXPECT_FALSE(json["untested"].contains(key)) << key << " is there and untested";
  }
  for (Json const& v : json["verdicts"].items())
    for (char const* key : verdict_keys) EXPECT_TRUE(v.contains(key)) << key;
  EXPECT_EQ(parse_json(json.dump(), "test"), json) << "what is written is read again as it was";
}

TEST(ExplainJson, HasEveryKeyWhateverTheCapsuleHolds) {
  expect_contract(to_json(explain({})));
  Campaign const empty;
  expect_contract(to_json(explain({&empty, 1})));
  Campaign const full = campaign(losing_machine());
  expect_contract(to_json(explain({&full, 1})));
  Campaign const table = published_campaign();
  expect_contract(to_json(explain({&table, 1})));
  Request r = losing_machine();
  r.emulator = "qemu";
  Campaign const emulated = campaign(r);
  expect_contract(to_json(explain({&emulated, 1})));
}

TEST(ExplainJson, VerdictNamesOnlyTheFactorsThatDiffer) {
  Campaign const c = campaign(losing_machine());
  Json const json = to_json(explain({&c, 1}));
  int orders = 0, kernels = 0;
  for (Json const& v : json["verdicts"].items()) {
    Json const& reference = v["reference"];
    if (v["order"].as_string() != "sequential") {
      ++orders;
      EXPECT_EQ(reference["order"].as_string(), "sequential");
      EXPECT_FALSE(reference.contains("kernel"));
      EXPECT_TRUE(reference.contains("run_bytes"));
    } else {
      ++kernels;
      EXPECT_EQ(reference["kernel"].as_string(), "rep_stosb");
      EXPECT_FALSE(reference.contains("order"));
    }
    ASSERT_EQ(v["ci"].items().size(), 2u);
    EXPECT_LE(*v["ci"].items()[0].as_number(), *v["ratio"].as_number());
    EXPECT_GE(*v["ci"].items()[1].as_number(), *v["ratio"].as_number());
    EXPECT_EQ(v["n"].as_integer(), 10);
  }
  EXPECT_EQ(orders, 5 * 3 * 2 * 3);
  EXPECT_EQ(kernels, 2 * 2 * 3);
  EXPECT_EQ(json["aa"]["pairs"].as_integer(), 3 * 2 * 3);
  EXPECT_EQ(json["aa"]["smallest_effect"].items().size(), 6u);
  ASSERT_EQ(json["aa"]["ci"].items().size(), 2u);
  double const rate = *json["aa"]["flagged"].as_number() / *json["aa"]["pairs"].as_number();
  EXPECT_LE(*json["aa"]["ci"].items()[0].as_number(), rate);
  EXPECT_GT(*json["aa"]["ci"].items()[1].as_number(), rate);
  EXPECT_EQ(json["recommendation"]["order"].as_string(), "sequential");
  EXPECT_EQ(json["recommendation"]["call_bytes"].as_integer(), 4096);
}

TEST(ExplainJson, WhatWasNotMeasuredIsNullNotOne) {
  Campaign c = campaign(losing_machine());
  c.samples.clear();
  Json const json = to_json(explain({&c, 1}));
  ASSERT_FALSE(json["verdicts"].items().empty());
  for (Json const& v : json["verdicts"].items()) {
    EXPECT_TRUE(v["ratio"].is_null());
    EXPECT_TRUE(v["ci"].is_null());
    EXPECT_TRUE(v["p_holm"].is_null());
    EXPECT_TRUE(v["time_ns"].is_null());
    EXPECT_EQ(v["n"].as_integer(), 0);
    EXPECT_EQ(v["verdict"].as_string(), "cannot_tell");
  }
}

}  // namespace
}  // namespace folioscope
