// SPDX-License-Identifier: Apache-2.0
// Contracts are sound in themselves and against each other. What they say of stores, extents and direction is tested
// beside.
#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "usable.hpp"

namespace folioscope {
namespace {

constexpr std::array<std::string_view, 11> feature_words{"sse2",      "avx2", "avx512f", "erms", "rep_good", "clzero",
                                                         "movdir64b", "zva",  "sve",     "mops", "mte"};
constexpr std::array<std::string_view, 3> vector_features{"avx2", "avx512f", "sve"};

bool is_one_of(std::string_view word, auto const& words) { return std::ranges::find(words, word) != words.end(); }

class Contract : public testing::TestWithParam<Kernel const*> {
 protected:
  KernelContract const& contract() const { return GetParam()->contract; }
};

TEST_P(Contract, HasTheFunctionOfItsKind) {
  EXPECT_EQ(GetParam()->clear != nullptr, contract().kind == KernelKind::clear);
  EXPECT_EQ(GetParam()->copy != nullptr, contract().kind == KernelKind::copy);
}

TEST_P(Contract, NamesFeaturesThatMachineReports) {
  for (auto const& feature : contract().features) {
    EXPECT_TRUE(is_one_of(feature, feature_words)) << feature;
    EXPECT_EQ(usable_features().status.count(feature), 1u) << "machine never looks for " << feature;
  }
}

TEST_P(Contract, HasAGranuleThatDividesAPage) {
  auto const granule = granule_of(contract(), usable_features()).value;
  EXPECT_TRUE(std::has_single_bit(granule)) << granule;
  EXPECT_LE(granule, page_size());
}

TEST_P(Contract, DescendsOnlyWhenNamedSoAndHasAnAscendingTwin) {
  std::string_view name = contract().name;
  EXPECT_EQ(contract().direction == Direction::down, name.ends_with("_down"));
  if (!name.ends_with("_down")) return;
  name.remove_suffix(std::string_view("_down").size());
  auto const* const twin = find_kernel(name);
  ASSERT_NE(twin, nullptr) << "no " << name;
  EXPECT_EQ(twin->contract.direction, Direction::up);
  EXPECT_EQ(twin->contract.store, contract().store);
  EXPECT_EQ(twin->contract.features, contract().features);
}

TEST_P(Contract, IsWeaklyOrderedWhereItsStoresAre) {
  if (contract().store == StoreKind::none) {
    EXPECT_FALSE(contract().weakly_ordered);
  }
  if (contract().store == StoreKind::non_temporal) {
    EXPECT_TRUE(contract().weakly_ordered);
  }
}

TEST_P(Contract, RecommendsNoVectorsAndNothingUselessToLinux) {
  bool const vectors =
      std::ranges::any_of(contract().features, [](auto const& feature) { return is_one_of(feature, vector_features); });
  bool const useless = contract().store == StoreKind::none || contract().store == StoreKind::library;
  EXPECT_TRUE(!vectors || contract().linux_use != LinuxUse::yes);
  EXPECT_TRUE(!useless || contract().linux_use == LinuxUse::user_only);
}

TEST_P(Contract, NamesItsSource) { EXPECT_FALSE(contract().source.empty()); }

TEST_P(Contract, SurvivesTheRecord) {
  auto const json = to_json(contract());
  auto const read = contract_from_json(json, "test");
  EXPECT_EQ(to_json(read).dump(), json.dump());
  EXPECT_EQ(read.store, contract().store);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Contract, testing::ValuesIn(all_kernels()), kernel_name);

TEST(Catalogue, HasNoNameTwice) {
  std::set<std::string_view> names;
  for (auto const& kernel : kernel_catalogue())
    EXPECT_TRUE(names.insert(kernel.contract.name).second) << kernel.contract.name;
}

TEST(Catalogue, HasOneOverheadKernelAndTheLibrarysOwn) {
  for (auto const* const name : {"nothing", "memset", "memcpy", "hwy_store", "hwy_stream"})
    EXPECT_NE(find_kernel(name), nullptr) << name;
  auto const stores_nothing = [](Kernel const& kernel) { return kernel.contract.store == StoreKind::none; };
  EXPECT_EQ(std::ranges::count_if(kernel_catalogue(), stores_nothing), 1);
}

TEST(Catalogue, FindsKernelsByWholeNameOnly) {
  for (auto const& kernel : kernel_catalogue()) EXPECT_EQ(find_kernel(kernel.contract.name), &kernel);
  EXPECT_EQ(find_kernel("mems"), nullptr);
  EXPECT_EQ(find_kernel(""), nullptr);
}

}  // namespace
}  // namespace folioscope
