// SPDX-License-Identifier: Apache-2.0
// A kernel is refused by name and with the reason, and only where one of its features is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "terms/features.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;

KernelContract needing(std::vector<std::string> features) {
  KernelContract contract;
  contract.name = "subject";
  contract.features = std::move(features);
  return contract;
}

TEST(Refuse, NothingWhereNothingIsNeeded) { EXPECT_EQ(refuse(needing({}), Features{}), std::nullopt); }

TEST(Refuse, NothingWhereAllIsUsable) {
  Features const features{{{"avx2", {true, ""}}, {"erms", {true, ""}}}, std::nullopt};
  EXPECT_EQ(refuse(needing({"avx2", "erms"}), features), std::nullopt);
}

TEST(Refuse, WhatTheOperatingSystemDoesNotEnableWithItsReason) {
  Features const features{{{"avx2", {true, ""}}, {"avx512f", {false, "XCR0 does not enable it"}}}, std::nullopt};
  auto const refusal = refuse(needing({"avx2", "avx512f"}), features);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->subject, "subject");
  EXPECT_THAT(refusal->reason, HasSubstr("avx512f"));
  EXPECT_THAT(refusal->reason, HasSubstr("XCR0 does not enable it"));
}

TEST(Refuse, WhatNobodyLookedFor) {
  auto const refusal = refuse(needing({"clzero"}), Features{});
  ASSERT_TRUE(refusal);
  EXPECT_THAT(refusal->reason, HasSubstr("clzero"));
}

TEST(Granule, IsTheContractsOwnOrTheZvaBlock) {
  auto contract = needing({"zva"});
  contract.granule = Bytes(16);
  Features const features{{}, Bytes(512)};
  EXPECT_EQ(granule_of(contract, features), Bytes(16));
  contract.granule = Bytes(0);
  EXPECT_EQ(granule_of(contract, features), Bytes(512));
}

}  // namespace
}  // namespace folioscope
