// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "backing/pool.hpp"
#include "backing/state.hpp"

namespace folioscope {
namespace {

Machine machine_with(std::string thp, std::vector<MthpSize> mthp = {}) {
  Machine m;
  m.folio = 2_MiB;
  m.thp_mode = std::move(thp);
  m.mthp = std::move(mthp);
  m.hugetlb = {{2_MiB, 0, 0}, {1_GiB, 0, 0}};
  return m;
}

std::optional<Refusal> refusal_of(char const* backing, Machine const& machine) {
  return refuse(*parse_backing(backing), machine);
}

struct Case {
  char const* backing;
  Machine machine;
  char const* reason;  ///< a part of it; null: not refused
  char const* remedy;
};

TEST(Availability, FollowsTheSettings) {
  auto const enabled = "/sys/kernel/mm/transparent_hugepage/enabled";
  auto const of_64k = "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled";
  auto const of_pmd = "/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled";
  std::vector<Case> const cases{
      {"base", machine_with("never"), nullptr, nullptr},
      {"base", machine_with(""), nullptr, nullptr},
      {"tmpfs", machine_with("never"), nullptr, nullptr},
      {"thp", machine_with("madvise"), nullptr, nullptr},
      {"thp", machine_with("always"), nullptr, nullptr},
      {"thp-pte", machine_with("madvise"), nullptr, nullptr},
      {"thp", machine_with("never"), enabled, "--allow-system-changes"},
      {"thp", machine_with(""), "no transparent huge pages", ""},
      {"thp", machine_with("madvise", {{2_MiB, "inherit"}}), nullptr, nullptr},
      {"thp", machine_with("never", {{2_MiB, "inherit"}}), enabled, enabled},
      {"thp", machine_with("never", {{2_MiB, "madvise"}}), nullptr, nullptr},
      {"thp", machine_with("always", {{2_MiB, "never"}}), of_pmd, of_pmd},
      {"mthp-64K", machine_with("madvise", {{64_KiB, "never"}}), of_64k, "--allow-system-changes"},
      {"mthp-64K", machine_with("madvise", {{64_KiB, "inherit"}}), nullptr, nullptr},
      {"mthp-64K", machine_with("never", {{64_KiB, "inherit"}}), enabled, enabled},
      {"mthp-64K", machine_with("never", {{64_KiB, "always"}, {2_MiB, "madvise"}}), nullptr, nullptr},
      {"mthp-32K", machine_with("madvise", {{64_KiB, "madvise"}}), "hugepages-32kB", ""},
      {"mthp-2M", machine_with("madvise", {{2_MiB, "madvise"}}), "between the base page", ""},
      {"mthp-4K", machine_with("madvise", {{4_KiB, "madvise"}}), "between the base page", ""},
      {"hugetlb-2M", machine_with("never"), nullptr, nullptr},
      {"hugetlb-32M", machine_with("never"), "there are 2M, 1G", ""},
  };
  for (auto const& c : cases) {
    auto const refusal = refusal_of(c.backing, c.machine);
    SCOPED_TRACE(std::string(c.backing) + " under " + c.machine.thp_mode);
    ASSERT_EQ(refusal.has_value(), c.reason != nullptr) << (refusal ? refusal->reason : "");
    if (!refusal) continue;
    EXPECT_EQ(refusal->subject, c.backing);
    EXPECT_NE(refusal->reason.find(c.reason), std::string::npos) << refusal->reason;
    EXPECT_NE(refusal->remedy.find(c.remedy), std::string::npos) << refusal->remedy;
  }
}

TEST(Availability, NeedsAFolio) {
  Machine machine = machine_with("madvise");
  machine.folio.reset();
  for (auto const* backing : {"base", "thp", "thp-pte", "mthp-64K", "tmpfs"})
    EXPECT_TRUE(refusal_of(backing, machine)) << backing;
  EXPECT_EQ(folio_of(*parse_backing("thp"), machine), std::nullopt);
  EXPECT_EQ(folio_of(*parse_backing("hugetlb-1G"), machine), 1_GiB);
  EXPECT_FALSE(refusal_of("hugetlb-2M", machine));
}

TEST(Availability, FolioIsThePmdPageOrTheHugetlbPage) {
  auto machine = machine_with("madvise");
  machine.folio = 32_MiB;
  EXPECT_EQ(folio_of(*parse_backing("base"), machine), 32_MiB);
  EXPECT_EQ(folio_of(*parse_backing("mthp-64K"), machine), 32_MiB);
  EXPECT_EQ(folio_of(*parse_backing("hugetlb-2M"), machine), 2_MiB);
}

TEST(Availability, StatesNeedTheMachineThisIsBuiltFor) {
  Machine machine;
  machine.architecture = "riscv64";
  for (auto state : {State::cold, State::hot, State::cold_zero}) EXPECT_TRUE(refuse(state, machine));
}

}  // namespace
}  // namespace folioscope
