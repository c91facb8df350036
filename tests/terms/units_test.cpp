// SPDX-License-Identifier: Apache-2.0
#include "terms/units.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "terms/fixed.hpp"

namespace folioscope {
namespace {

TEST(Bytes, ParseBinaryPrefixes) {
  EXPECT_EQ(parse_bytes("0"), 0_B);
  EXPECT_EQ(parse_bytes("64"), 64_B);
  EXPECT_EQ(parse_bytes("64 B"), 64_B);
  for (char const* text : {"4K", "4k", "4KiB", "4 KiB", "4096"}) EXPECT_EQ(parse_bytes(text), 4_KiB) << text;
  EXPECT_EQ(parse_bytes("2M"), 2_MiB);
  EXPECT_EQ(parse_bytes("1G"), 1_GiB);
  EXPECT_EQ(parse_bytes("18446744073709551615"), Bytes(~std::uint64_t{0}));
}

TEST(Bytes, RefuseOtherText) {
  for (char const* text : {"", " ", "K", "-1", "+1", "1.5K", "4KB", "4Kib", "4KiBB", "4E", "4 ", "0x10",
                           "18446744073709551616", "17179869184G", "16777216T"})
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

TEST(Bytes, FormatsReadBack) {
  for (std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1000}, std::uint64_t{4096},
        std::uint64_t{6144}, std::uint64_t{1} << 21, (std::uint64_t{1} << 30) + 1024, ~std::uint64_t{0}}) {
    EXPECT_EQ(parse_bytes(format_bytes(Bytes(n))), Bytes(n));
    EXPECT_EQ(parse_bytes(compact_bytes(Bytes(n))), Bytes(n));
  }
  EXPECT_EQ(format_bytes(2_MiB), "2 MiB");
  EXPECT_EQ(compact_bytes(2_MiB), "2M");
  EXPECT_EQ(format_bytes(64_B), "64 B");
}

TEST(Time, FormatsThreeDigits) {
  EXPECT_EQ(format_time(Nanoseconds(0)), "0.00 ns");
  EXPECT_EQ(format_time(Nanoseconds(58.123)), "58.1 ns");
  EXPECT_EQ(format_time(Nanoseconds(1234)), "1.23 µs");
  EXPECT_EQ(format_time(Nanoseconds(58.1e6)), "58.1 ms");
  EXPECT_EQ(format_time(Nanoseconds(187e3)), "187 µs");
  EXPECT_EQ(format_time(Nanoseconds(-2e9)), "-2.00 s");
}

TEST(Time, IsShortWhateverItIs) {
  EXPECT_EQ(format_time(Nanoseconds(1e308)), "1.00e+299 s");
  EXPECT_EQ(format_time(Nanoseconds(std::numeric_limits<double>::infinity())), "- s");
  EXPECT_EQ(format_time(Nanoseconds(std::numeric_limits<double>::quiet_NaN())), "- ns");
  EXPECT_EQ(fixed(3.14159, 2), "3.14");
  EXPECT_EQ(fixed(9999999, 1), "9999999.0");
  EXPECT_EQ(fixed(-1e300, 3), "-1.00e+300");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 3), "-");
}

TEST(Time, ParsesDurations) {
  EXPECT_EQ(parse_duration("60s"), Nanoseconds(60e9));
  EXPECT_EQ(parse_duration("60"), Nanoseconds(60e9));
  EXPECT_EQ(parse_duration("10m"), Nanoseconds(600e9));
  EXPECT_EQ(parse_duration("500ms"), Nanoseconds(500e6));
  EXPECT_EQ(parse_duration("1h"), Nanoseconds(3600e9));
  EXPECT_EQ(parse_duration("1.5s"), Nanoseconds(1.5e9));
  for (char const* text : {"", "s", "-1s", "1 s", "1d", "nan", "inf", "1e3s", "99999999999999999999h"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

}  // namespace
}  // namespace folioscope
