// SPDX-License-Identifier: Apache-2.0
// What a guest's survey sent out, checked on the host: the machine it saw, the capsule, and that no advice came of
// emulated timings. The folder is named by FOLIOSCOPE_GUEST (tests/guest/run); no figure of time is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kernels/kernel.hpp"
#include "record/capsule.hpp"
#include "terms/facts.hpp"
#include "terms/json.hpp"

namespace folioscope {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

class Guest : public testing::Test {
 protected:
  void SetUp() override {
    char const* const folder = std::getenv("FOLIOSCOPE_GUEST");
    if (!folder) GTEST_SKIP() << "a guest's folder is needed in FOLIOSCOPE_GUEST; tests/guest/run boots one";
    folder_ = folder;
  }

  std::string text(std::string const& name) const {
    std::ifstream file(folder_ / name);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  Json json(std::string const& name) const { return parse_json(text(name), name); }

  Json fact(std::string_view key) const {
    auto const machine = json("machine.json");
    for (auto const& entry : machine["facts"].items())
      if (entry["key"].as_string() == std::string(key)) return entry["value"];
    return {};
  }

  Campaign campaign() const {
    auto const capsule = Capsule::open(folder_ / "guest.folioscope");
    return capsule.load(capsule.headers().back().id);
  }

  std::filesystem::path folder_;
};

TEST_F(Guest, EveryCommandEndedAsItShould) {
  std::istringstream lines(text("status"));
  std::map<std::string, int> statuses;
  std::string name;
  for (int status = 0; lines >> name >> status;) statuses[name] = status;
  ASSERT_EQ(statuses.size(), 10u);
  for (auto const& [command, status] : statuses)
    EXPECT_EQ(status, command == "wrong.txt" ? 2 : 0) << command << ": " << text(command + ".err");
  auto const complaint = text("wrong.txt.err");
  EXPECT_EQ(std::ranges::count(complaint, '\n'), 1) << complaint;
  EXPECT_THAT(complaint, HasSubstr("dc_zva"));
}

TEST_F(Guest, MachineIsTheEmulatedOneAndSaysSo) {
  EXPECT_EQ(fact(fact::architecture).as_string(), "aarch64");
  EXPECT_FALSE(fact(fact::emulator).is_null());
  EXPECT_THAT(fact(fact::linux_release).as_string().value_or(""), HasSubstr("6.12"));
}

TEST_F(Guest, PageSizesAreThoseOfTheBootedLinux) {
  auto const release = fact(fact::linux_release).as_string().value_or("");
  bool const is_16k = release.find("16k") != std::string::npos;
  EXPECT_EQ(fact(fact::base_page).as_integer(), is_16k ? 16384 : 4096);
  EXPECT_EQ(fact(fact::folio).as_integer(), is_16k ? 32 << 20 : 2 << 20);
}

TEST_F(Guest, EveryKernelIsListedAndUsable) {
  auto const machine = json("machine.json");
  std::map<std::string, bool> usable;
  for (auto const& entry : machine["kernels"].items())
    usable[entry["name"].as_string().value_or("")] = entry["usable"].as_bool().value_or(false);
  for (auto const& kernel : kernel_catalogue()) {
    ASSERT_TRUE(usable.contains(kernel.contract.name)) << kernel.contract.name;
    EXPECT_TRUE(usable[kernel.contract.name]) << kernel.contract.name;  // the emulator's max CPU lacks nothing
    EXPECT_THAT(text("list-kernels.txt"), HasSubstr(kernel.contract.name));
  }
  EXPECT_EQ(fact(fact::linux_kernel).as_string(), "dc_zva");  // 6.12 is older than Linux's use of SET
}

TEST_F(Guest, CapsuleHoldsAFinishedCampaign) {
  auto const c = campaign();
  EXPECT_TRUE(c.header.complete);
  EXPECT_FALSE(c.header.stop_reason.empty());
  EXPECT_FALSE(c.facts.value(fact::emulator).is_null());
  EXPECT_FALSE(c.blocks.empty());
  for (auto const& sample : c.samples) ASSERT_GT(sample.wall.value, 0);
}

TEST_F(Guest, EveryBackingWasMeasuredOnPagesThatWereWhatTheySaid) {
  auto const c = campaign();
  std::set<std::uint32_t> refused;
  for (auto const& r : c.refused) refused.insert(r.cell);
  std::set<std::string> measured;
  for (auto const& sample : c.samples)
    if (!refused.contains(sample.cell)) {
      auto backing = to_string(c.plan.cells.at(sample.cell).cell.backing);
      if (backing.starts_with("hugetlb-")) backing = "hugetlb";
      measured.insert(backing);
    }
  std::string reasons;
  for (auto const& r : c.refused) reasons += r.refusal.subject + ": " + r.refusal.reason + "\n";
  for (auto const& r : c.plan.refusals) reasons += r.subject + ": " + r.reason + "\n";
  EXPECT_THAT(measured, IsSupersetOf({"base", "thp", "thp-pte", "mthp-64K", "hugetlb"})) << reasons;
}

TEST_F(Guest, ExplainRefusesAdvice) {
  auto const explanation = json("explain.json");
  EXPECT_TRUE(explanation["recommendation"]["order"].is_null());
  EXPECT_TRUE(explanation["recommendation"]["kernel"].is_null());
  EXPECT_THAT(text("explain.txt"), HasSubstr("emulat"));
  EXPECT_THAT(text("sweep.txt.err"), HasSubstr("emulat"));
}

}  // namespace
}  // namespace folioscope
