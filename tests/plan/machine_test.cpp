// SPDX-License-Identifier: Apache-2.0
// What a machine lacks is refused by name and reason, and the rest is planned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "made_up.hpp"

namespace folioscope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> refusals_of_machine(Plan const& plan) {
  std::vector<std::string> texts;
  for (Refusal const& r : plan.refusals) texts.push_back(r.subject + ": " + r.reason + "; " + r.remedy);
  return texts;
}

std::set<std::string> backings(Plan const& plan) {
  std::set<std::string> texts;
  for (PlannedCell const& planned : plan.cells) texts.insert(to_string(planned.cell.backing));
  return texts;
}

std::set<std::string> kernels(Plan const& plan) {
  std::set<std::string> names;
  for (PlannedCell const& planned : plan.cells) names.insert(planned.cell.kernel);
  return names;
}

std::set<Bytes> footprints(Plan const& plan) {
  std::set<Bytes> sizes;
  for (PlannedCell const& planned : plan.cells) sizes.insert(planned.cell.footprint);
  return sizes;
}

Machine changed(auto change) {
  Machine m = made_up::machine();
  change(m);
  return m;
}

TEST(Kernels, UnusableOnesAreRefusedWithTheReason) {
  Machine const none = changed([](Machine& m) {
    for (auto& [name, status] : m.features.status) status = {false, "XCR0 does not enable it"};
    m.linux_kernel.clear();
  });
  Plan const plan = made_up::plan("kernels = \"all\"", none);
  for (Kernel const& kernel : kernel_catalogue()) {
    KernelContract const& k = kernel.contract;
    if (!made_up::clears(k) || k.store == StoreKind::none) continue;
    if (k.features.empty())
      EXPECT_THAT(kernels(plan), Contains(k.name));
    else
      EXPECT_THAT(refusals_of_machine(plan), Contains(AllOf(HasSubstr(k.name + ": "), HasSubstr("XCR0")))) << k.name;
  }
  EXPECT_THAT(refusals_of_machine(plan), Contains(AllOf(HasSubstr("linux"), HasSubstr("not known"))));
}

TEST(Kernels, ThatLinuxUsesButFolioscopeLacksAreNamed) {
  Machine const odd = changed([](Machine& m) { m.linux_kernel = "rep_movq"; });
  EXPECT_THAT(refusals_of_machine(made_up::plan("", odd)), Contains(HasSubstr("rep_movq")));
  EXPECT_THAT(made_up::plan("", odd).cells, IsEmpty());
}

TEST(Kernels, OfTheOtherArchitectureAndCopiesAreRefusedNotUnknown) {
  Plan const plan = made_up::plan("kernels = [\"dc_zva\", \"rep_stosq\", \"memcpy\", \"memset\"]");
  EXPECT_THAT(refusals_of_machine(plan), Contains(HasSubstr(find_kernel("dc_zva") ? "rep_stosq: a kernel of x86-64"
                                                                                  : "dc_zva: a kernel of arm64")));
  EXPECT_THAT(refusals_of_machine(plan), Contains(HasSubstr("memcpy: copies")));
  EXPECT_THAT(kernels(plan), Contains("memset"));
}

TEST(Kernels, RolesFollowTheMachine) {
  Machine const all = made_up::machine();
  for (std::string const role : {"best_plain", "best_bypass"}) {
    auto const names = kernels(made_up::plan("kernels = \"" + role + "\"", all));
    ASSERT_EQ(names.size() - names.count(made_up::linux_kernel()), 1u) << role;
    for (std::string const& name : names)
      if (name != made_up::linux_kernel()) {
        EXPECT_EQ(find_kernel(name)->contract.store == StoreKind::plain, role == "best_plain");
        EXPECT_NE(find_kernel(name)->contract.linux_use, LinuxUse::user_only);
      }
  }
  for (std::string const& name : kernels(made_up::plan("kernels = \"down\"", all)))
    EXPECT_TRUE(name == made_up::linux_kernel() || find_kernel(name)->contract.direction == Direction::down);
#if defined(__x86_64__)
  EXPECT_THAT(kernels(made_up::plan("kernels = [\"best_plain\", \"best_bypass\"]", all)), Contains("mov_avx512"));
  EXPECT_THAT(kernels(made_up::plan("kernels = [\"best_plain\", \"best_bypass\"]", all)), Contains("movnt_avx512"));
  Machine const narrow = changed([](Machine& m) {
    m.features.status["avx512f"].usable = false;
    m.features.status["movdir64b"].usable = false;
    m.linux_kernel = "rep_stosq";
  });
  EXPECT_THAT(kernels(made_up::plan("kernels = [\"best_plain\", \"best_bypass\", \"string\"]", narrow)),
              UnorderedElementsAre("mov_avx2", "movnt_avx2", "rep_stosq"));
#endif
}

TEST(Kernels, GranulesThatDoNotDivideARunAreRefused) {
  if (!find_kernel("dc_zva")) GTEST_SKIP() << "no kernel of this architecture has a large granule";
  Machine const wide = changed([](Machine& m) { m.features.zva_block = 512_B; });
  Plan const plan = made_up::plan("kernels = \"dc_zva\"\norders = \"reverse\"\nruns = [64, \"page\"]", wide);
  EXPECT_THAT(refusals_of_machine(plan), Contains(AllOf(HasSubstr("dc_zva"), HasSubstr("512 B"))));
}

TEST(Backings, AreAllPlannedWhereTheMachineHasThem) {
  Plan const plan = made_up::plan("backings = [\"base\", \"mthp\", \"thp\", \"thp-pte\", \"hugetlb-2M\", \"tmpfs\"]");
  EXPECT_THAT(backings(plan),
              UnorderedElementsAre("base", "mthp-64K", "mthp-256K", "thp", "thp-pte", "hugetlb-2M", "tmpfs"));
  EXPECT_THAT(refusals_of_machine(plan), IsEmpty());
}

TEST(Backings, ThatAreOffAreRefusedWithARemedy) {
  Machine const off = changed([](Machine& m) {
    m.thp_mode = "never";
    m.mthp = {{64_KiB, "never"}, {256_KiB, "inherit"}};
    m.hugetlb = {{2_MiB, 0, 0}};
  });
  Plan const plan = made_up::plan(
      "backings = [\"base\", \"mthp\", \"mthp-64K\", \"mthp-32K\", \"thp\", \"thp-pte\", \"hugetlb\", \"hugetlb-16M\"]",
      off);
  EXPECT_THAT(backings(plan), ElementsAre("base"));
  EXPECT_THAT(refusals_of_machine(plan), Contains(AllOf(HasSubstr("mthp: "), HasSubstr("hugepages-64kB"))));
  EXPECT_THAT(refusals_of_machine(plan), Contains(AllOf(HasSubstr("mthp-64K: "), HasSubstr("not enabled"))));
  EXPECT_THAT(refusals_of_machine(plan), Contains(HasSubstr("mthp-32K: ")));
  EXPECT_THAT(refusals_of_machine(plan), Contains(AllOf(HasSubstr("thp: "), HasSubstr("madvise"))));
  EXPECT_THAT(refusals_of_machine(plan), Contains(HasSubstr("thp-pte: ")));
  EXPECT_THAT(refusals_of_machine(plan),
              Contains(AllOf(HasSubstr("hugetlb-2M"), HasSubstr("needs 2 free hugetlb pages and there are 0"),
                             HasSubstr("nr_hugepages"))));
  EXPECT_THAT(refusals_of_machine(plan), Contains(HasSubstr("hugetlb-16M: ")));
}

TEST(Backings, HugetlbMayBeReservedWhereChangesAreAllowed) {
  Machine const empty = changed([](Machine& m) { m.hugetlb = {{2_MiB, 0, 0}}; });
  Overrides allowed;
  allowed.allow_system_changes = true;
  EXPECT_THAT(backings(made_up::plan("backings = \"hugetlb\"", empty, allowed)), ElementsAre("hugetlb-2M"));
  EXPECT_THAT(backings(made_up::plan("backings = \"hugetlb\"", empty)), IsEmpty());
}

TEST(Backings, AFolioOfHugetlbIsItsPage) {
  Machine const large = changed([](Machine& m) { m.hugetlb = {{1_GiB, 8, 8}, {16_GiB, 8, 8}}; });
  EXPECT_THAT(refusals_of_machine(made_up::plan("backings = \"hugetlb\"", large)),
              ElementsAre(HasSubstr("up to the size of a folio")));
  Plan const plan = made_up::plan("orders = \"reverse\"\nbackings = [\"hugetlb-1G\", \"hugetlb-16G\"]", large);
  EXPECT_THAT(footprints(plan), ElementsAre(1_GiB));
  EXPECT_THAT(refusals_of_machine(plan), ElementsAre(AllOf(HasSubstr("hugetlb-16G"), HasSubstr("4 GiB"))));
  EXPECT_EQ(plan.cells.back().visits.size(), 262144u);
}

TEST(Footprints, AreFoliosSizesOrSharesOfCaches) {
  Plan const plan =
      made_up::plan("footprints = [1, 8, \"64K\", \"4M\", \"L1/2\", \"2*L1\", \"L2/2\", \"L3\", \"2*L3\"]");
  EXPECT_THAT(footprints(plan), ElementsAre(16_KiB, 64_KiB, 512_KiB, 2_MiB, 4_MiB, 16_MiB, 24_MiB, 48_MiB));
}

TEST(Footprints, OfUnknownCachesAreRefused) {
  Machine const blind = changed([](Machine& m) {
    m.caches[3].size.reset();
    m.caches.erase(m.caches.begin() + 2);
  });
  EXPECT_THAT(refusals_of_machine(made_up::plan("footprints = [1, \"L3/2\", \"L2\", \"L4\"]", blind)),
              UnorderedElementsAre(AllOf(HasSubstr("footprint L3/2"), HasSubstr("not known")),
                                   HasSubstr("footprint L2"), HasSubstr("footprint L4")));
}

TEST(Footprints, ThatAreNoWholeFoliosOrPagesAreRefused) {
  Plan const plan = made_up::plan("footprints = [1, \"3M\", \"5000 B\", \"6K\"]");
  EXPECT_THAT(refusals_of_machine(plan),
              ElementsAre(HasSubstr("footprint 3M"), HasSubstr("footprint 5000 B"), HasSubstr("footprint 6K")));
}

TEST(Footprints, OfLargePagesFollowTheFolio) {
  Machine const large = changed([](Machine& m) {
    m.base_page = 64_KiB;
    m.folio = 512_MiB;
  });
  Plan const plan = made_up::plan("orders = \"target_last\"\nfootprints = [1, \"L1/2\", \"L2/2\"]", large);
  EXPECT_THAT(footprints(plan), ElementsAre(512_KiB, 512_MiB));
  EXPECT_THAT(refusals_of_machine(plan),
              ElementsAre(AllOf(HasSubstr("footprint L1/2"), HasSubstr("less than a base page"))));
  Machine const unknown = changed([](Machine& m) {
    m.base_page = 16_KiB;
    m.folio.reset();
  });
  EXPECT_THAT(footprints(made_up::plan("backings = \"base\"", unknown)), ElementsAre(32_MiB));
}

TEST(Threads, BeyondTheAllowedCpusAreRefused) {
  Plan const plan = made_up::plan("threads = [1, \"all\", 5]");
  std::set<std::uint32_t> threads;
  for (PlannedCell const& planned : plan.cells) threads.insert(planned.cell.threads);
  EXPECT_THAT(threads, ElementsAre(1u, 4u));
  EXPECT_THAT(refusals_of_machine(plan), ElementsAre(AllOf(HasSubstr("5 threads"), HasSubstr("only 4 CPUs"))));
}

TEST(Memory, PoolsAreTwiceTheLargestFootprintOfEachBackingForEveryThread) {
  EXPECT_EQ(memory_needed(made_up::plan("footprints = [1, 8]\nbackings = [\"thp\", \"base\"]\nthreads = [1, 2]")),
            128_MiB);
  EXPECT_EQ(memory_needed(made_up::plan("footprints = \"64K\"")), 4_MiB);
  EXPECT_EQ(memory_needed(made_up::plan("backings = \"hugetlb-1G\"", changed([](Machine& m) {
                                          m.hugetlb = {{1_GiB, 4, 4}};
                                        }))),
            2_GiB);
}

TEST(Memory, FootprintsBeyondWhatIsAvailableAreRefused) {
  Machine const small = changed([](Machine& m) { m.memory_available = 1_GiB; });
  Plan const plan = made_up::plan("footprints = [1, 100, 512]", small);
  EXPECT_THAT(footprints(plan), ElementsAre(2_MiB, 200_MiB));
  EXPECT_THAT(refusals_of_machine(plan), ElementsAre(AllOf(HasSubstr("footprint 1G on thp"), HasSubstr("2 GiB"),
                                                           HasSubstr("1024 MiB available"))));
}

TEST(Memory, BackingsThatDoNotFitTogetherGiveUpTheLargest) {
  Machine const small = changed([](Machine& m) { m.memory_available = 1_GiB; });
  Plan const plan = made_up::plan("footprints = [1, 128]\nbackings = [\"thp\", \"base\"]", small);
  EXPECT_THAT(refusals_of_machine(plan), ElementsAre(HasSubstr("with the others needs")));
  EXPECT_EQ(memory_needed(plan), 516_MiB);
  EXPECT_THAT(backings(plan), UnorderedElementsAre("thp", "base"));
}

TEST(Memory, MaxMemoryBoundsToo) {
  Overrides o;
  o.max_memory = 100_MiB;
  Plan const plan = made_up::plan("footprints = [1, 100]", made_up::machine(), o);
  EXPECT_THAT(footprints(plan), ElementsAre(2_MiB));
  EXPECT_THAT(refusals_of_machine(plan), ElementsAre(HasSubstr("--max-memory 100 MiB")));
  o.max_memory = 1_MiB;
  EXPECT_THAT(made_up::plan("", made_up::machine(), o).cells, IsEmpty());
}

TEST(Memory, SomeIsLeftToTheProgram) {
  // Of 64 MiB, as a cgroup may give: 80 % less what the program itself needs.
  Machine const small = changed([](Machine& m) { m.memory_available = 64_MiB; });
  EXPECT_THAT(footprints(made_up::plan("footprints = [1, 9, 10, 12]", small)), ElementsAre(2_MiB, 18_MiB));
}

TEST(Memory, UnknownIsNotUnlimited) {
  Machine const unknown = changed([](Machine& m) { m.memory_available.reset(); });
  EXPECT_THAT(footprints(made_up::plan("footprints = [1, 512, 1000000]", unknown)), ElementsAre(2_MiB));
}

TEST(Memory, HugetlbPagesThatLinuxHoldsAlreadyCostNothing) {
  Machine const held = changed([](Machine& m) {
    m.memory_available = 64_MiB;
    m.hugetlb = {{2_MiB, 1000, 1000}};
  });
  EXPECT_THAT(footprints(made_up::plan("footprints = 100\nbackings = \"hugetlb\"", held)), ElementsAre(200_MiB));
}

}  // namespace
}  // namespace folioscope
