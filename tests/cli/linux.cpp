// SPDX-License-Identifier: Apache-2.0
// `folioscope linux` as its users run it: JSON alone on stdout, refusals as data, a capsule that the others read.
#include <gtest/gtest.h>

#include "program.hpp"
#include "record/capsule.hpp"
#include "terms/json.hpp"

namespace folioscope::test {
namespace {

#ifdef FOLIOSCOPE_MEASURE
TEST(Linux, FaultOrderGivesJsonAndACapsule) {
  Folder const folder;
  Ran const ran = run({"linux", "fault-order", "--json", "--budget", "2s", "--index", "0,5,15", "--out", "l.folioscope",
                       "--max-memory", "64M"},
                      folder.path());
  ASSERT_FALSE(ran.out.empty()) << ran.err;
  Json const json = parse_json(ran.out, "stdout");
  for (char const* key : {"fault_order", "paths"}) EXPECT_TRUE(json.contains(key)) << key;
  ASSERT_FALSE(json["paths"].items().empty());
  for (Json const& path : json["paths"].items()) {
    bool const measured = path["state"].as_string() == "measured";
    EXPECT_TRUE(measured || path["state"].as_string() == "refused");
    EXPECT_EQ(path["reason"].is_null(), measured) << path["name"].as_string().value_or("");
    EXPECT_EQ(path["per_folio_ns"].is_null(), !measured);
  }
  if (ran.status == 1) GTEST_SKIP() << "no huge pages here: " << ran.err;
  ASSERT_EQ(ran.status, 0) << ran.err;
  Capsule const capsule = Capsule::open(folder.path() / "l.folioscope");
  ASSERT_EQ(capsule.headers().size(), 1u);
  EXPECT_EQ(capsule.headers().front().kind, "linux");
  for (std::string const form : {"explain", "report"}) {
    Ran const read = run({form, "l.folioscope"}, folder.path());
    EXPECT_EQ(read.status, 0) << form << ": " << read.err;
  }
}
#endif

}  // namespace
}  // namespace folioscope::test
