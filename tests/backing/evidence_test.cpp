// SPDX-License-Identifier: Apache-2.0
#include "backing/evidence.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace folioscope::backing {
namespace {

constexpr auto kText =
    "1000-2000 rw-p 00000000 00:00 0 \n"
    "Rss:                 999 kB\n"
    "AnonHugePages:       999 kB\n"
    "400000-600000 rw-p 00000000 00:00 0    [heap: a name]\n"
    "Size:               2048 kB\n"
    "KernelPageSize:        4 kB\n"
    "MMUPageSize:           4 kB\n"
    "Rss:                2048 kB\n"
    "AnonHugePages:      2048 kB\n"
    "ShmemPmdMapped:        0 kB\n"
    "VmFlags: rd wr mr mw me ac hg\n"
    "600000-800000 r--p 00000000 00:00 0 \n"
    "KernelPageSize:     2048 kB\n"
    "Rss:                  12 kB\n"
    "Private_Hugetlb:    2048 kB\n"
    "Shared_Hugetlb:      512 kB\n"
    "RssNot:               77 kB\n"
    "900000-a00000 rw-p 00000000 00:00 0 \n"
    "Rss:                 555 kB\n";

TEST(SmapsText, IsSummedOverTheRangeAlone) {
  std::istringstream text(kText);
  auto const sum = sum_smaps(text, 0x400000, 0x800000);
  EXPECT_EQ(sum.mappings, 2u);
  EXPECT_EQ(sum.length, 4_MiB);
  EXPECT_EQ(sum.rss, Bytes((2048 + 12) << 10));
  EXPECT_EQ(sum.anon_huge, 2_MiB);
  EXPECT_EQ(sum.hugetlb, Bytes(2560 << 10));
  EXPECT_EQ(sum.kernel_page, 4_KiB);
}

TEST(SmapsText, OutsideAnyMappingIsNothing) {
  std::istringstream text(kText);
  auto const sum = sum_smaps(text, 0x800000, 0x900000);
  EXPECT_EQ(sum.mappings, 0u);
  EXPECT_EQ(sum.kernel_page, std::nullopt);
}

TEST(SmapsText, RubbishIsIgnored) {
  std::istringstream text(
      "\n-\nzz-qq rw\n10-\nRss:\n400000-600000\n400000-600000 rw-p\nRss:\nRss: x kB\nRss:   4 kB\nAnonHugePages: "
      "99999999999999999999999 kB\n");
  auto const sum = sum_smaps(text, 0x400000, 0x600000);
  EXPECT_EQ(sum.mappings, 1u);
  EXPECT_EQ(sum.rss, 4_KiB);
  EXPECT_EQ(sum.anon_huge, 0_B);
}

Sighting sighting(char const* backing) {
  Sighting s;
  s.backing = *parse_backing(backing);
  s.folio = 2_MiB;
  s.base = 4_KiB;
  s.length = 200_MiB;
  s.smaps = Smaps{};
  s.smaps->mappings = 1;
  s.smaps->rss = s.length;
  s.smaps->kernel_page = 4_KiB;
  return s;
}

TEST(Judge, GoodPools) {
  auto base = sighting("base");
  base.minor_faults = 51200;
  auto thp = sighting("thp");
  thp.minor_faults = 100;
  thp.smaps->anon_huge = thp.length;
  auto split = sighting("thp-pte");
  split.minor_faults = 100;
  split.huge_before_split = 1;
  split.frames = FrameSample{100, 100, 0, 100};
  auto mthp = sighting("mthp-64K");
  mthp.minor_faults = 3200;
  mthp.frames = FrameSample{512, 512, 0, 512};
  auto hugetlb = sighting("hugetlb-2M");
  hugetlb.smaps->rss = 0_B;
  hugetlb.smaps->hugetlb = hugetlb.length;
  hugetlb.smaps->kernel_page = 2_MiB;
  auto const tmpfs = sighting("tmpfs");
  for (auto const& s : {base, thp, split, mthp, hugetlb, tmpfs}) {
    auto const e = judge(s);
    EXPECT_FALSE(e.refusal) << e.refusal->reason;
    EXPECT_EQ(e.share, 1) << to_string(s.backing);
  }
}

TEST(Judge, TheLeastSourceDecides) {
  auto thp = sighting("thp");
  thp.minor_faults = 100;
  thp.smaps->anon_huge = 196_MiB;
  auto const e = judge(thp);
  EXPECT_NEAR(e.share, 0.98, 1e-9);
  ASSERT_TRUE(e.refusal);
  EXPECT_NE(e.refusal->reason.find("98.0 %"), std::string::npos) << e.refusal->reason;
  EXPECT_NE(e.refusal->reason.find("smaps"), std::string::npos);
  EXPECT_FALSE(e.refusal->remedy.empty());
}

TEST(Judge, EveryWayToBeWrongIsRefused) {
  auto huge_base = sighting("base");  // THP "always" and no say about it
  huge_base.minor_faults = 100;
  huge_base.smaps->anon_huge = huge_base.length;
  auto large_base = sighting("base");  // mthp folios: smaps cannot see them
  large_base.minor_faults = 51200;
  large_base.frames = FrameSample{512, 0, 100, 0};
  auto small_thp = sighting("thp");
  small_thp.minor_faults = 51200;
  auto unsplit = sighting("thp-pte");
  unsplit.minor_faults = 100;
  unsplit.huge_before_split = 1;
  unsplit.smaps->anon_huge = unsplit.length;
  auto never_huge = sighting("thp-pte");
  never_huge.minor_faults = 100;
  never_huge.huge_before_split = 0;
  auto other_frames = sighting("thp-pte");
  other_frames.minor_faults = 100;
  other_frames.huge_before_split = 1;
  other_frames.frames = FrameSample{100, 50, 0, 50};
  auto pmd_mthp = sighting("mthp-64K");
  pmd_mthp.minor_faults = 100;
  pmd_mthp.smaps->anon_huge = pmd_mthp.length;
  auto small_mthp = sighting("mthp-64K");
  small_mthp.minor_faults = 51200;
  auto other_hugetlb = sighting("hugetlb-1G");
  other_hugetlb.folio = 1_GiB;
  other_hugetlb.smaps->hugetlb = other_hugetlb.length;
  other_hugetlb.smaps->kernel_page = 2_MiB;
  auto absent_tmpfs = sighting("tmpfs");
  absent_tmpfs.smaps->rss = 100_MiB;
  for (auto const& s : {huge_base, large_base, small_thp, unsplit, never_huge, other_frames, pmd_mthp, small_mthp,
                        other_hugetlb, absent_tmpfs}) {
    auto const e = judge(s);
    EXPECT_TRUE(e.refusal) << to_string(s.backing) << " " << e.details.dump();
  }
}

TEST(Judge, WithoutAnySourceNothingIsBelieved) {
  auto hugetlb = sighting("hugetlb-2M");
  hugetlb.smaps.reset();
  auto const e = judge(hugetlb);
  EXPECT_EQ(e.share, 0);
  EXPECT_TRUE(e.refusal);
}

TEST(Judge, FaultsAloneAreEnough) {  // no /proc
  auto thp = sighting("thp");
  thp.smaps.reset();
  thp.minor_faults = 100;
  EXPECT_FALSE(judge(thp).refusal);
  thp.minor_faults = 2000;  // about 4 of 100 folios fell back to base pages
  EXPECT_TRUE(judge(thp).refusal);
}

}  // namespace
}  // namespace folioscope::backing
