// SPDX-License-Identifier: Apache-2.0
#include "backing/pool.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <set>

#include "here.hpp"

namespace folioscope {
namespace {

using testing_here::this_machine;

std::uint64_t minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

/// Not instrumented: the sanitizer's shadow would fault too.
[[gnu::no_sanitize_address]] void touch(std::byte* begin, Bytes length, Bytes step) {
  for (std::uint64_t at = 0; at < length.value; at += step.value)
    *reinterpret_cast<unsigned char volatile*>(begin + at) = 2;
}

class EveryBacking : public testing::TestWithParam<char const*> {
 protected:
  void SetUp() override {
    auto const wanted = parse_backing(GetParam());
    ASSERT_TRUE(wanted);
    pool_.emplace(Pool::make({*wanted, kFolios}, machine_));
    if (*pool_) return;
    auto const& refusal = pool_->refusal();
    EXPECT_EQ(refusal.subject, GetParam());
    EXPECT_FALSE(refusal.reason.empty());
    GTEST_SKIP() << GetParam() << ": " << refusal.reason << "; " << refusal.remedy;
  }
  Pool const& pool() const { return **pool_; }

  static constexpr std::size_t kFolios = 4;
  Machine machine_ = this_machine();
  std::optional<Granted<Pool>> pool_;
};

TEST_P(EveryBacking, FoliosAreAlignedDistinctAndPopulated) {
  ASSERT_EQ(pool().folios(), kFolios);
  EXPECT_EQ(pool().folio_bytes(), *folio_of(pool().backing(), machine_));
  std::set<std::byte*> seen;
  for (std::size_t i = 0; i < kFolios; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool().folio(i)) % pool().folio_bytes().value, 0u);
    EXPECT_TRUE(seen.insert(pool().folio(i)).second);
  }
  auto const before = minor_faults();
  for (std::size_t i = 0; i < kFolios; ++i) touch(pool().folio(i), pool().folio_bytes(), machine_.base_page);
  // With tmpfs each page may be dirtied anew after writeback; everything else must not fault again.
  if (pool().backing().kind != BackingKind::tmpfs) {
    EXPECT_EQ(minor_faults(), before);
  }
}

TEST_P(EveryBacking, EvidenceStandsAfterUse) {
  for (std::size_t i = 0; i < kFolios; ++i) std::fill_n(pool().folio(i), pool().folio_bytes().value, std::byte{0});
  auto const evidence = pool().verify();
  EXPECT_FALSE(evidence.refusal) << evidence.refusal->reason;
  EXPECT_GE(evidence.share, 0.99);
  EXPECT_EQ(evidence.details["bytes"].as_integer(), static_cast<std::int64_t>(kFolios * pool().folio_bytes().value));
}

TEST_P(EveryBacking, EvidenceNamesThePagesThatAreThere) {
  auto const evidence = pool().verify();
  auto const bytes = evidence.details["bytes"].as_integer();
  auto const& smaps = evidence.details["smaps"];
  auto const& frames = evidence.details["frames"];
  auto const& faults = evidence.details["minor_faults"];
  switch (pool().backing().kind) {
    case BackingKind::base:
      EXPECT_EQ(smaps["anon_huge_bytes"].as_integer(), 0);
      EXPECT_GE(*faults.as_integer(), *bytes / static_cast<std::int64_t>(machine_.base_page.value));
      if (frames.is_object()) {
        EXPECT_EQ(frames["single"], frames["units"]);
      }
      break;
    case BackingKind::thp:
      EXPECT_EQ(smaps["anon_huge_bytes"].as_integer(), bytes);
      EXPECT_EQ(faults.as_integer(), static_cast<std::int64_t>(kFolios));
      if (frames.is_object()) {
        EXPECT_EQ(frames["whole"], frames["units"]);
      }
      break;
    case BackingKind::thp_pte:
      EXPECT_EQ(smaps["anon_huge_bytes"].as_integer(), 0);
      EXPECT_EQ(smaps["rss_bytes"].as_integer(), bytes);
      if (frames.is_object()) {
        EXPECT_EQ(frames["thp_flag"], frames["units"]);
      }
      break;
    case BackingKind::mthp:
      EXPECT_EQ(smaps["anon_huge_bytes"].as_integer(), 0);
      EXPECT_EQ(faults.as_integer(), *bytes / static_cast<std::int64_t>(pool().backing().size->value));
      break;
    case BackingKind::hugetlb:
      EXPECT_EQ(smaps["hugetlb_bytes"].as_integer(), bytes);
      EXPECT_EQ(smaps["kernel_page_bytes"].as_integer(), static_cast<std::int64_t>(pool().folio_bytes().value));
      break;
    case BackingKind::tmpfs:
      EXPECT_EQ(smaps["rss_bytes"].as_integer(), bytes);
      EXPECT_TRUE(evidence.details["huge_share"].is_number());
      break;
  }
}

TEST_P(EveryBacking, FramesAreOneAFolioOrNone) {
  auto random = Random(3);
  auto const folios = draw(pool(), kFolios, random);
  auto const frames = pool().frames(folios);
  if (frames.empty()) GTEST_SKIP() << "pagemap shows no frames to this user";
  ASSERT_EQ(frames.size(), kFolios);
  EXPECT_EQ(std::set(frames.begin(), frames.end()).size(), kFolios);
  EXPECT_FALSE(std::set(frames.begin(), frames.end()).contains(0));
  EXPECT_EQ(pool().frames(folios), frames);
}

INSTANTIATE_TEST_SUITE_P(Backings, EveryBacking,
                         testing::Values("base", "thp", "thp-pte", "mthp-64K", "hugetlb-2M", "tmpfs"),
                         [](auto const& backing) {
                           std::string name = backing.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Granted<Pool> base_pool(std::size_t folios) { return Pool::make({{BackingKind::base, {}}, folios}, this_machine()); }

TEST(Draw, IsDistinctRandomAndReproducible) {
  auto const pool = base_pool(12);
  ASSERT_TRUE(pool);
  Random a(1), again(1), other(2);
  auto const first = draw(*pool, 6, a);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 6u);
  EXPECT_EQ(draw(*pool, 6, again), first);
  EXPECT_NE(draw(*pool, 6, a), first);
  EXPECT_NE(draw(*pool, 6, other), first);
  auto const all = draw(*pool, 12, a);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 12u);
  EXPECT_TRUE(draw(*pool, 0, a).empty());
}

TEST(Draw, TakesEveryFolioAlike) {
  auto const pool = base_pool(4);
  ASSERT_TRUE(pool);
  Random random(5);
  std::map<std::byte*, unsigned> counts;
  for (int i = 0; i < 4000; ++i) ++counts[draw(*pool, 1, random).front()];
  ASSERT_EQ(counts.size(), 4u);
  for (auto const& [folio, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

#ifndef NDEBUG
TEST(Misuse, IsABugThatAsserts) {
  auto const pool = base_pool(2);
  ASSERT_TRUE(pool);
  Random random(1);
  EXPECT_DEATH(draw(*pool, 3, random), "count <= pool.folios");
  EXPECT_DEATH(static_cast<void>(pool->folio(2)), "i < folios");
}
#endif

TEST(Impossible, SizesAreRefused) {
  for (std::size_t folios : {std::size_t{0}, std::size_t{1} << 40, ~std::size_t{0}, std::size_t{1} << 50}) {
    auto const pool = base_pool(folios);
    ASSERT_FALSE(pool) << folios;
    EXPECT_FALSE(pool.refusal().reason.empty());
    EXPECT_FALSE(pool.refusal().remedy.empty());
  }
}

TEST(Hugetlb, PoolThatIsTooSmallIsARefusalNotASignal) {
  auto machine = this_machine();
  if (machine.hugetlb.empty()) GTEST_SKIP() << "this Linux has no hugetlb pages";
  auto const size = machine.hugetlb.front().size;
  auto const pool = Pool::make({{BackingKind::hugetlb, size}, std::size_t{1} << 22}, machine);
  ASSERT_FALSE(pool);
  EXPECT_NE(pool.refusal().remedy.find("nr_hugepages"), std::string::npos) << pool.refusal().remedy;
}

TEST(Evidence, SettingsThatPromiseWhatLinuxDoesNotGiveAreFoundOut) {
  auto machine = this_machine();
  auto const real =
      std::find_if(machine.mthp.begin(), machine.mthp.end(), [](auto const& m) { return m.size == 64_KiB; });
  if (real == machine.mthp.end() || real->mode != "never")
    GTEST_SKIP() << "needs a Linux that could and does not give 64K folios";
  real->mode = "madvise";
  auto const pool = Pool::make({*parse_backing("mthp-64K"), 2}, machine);
  ASSERT_FALSE(pool);
  EXPECT_NE(pool.refusal().reason.find("only 0.0 %"), std::string::npos) << pool.refusal().reason;
}

// In children, because the setting stays with the process.
void disable_thp_and_ask(char const* name) {
  if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) std::_Exit(3);
  auto const pool = Pool::make({*parse_backing(name), 1}, this_machine());
  if (pool) std::_Exit(1);
  std::_Exit(pool.refusal().reason.find("prctl") != std::string::npos ? 0 : 2);
}

TEST(Prctl, DisabledHugePagesAreRefusedByName) {
  if (this_machine().thp_mode.empty()) GTEST_SKIP() << "this Linux has no transparent huge pages";
  EXPECT_EXIT(disable_thp_and_ask("thp"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(disable_thp_and_ask("thp-pte"), testing::ExitedWithCode(0), "");
}

TEST(Pools, MoveAndGiveBackTheirMemory) {
  auto first = base_pool(1);
  auto second = base_pool(3);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  *first = std::move(*second);
  EXPECT_EQ(first->folios(), 3u);
  *first->folio(2) = std::byte{1};
}

}  // namespace
}  // namespace folioscope
