// SPDX-License-Identifier: Apache-2.0
// Every event that says `verified = "libpfm"` is encoded by libpfm4 without the hardware, and to the very code that the
// group would open when the name were lost. This build's libpfm4 knows its own architecture's CPUs.
#include <gtest/gtest.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "counters/catalogue.hpp"

namespace folioscope {
namespace {

class Libpfm : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    ASSERT_EQ(pfm_initialize(), PFM_SUCCESS);
  }
  static void TearDownTestSuite() { pfm_terminate(); }

  static bool knows_pmu(std::string const& name) {
    for (int i = 0; i < PFM_PMU_MAX; ++i) {
      pfm_pmu_info_t info{};
      info.size = sizeof info;
      if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(i), &info) == PFM_SUCCESS && name == info.name) return true;
    }
    return false;
  }

  static std::optional<std::uint64_t> code_of(std::string const& name) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    pfm_perf_encode_arg_t for_perf{};
    for_perf.size = sizeof for_perf;
    for_perf.attr = &attributes;
    int status = pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &for_perf);
    if (status == PFM_SUCCESS) return attributes.config;
    if (status != PFM_ERR_NOTSUPP) return std::nullopt;
    // Uncore PMUs have their perf encoding only where Linux lists them: the hardware's own stands in.
    pfm_pmu_encode_arg_t raw{};
    raw.size = sizeof raw;
    status = pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &raw);
    if (status != PFM_SUCCESS || raw.count < 1) return std::nullopt;
    std::uint64_t const code = raw.codes[0];
    std::free(raw.codes);
    return code;
  }

  static bool is_mine(CounterCatalogue const& catalogue, CounterGroup const& group) {
    for (Microarchitecture const& m : catalogue.microarchitectures())
      if (m.name == group.microarchitecture)
#if defined(__aarch64__)
        return m.architecture == "aarch64";
#else
        return m.architecture == "x86_64";
#endif
    return group.microarchitecture == "software";
  }
};

TEST_F(Libpfm, EncodesEveryNameToItsCode) {
  auto const catalogue = CounterCatalogue::read();
  std::size_t events = 0;
  for (CounterGroup const& group : catalogue.groups()) {
    if (!is_mine(catalogue, group) || group.libpfm.empty()) continue;
    EXPECT_TRUE(knows_pmu(group.libpfm)) << group.id() << ": " << group.libpfm;
    for (CounterEvent const& event : group.events) {
      auto const code = code_of(group.libpfm + "::" + event.name);
      if (event.verified != "libpfm") {
        EXPECT_FALSE(code) << group.id() << " " << event.name << " is known to libpfm4: say verified = \"libpfm\"";
        continue;
      }
      ++events;
      ASSERT_TRUE(code) << group.id() << " " << event.name << " is not known to libpfm4 as " << group.libpfm;
      EXPECT_EQ(*code, event.code) << group.id() << " " << event.name;
    }
  }
  EXPECT_GT(events, 100u);
}

TEST_F(Libpfm, DoesNotKnowWhatIsMisspelt) {
#if defined(__aarch64__)
  EXPECT_TRUE(code_of("arm_n1::L2D_CACHE_REFILL_WR"));
  EXPECT_FALSE(code_of("arm_n1::L2D_CACHE_REFIL_WR"));
  EXPECT_FALSE(code_of("arm_n9::L2D_CACHE_REFILL_WR"));
#else
  EXPECT_TRUE(code_of("skx::OFFCORE_REQUESTS:DEMAND_RFO"));
  EXPECT_FALSE(code_of("skx::OFFCORE_REQUESTS:DEMAND_RF0"));
  EXPECT_FALSE(code_of("skz::OFFCORE_REQUESTS:DEMAND_RFO"));
#endif
}

}  // namespace
}  // namespace folioscope
