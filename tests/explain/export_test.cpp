// SPDX-License-Identifier: Apache-2.0
#include "explain/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "explain/machines.hpp"

namespace folioscope {
namespace {

using namespace synthetic;

Campaign awkward() {
  Grid const grid{.orders = {"reverse", "random"}};
  Request r{.plan = plan_of(grid), .true_ns = by_order({}), .noise = {.pass = 0.01}, .placements = 2};
  for (PlannedCell& p : r.plan.cells)
    if (p.cell.order == "random") p.cell.order = "file:a,\"b\"\r\nc";
  Campaign c = campaign(r);
  c.samples[0].wall = Nanoseconds(std::numeric_limits<double>::quiet_NaN());
  c.samples[1].user = Nanoseconds(std::numeric_limits<double>::infinity());
  c.readings.push_back(
      {0, 0, "g", "e", std::numeric_limits<double>::quiet_NaN(), Nanoseconds(1), Nanoseconds(1), "user"});
  c.points.push_back({"latency.idle", "", 4096, 5.5, {}, {}});
  return c;
}

/// A strict reader of RFC 4180: every line ends in CRLF, every quote is closed.
std::vector<std::vector<std::string>> read_csv(std::string const& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    if (text[i] == '"') {
      EXPECT_TRUE(field.empty());
      for (++i; i < text.size(); ++i) {
        if (text[i] != '"')
          field += text[i];
        else if (i + 1 < text.size() && text[i + 1] == '"')
          field += text[i++];
        else
          break;
      }
    } else if (text[i] == ',') {
      rows.back().emplace_back();
    } else if (text[i] == '\r') {
      EXPECT_EQ(text.at(++i), '\n');
      rows.push_back({""});
    } else {
      EXPECT_NE(text[i], '\n');
      field += text[i];
    }
  }
  EXPECT_EQ(rows.back(), std::vector<std::string>{""});
  rows.pop_back();
  return rows;
}

TEST(Export, CsvIsReadBackFieldByField) {
  Campaign const c = awkward();
  std::ostringstream out;
  export_csv({&c, 1}, out);
  auto const rows = read_csv(out.str());
  ASSERT_EQ(rows.size(), c.samples.size() + 1);
  auto const column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  std::set<std::string> orders;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size());
    orders.insert(rows[i][column("order")]);
  }
  EXPECT_TRUE(orders.contains("file:a,\"b\"??c")) << "no control character reaches a terminal; JSON has them all";
  EXPECT_EQ(rows[1][column("wall_ns")], "");
  EXPECT_EQ(rows[2][column("user_ns")], "");
  EXPECT_DOUBLE_EQ(std::stod(rows[3][column("wall_ns")]), c.samples[2].wall.value);
}

TEST(Export, JsonIsValidAndWhole) {
  std::vector<Campaign> const two{awkward(), campaign(losing_machine())};
  std::ostringstream out;
  export_json(two, out);
  Json const json = parse_json(out.str(), "test");
  ASSERT_EQ(json["campaigns"].items().size(), 2u);
  Json const& first = json["campaigns"].items()[0];
  EXPECT_EQ(first["samples"].items().size(), two[0].samples.size());
  EXPECT_TRUE(first["samples"].items()[0]["wall_ns"].is_null());
  EXPECT_TRUE(first["readings"].items()[0]["value"].is_null());
  EXPECT_EQ(first["cells"].items().size(), two[0].plan.cells.size());
  EXPECT_EQ(cell_from_json(json["campaigns"].items()[1]["cells"].items()[3], "test"), two[1].plan.cells[3].cell);
  EXPECT_EQ(first["points"].items()[0]["y"].as_number(), 5.5);
}

TEST(Export, EmptyIsStillWellFormed) {
  for (auto* writer : {&export_json, &export_gbench}) {
    std::ostringstream out;
    writer({}, out);
    EXPECT_NO_THROW(parse_json(out.str(), "test"));
  }
  Campaign const empty;
  std::ostringstream out;
  export_csv({&empty, 1}, out);
  EXPECT_EQ(read_csv(out.str()).size(), 1u);
}

TEST(Export, GoogleBenchmarkHasWhatItsCompareToolReads) {
  Campaign c = awkward();
  c.samples[4].copies = 4;
  std::ostringstream out;
  export_gbench({&c, 1}, out);
  Json const json = parse_json(out.str(), "test");
  EXPECT_TRUE(json["context"].is_object());
  auto const& benchmarks = json["benchmarks"].items();
  ASSERT_EQ(benchmarks.size(), c.samples.size());
  std::map<std::string, std::set<std::int64_t>> repetitions;
  for (Json const& b : benchmarks) {
    for (char const* key : {"name", "run_name", "run_type", "time_unit"}) EXPECT_TRUE(b[key].is_string()) << key;
    for (char const* key :
         {"iterations", "real_time", "cpu_time", "repetitions", "repetition_index", "threads", "family_index"})
      EXPECT_TRUE(b[key].is_number()) << key;
    EXPECT_EQ(b["run_type"].as_string(), "iteration");
    EXPECT_TRUE(repetitions[*b["name"].as_string()].insert(*b["repetition_index"].as_integer()).second);
  }
  EXPECT_EQ(repetitions.size(), 3u);
  EXPECT_EQ(benchmarks[0]["error_occurred"].as_bool(), true);
  EXPECT_EQ(benchmarks[4]["iterations"].as_integer(), 4);
  EXPECT_NEAR(*benchmarks[4]["real_time"].as_number(), c.samples[4].wall.value / 4, 1e-6);
}

}  // namespace
}  // namespace folioscope
