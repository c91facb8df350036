// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orders/order.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;

VisitRequest request(std::string_view order, Bytes extent = 2_MiB, std::optional<Bytes> run = 4_KiB,
                     std::optional<std::uint64_t> target = 128) {
  return {.order = *parse_order(order), .extent = extent, .run = run, .target_page = target, .base_page = 4_KiB};
}

std::string error_of(VisitRequest const& r) {
  try {
    visits(r);
  } catch (UsageError const& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
    return error.what();
  }
  return "no error";
}

TEST(Visits, CoverTheExtentOnceForEveryOrderRunAndTarget) {
  for (Order const* order : order_catalogue())
    for (Bytes extent : {64_KiB, 256_KiB})
      for (Bytes run : {64_B, 4_KiB, 64_KiB})
        for (std::uint64_t target : {0, 3, 15}) {
          Visits v = visits(request(order->name, extent, run, target));
          std::sort(v.begin(), v.end());
          Bytes end;
          for (Stretch const& s : v) {
            ASSERT_EQ(s.offset, end) << order->name;
            ASSERT_EQ(s.length.value % run.value, 0u);
            end = end + s.length;
          }
          ASSERT_EQ(end, extent) << order->name;
        }
}

TEST(Visits, NeverLeaveAscendingNeighboursUnmerged) {
  for (Order const* order : order_catalogue()) {
    Visits const v = visits(request(order->name));
    for (std::size_t i = 1; i < v.size(); ++i) ASSERT_NE(v[i - 1].offset + v[i - 1].length, v[i].offset) << order->name;
  }
}

TEST(Visits, EndInTheTargetsRunWherePromised) {
  for (Order const* order : order_catalogue())
    for (Bytes run : {512_B, 4_KiB, 32_KiB})
      for (std::uint64_t page = 0; order->ends_at_target && page < 512; page += 15) {
        Stretch const last = visits(request(order->name, 2_MiB, run, page)).back();
        Bytes const byte = 4_KiB * page;
        ASSERT_EQ(last.offset + last.length, run * (byte / run + 1)) << order->name << " target " << page;
      }
}

TEST(Visits, SequentialIsOneStretch) { EXPECT_EQ(visits(request("sequential")), (Visits{{0_B, 2_MiB}})); }
TEST(Visits, SequentialNeedsNoRun) { EXPECT_EQ(visits(request("sequential", 2_MiB, {}, {})), (Visits{{0_B, 2_MiB}})); }
TEST(Visits, ReverseIsOneStretchARun) {
  Visits const v = visits(request("reverse", 16_KiB, 4_KiB, {}));
  EXPECT_EQ(v, (Visits{{12_KiB, 4_KiB}, {8_KiB, 4_KiB}, {4_KiB, 4_KiB}, {0_B, 4_KiB}}));
}
TEST(Visits, ReverseOfOneRunIsSequential) {
  EXPECT_EQ(visits(request("reverse", 2_MiB, 2_MiB, {})), visits(request("sequential")));
}
TEST(Visits, DefaultParameterIsTheCataloguesOwn) {
  EXPECT_EQ(visits(request("neighbourhood_last")), visits(request("neighbourhood_last@2")));
  EXPECT_EQ(to_string(canonical({"neighbourhood_last", {}})), "neighbourhood_last@2");
  EXPECT_EQ(to_string(canonical({"random", 0})), "random");
  EXPECT_EQ(to_string(canonical({"random", 5})), "random@5");
}

TEST(Visits, OfAFileFollowIt) {
  OrderFile const file{4_KiB, {2, 3, 0, 1}};
  VisitRequest r = request("file:mine", 16_KiB, {}, {});
  r.file = &file;
  EXPECT_EQ(visits(r), (Visits{{8_KiB, 8_KiB}, {0_B, 8_KiB}}));
  r.extent = 2_MiB;
  EXPECT_THAT(error_of(r), HasSubstr("covers 16 KiB, not 2 MiB"));
  r.file = nullptr;
  EXPECT_THAT(error_of(r), HasSubstr("--order-file"));
}

TEST(Visits, RefuseWhatCannotBe) {
  EXPECT_THAT(error_of(request("revers")), HasSubstr("did you mean 'reverse'?"));
  EXPECT_THAT(error_of(request("zzzzzzzzzzz")), HasSubstr("list orders"));
  EXPECT_THAT(error_of(request("reverse@3")), HasSubstr("takes no parameter"));
  EXPECT_THAT(error_of(request("streams@0")), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(request("reverse", 2_MiB, 3_MiB)), HasSubstr("does not divide"));
  EXPECT_THAT(error_of(request("reverse", 2_MiB, 12_KiB)), HasSubstr("does not divide"));
  EXPECT_THAT(error_of(request("reverse", 2_MiB, 0_B)), HasSubstr("multiple of 64 B"));
  EXPECT_THAT(error_of(request("reverse", 2_MiB, 32_B)), HasSubstr("multiple of 64 B"));
  EXPECT_THAT(error_of(request("reverse", 2_MiB, {})), HasSubstr("run"));
  EXPECT_THAT(error_of(request("reverse", 0_B)), HasSubstr("empty"));
  EXPECT_THAT(error_of(request("target_last", 2_MiB, 4_KiB, 512)), HasSubstr("outside 0 to 511"));
  EXPECT_THAT(error_of(request("reverse", Bytes(std::uint64_t{1} << 50), 64_B)), HasSubstr("too many"));
}

}  // namespace
}  // namespace folioscope
