// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orders/order.hpp"
#include "terms/error.hpp"
#include "terms/random.hpp"

namespace folioscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

OrderFile parse(std::string_view text, Bytes extent = 16_KiB) { return parse_order_file(text, "mine", extent, 4_KiB); }

std::string error_of(std::string_view text, Bytes extent = 16_KiB) {
  try {
    parse(text, extent);
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), ExitStatus::failed);
    EXPECT_THAT(error.what(), StartsWith("mine"));
    return error.what();
  }
  return "no error";
}

TEST(OrderFile, HoldsIndices) {
  EXPECT_THAT(parse("3\n1\n0\n2\n").indices, ElementsAre(3, 1, 0, 2));
  EXPECT_EQ(parse("3\n1\n0\n2\n").run, 4_KiB);
}
TEST(OrderFile, HoldsRangesBothWays) { EXPECT_THAT(parse("2-3\n1-0").indices, ElementsAre(2, 3, 1, 0)); }
TEST(OrderFile, SkipsCommentsBlanksAndCarriageReturns) {
  EXPECT_THAT(parse("# mine\r\n\r\n  0 - 1 # first\r\n\t3-2\r\n").indices, ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(parse("\xef\xbb\xbf"
                    "0-3")
                  .indices,
              ElementsAre(0, 1, 2, 3));
}
TEST(OrderFile, MayIndexRuns) {
  OrderFile const file = parse("# comments may come before\nrun=8K\n1\n0\n");
  EXPECT_EQ(file.run, 8_KiB);
  EXPECT_THAT(file.indices, ElementsAre(1, 0));
  EXPECT_EQ(parse("run = 64\n0-255").indices.size(), 256u);
}

TEST(OrderFile, NamesTheFirstMissing) {
  EXPECT_THAT(error_of("0\n2\n"), HasSubstr("1 is missing"));
  EXPECT_THAT(error_of(""), HasSubstr("0 is missing"));
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("0 is missing"));
}
TEST(OrderFile, NamesTheFirstRepeatedAndItsLine) {
  EXPECT_THAT(error_of("0\n1\n1\n0\n"), HasSubstr("mine:3: 1 is repeated"));
  EXPECT_THAT(error_of("0-2\n3-1\n"), HasSubstr("mine:2: 2 is repeated"));
}
TEST(OrderFile, RefusesWhatLiesOutside) {
  EXPECT_THAT(error_of("4"), HasSubstr("mine:1: 4 lies outside 0 to 3"));
  EXPECT_THAT(error_of("0-18446744073709551615"), HasSubstr("lies outside"));
  EXPECT_THAT(error_of("0\n99999999999999999999999999"), HasSubstr("lies outside"));
}
TEST(OrderFile, RefusesOtherText) {
  for (char const* text :
       {"x", "0,1", "-1", "1-", "-", "0-1-2", "0 1", "+1", "0x1", "1.5", "run", "runs=4K", "run=", "run=4X", "run=-1"})
    EXPECT_THAT(error_of(text), HasSubstr("mine:1")) << text;
}
TEST(OrderFile, RefusesRunsThatDoNotFit) {
  EXPECT_THAT(error_of("run=12K"), HasSubstr("does not divide"));
  EXPECT_THAT(error_of("run=32"), HasSubstr("multiple of 64 B"));
  EXPECT_THAT(error_of("run=0"), HasSubstr("multiple of 64 B"));
  EXPECT_THAT(error_of("run=64K"), HasSubstr("does not divide"));
  EXPECT_THAT(error_of("0\nrun=4K"), HasSubstr("mine:2"));
  EXPECT_THAT(error_of("run=4K\nrun=8K"), HasSubstr("mine:2"));
}
TEST(OrderFile, IsBoundedBeforeAnythingIsAllocated) {
  EXPECT_THAT(error_of("run=64\n0", Bytes(std::uint64_t{1} << 60)), HasSubstr("too many"));
}
TEST(OrderFile, SurvivesAnyBytes) {
  Random random(3);
  constexpr std::string_view alphabet = "0123456789-#\n\r =runK\t\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(40); n > 0; --n) text += alphabet[random.below(alphabet.size())];
    try {
      EXPECT_EQ(parse(text).run * parse(text).indices.size(), 16_KiB);
    } catch (Error const&) {
    }
  }
}

}  // namespace
}  // namespace folioscope
