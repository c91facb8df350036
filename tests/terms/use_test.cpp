// SPDX-License-Identifier: Apache-2.0
#include "terms/use.hpp"

#include <gtest/gtest.h>

namespace folioscope {
namespace {

TEST(Use, LabelsReadBack) {
  for (auto const pattern :
       {Pattern::target, Pattern::ascending, Pattern::from_target, Pattern::descending, Pattern::random})
    for (auto const access : {Access::read, Access::modify})
      for (bool const corunner : {false, true}) {
        Use use{pattern, 0.25, access, corunner, {}};
        if (has_target(pattern)) use.target = 384;
        EXPECT_EQ(use_of(label_of(use), 0.25), use) << label_of(use);
      }
  EXPECT_EQ(label_of({Pattern::from_target, 1, Access::modify, true, 128}), "from_target modify corunner 128");
}

TEST(Use, WhatIsNoLabelIsNothing) {
  for (std::string const text :
       {"", "ascending", "ascending modify", "ascending modify alone 3", "target modify alone", "target modify alone x",
        "target modify alone 3 4", "target modify alone -3", "upwards modify alone", "ascending write alone",
        "ascending modify both", "target modify alone 99999999999999999999"})
    EXPECT_FALSE(use_of(text, 0.5)) << text;
  for (double const fraction : {0.0, -0.1, 1.5, 0.0 / 0.0}) EXPECT_FALSE(use_of("ascending read alone", fraction));
}

}  // namespace
}  // namespace folioscope
