// SPDX-License-Identifier: Apache-2.0
// Residency, bill and radius of machines whose truth is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>

#include "explain/after_words.hpp"
#include "explain/explain.hpp"
#include "synthetic/after.hpp"

namespace folioscope {
namespace {

using namespace synthetic;

Campaign measured(Grid const& grid, std::string const& name, std::uint32_t placements = 10) {
  return campaign({.plan = plan_of(grid, name), .true_ns = by_order({}), .placements = placements});
}

std::string all_of(std::vector<std::string> const& sentences) {
  std::string text;
  for (auto const& s : sentences) text += s + "\n";
  return text;
}

/// Target last leaves the last quarter of its walk in the L2, the target in the L1; sequential leaves the end in the
/// L2.
std::size_t where(Cell const& cell, std::uint64_t page) {
  if (cell.order == "target_last") return page == 128 ? 0 : page > 64 && page < 192 ? 1 : 3;
  return page >= 384 ? 1 : 3;
}

Campaign probed() {
  Campaign c = measured({.orders = {"target_last"}}, "residency");
  add_probe(c, where);
  return c;
}

TEST(Residency, GivesLevelSharesByPageBin) {
  Campaign const c = probed();
  Explanation const e = explain({&c, 1});
  ASSERT_FALSE(e.residency.shares.empty());
  for (ResidencyShare const& s : e.residency.shares) {
    EXPECT_EQ(s.source, "probed");
    ASSERT_TRUE(s.share.ci);
    EXPECT_LE(s.share.ci->low, s.share.value);
    EXPECT_GE(s.share.ci->high, s.share.value);
    Cell const& cell = c.plan.cells[s.cell].cell;
    if (cell.order != "sequential" || s.first_page / 384 != s.last_page / 384) continue;
    double const expected = s.level == (s.first_page >= 384 ? "L2" : "memory") ? 1 : 0;
    EXPECT_EQ(s.share.value, expected) << s.level << " " << s.first_page;
    EXPECT_NE(s.share.ci->low, s.share.ci->high) << "certainty does not come from few samples";
  }
}

TEST(Residency, ResolutionFollowsFromTheSamples) {
  auto const bins = [](std::uint64_t pages) {
    Campaign c = measured({.orders = {}}, "residency");
    add_probe(c, where, pages);
    std::uint32_t most = 0;
    Explanation const e = explain({&c, 1});
    for (auto const& s : e.residency.shares) most = std::max(most, s.page_bin + 1);
    return most;
  };
  EXPECT_EQ(bins(1), 1u) << "three samples a placement";
  EXPECT_EQ(bins(16), 8u) << "48 samples a placement: six a bin";
  EXPECT_EQ(bins(256), 64u) << "no more than a picture can show";
}

TEST(Residency, SharesOfABinAreOne) {
  Campaign const c = probed();
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sum;
  Explanation const e = explain({&c, 1});
  for (auto const& s : e.residency.shares) sum[{s.cell, s.page_bin}] += s.share.value;
  for (auto const& [bin, share] : sum) EXPECT_NEAR(share, 1, 1e-9);
}

TEST(Residency, MissesGrowNoFartherOut) {
  Campaign const c = probed();
  Explanation const e = explain({&c, 1});
  double last = 1;
  std::uint32_t cell = ~0u;
  for (auto const& m : e.residency.misses) {
    if (m.cell != cell) last = 1;
    cell = m.cell;
    EXPECT_LE(m.share.value, last) << m.level;
    last = m.share.value;
    EXPECT_NE(m.level, "memory") << "nothing is beyond memory";
    if (m.level == "L3") {
      EXPECT_NEAR(m.share.value, 0.75, 0.02);
    }
  }
  EXPECT_EQ(e.residency.misses.size(), 2 * 3u);
}

TEST(Residency, TargetIsHotAfterTargetLast) {
  Campaign const c = probed();
  Explanation const e = explain({&c, 1});
  for (auto const& t : e.residency.targets) {
    if (t.distance != 0) continue;
    bool const last = c.plan.cells[t.cell].cell.order == "target_last";
    EXPECT_NEAR(t.ns.value, last ? 1.5 : 150, last ? 0.1 : 5);
    EXPECT_EQ(t.target, 128u);
  }
  auto const text = all_of(after_findings(e, 0));
  EXPECT_NE(text.find("A load from the target's page takes 1."), std::string::npos) << text;
  EXPECT_NE(text.find("tells L1, L2, L3 and memory apart"), std::string::npos) << text;
  EXPECT_NE(text.find("at least 99.0 %"), std::string::npos) << text;
  EXPECT_FALSE(e.untested.contains("residency"));
  EXPECT_TRUE(e.untested.contains("bill"));
}

ResidencyMap const& map_of(Explanation const& e, std::string const& order) {
  for (ResidencyMap const& m : e.residency.maps)
    if (e.campaigns[0].cells[m.cell].order == order) return m;
  throw std::runtime_error("no map of " + order);
}

TEST(Residency, OneFolioInFullSaysOfEachPageWhereItIs) {
  Campaign c = measured({.orders = {"target_last"}}, "residency");
  add_probe(c, where, 512);
  Explanation const e = explain({&c, 1});
  ResidencyMap const& last = map_of(e, "target_last");
  EXPECT_EQ(last.pages, 512u);
  EXPECT_EQ(last.pages_a_bin, 1u);
  EXPECT_EQ(last.bins_seen(), 512u);
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> stretches;
  for (ResidencyStretch const& s : last.stretches) {
    stretches.emplace_back(s.first_page, s.last_page, s.where);
    EXPECT_EQ(s.share.value, 1);
    ASSERT_TRUE(s.share.ci);
    EXPECT_LT(s.share.ci->low, 1);
  }
  EXPECT_EQ(stretches,
            (decltype(stretches){
                {0, 64, "memory"}, {65, 127, "L2"}, {128, 128, "L1"}, {129, 191, "L2"}, {192, 511, "memory"}}));
  auto const text = all_of(after_findings(e, 0));
  EXPECT_NE(text.find("512 of 512 pages one by one"), std::string::npos) << text;
}

TEST(Residency, PagesWithoutASampleAreNull) {
  Campaign c = measured({.orders = {}}, "residency");
  add_probe(c, where, 512);
  std::erase_if(c.points, [](Point const& p) { return p.series == "probe.page" && p.x >= 100 && p.x < 104; });
  Explanation const e = explain({&c, 1});
  ResidencyMap const& map = map_of(e, "sequential");
  EXPECT_EQ(map.bins_seen(), 508u);
  auto const gap = std::ranges::find(map.stretches, std::string(not_looked_at), &ResidencyStretch::where);
  ASSERT_NE(gap, map.stretches.end());
  EXPECT_EQ(gap->first_page, 100u);
  EXPECT_EQ(gap->last_page, 103u);
  Json const maps = residency_maps_json(e);
  Json const& row = maps.items().at(0);
  EXPECT_TRUE(row["levels"]["memory"]["share"].items()[100].is_null());
  EXPECT_TRUE(row["levels"]["memory"]["low"].items()[103].is_null());
  EXPECT_EQ(row["levels"]["memory"]["share"].items()[104].as_number(), 1);
  EXPECT_EQ(row["samples"].items()[100].as_integer(), 0);
  EXPECT_NE(all_of(after_findings(e, 0)).find("508 of 512 pages one by one"), std::string::npos);
}

/// What a placement's check says: of 48 pages made in each level, all found there but for `wrong` of the L3's.
void check_placements(Campaign& c, std::function<unsigned(std::uint32_t)> const& wrong) {
  for (Placement& p : c.placements) {
    Json rows = Json::array();
    for (std::string const made : {"L1", "L2", "L3", "memory"}) {
      unsigned const lost = made == "L3" ? wrong(p.id) : 0;
      Json seen = Json::object({{made, 48 - lost}});
      if (lost) seen.set("memory", lost);
      rows.push(Json::object({{"made", made}, {"right", (48 - lost) / 48.0}, {"seen", seen}}));
    }
    p.evidence.set("probe", Json::object({{"made_on_purpose", rows}, {"samples", 48}}));
  }
}

TEST(Residency, PlacementsInWhichTheProbeWasLostDoNotCount) {
  Campaign c = measured({.orders = {"target_last"}}, "residency", 14);
  // In placement 3 all looks as if it were in memory.
  add_probe(c, where, 64);
  check_placements(c, [](std::uint32_t placement) { return placement == 3 ? 20u : 1u; });
  for (Point& p : c.points)
    if (p.block && p.series == "probe.page" && c.blocks[*p.block].placement == 3) p.label = "L1";
  Explanation const e = explain({&c, 1});
  ASSERT_EQ(e.residency.checks.size(), 1u);
  ProbeCheck const& check = e.residency.checks[0];
  EXPECT_EQ(check.left_out, std::set<std::uint32_t>{3});
  EXPECT_TRUE(check.merged.empty());
  EXPECT_NEAR(check.least_right, 47 / 48.0, 1e-9);
  EXPECT_EQ(check.least_right_level, "L3");
  for (auto const& s : e.residency.shares) {
    EXPECT_EQ(s.share.n, 13u);
    if (s.level == "L1" && s.first_page > 128) {
      EXPECT_EQ(s.share.value, 0) << s.first_page;
    }
  }
  EXPECT_NE(all_of(after_findings(e, 0)).find("in 1 of 14 placements does not count"), std::string::npos);
}

TEST(Residency, LevelsThatThePlacementsDoNotBearOutAreOne) {
  Campaign c = measured({.orders = {"target_last"}}, "residency");
  add_probe(c, where, 64);
  check_placements(c, [](std::uint32_t) { return 6u; });  // 87.5 %, in every placement
  Explanation const e = explain({&c, 1});
  ProbeCheck const& check = e.residency.checks.at(0);
  EXPECT_EQ(check.levels, (std::vector<std::string>{"L1", "L2", "L3/memory"}));
  EXPECT_EQ(check.merged, std::vector<std::string>{"L3/memory"});
  EXPECT_TRUE(check.left_out.empty());
  EXPECT_GE(check.least_right, 0.95);
  for (auto const& s : e.residency.shares) EXPECT_NE(s.level, "memory") << "counted under its new name";
  for (auto const& m : e.residency.misses) EXPECT_NE(m.level, "L3") << "nothing is known to be beyond the L3";
  EXPECT_NE(all_of(after_findings(e, 0)).find("L3/memory count as one level"), std::string::npos);
}

TEST(Caches, AsSeenStandBesideWhatIsTold) {
  Campaign c = measured({.orders = {}}, "quick");
  c.facts.add("cache.L1d.size_bytes", 32768, "/sys/devices/system/cpu/cpu0/cache/index0", "agreed by hwloc, cpuid 4");
  c.facts.add("cache.L1i.size_bytes", 32768, "/sys/devices/system/cpu/cpu0/cache/index1", "");
  c.facts.add("cache.L2.size_bytes", 1048576, "/sys/devices/system/cpu/cpu0/cache/index2", "");
  c.facts.add("cache.L3.size_bytes", 33554432, "cpuid 4", "");
  std::erase_if(c.points, [](Point const& p) { return p.series.starts_with("latency."); });
  for (double size = 4096; size <= 256e6; size *= std::sqrt(2.0)) {
    double const idle = size <= 24e3 ? 1.4 : size <= 600e3 ? 4 : 150;
    c.points.push_back({"latency.idle", "", size, idle, {}, {}});
    if (size < 64e6) c.points.push_back({"latency.loaded", "another CPU clears", size, 1.5 * idle, {}, {}});
  }
  Explanation const e = explain({&c, 1});
  ASSERT_EQ(e.curves.size(), 2u);
  EXPECT_FALSE(e.curves[0].loaded);
  ASSERT_EQ(e.curves[0].levels.size(), 3u);
  EXPECT_EQ(e.curves[0].levels[1].seen.name, "L2/L3") << "told, not seen: merged";
  EXPECT_EQ(e.curves[0].levels[1].told.size(), 2u);
  auto const text = all_of(cache_sentences(e, 0));
  EXPECT_NE(text.find("L1 1.4 ns up to 22.6 KiB (sysfs and CPUID: 32 KiB)"), std::string::npos) << text;
  EXPECT_NE(text.find("While another CPU clears: L1 2.1 ns"), std::string::npos) << text;
  Json const rows = cache_levels_json(e);
  EXPECT_EQ(rows.items().size(), 6u);
  EXPECT_EQ(rows.items()[0]["told"].items()[0]["bytes"].as_integer(), 32768);
  EXPECT_EQ(rows.items()[3]["load"].as_string(), "another CPU clears");
  EXPECT_TRUE(rows.items()[2]["seen_bytes"].is_null()) << "memory has no end";
}

std::vector<Use> uses(std::vector<double> const& fractions = {0.01, 0.1, 1}) {
  std::vector<Use> out{{Pattern::target, 1.0 / 512, Access::modify, false, 128}};
  for (double const f : fractions) {
    out.push_back({Pattern::ascending, f, Access::modify, false, {}});
    out.push_back({Pattern::random, f, Access::modify, false, {}});
  }
  return out;
}

/// The bypassing kernel clears in half the time, and its lines have to come back: 1 µs a hundredth ascending, 3 random.
/// Even at 30 µs saved: 30 % ascending.
std::pair<double, double> bypass_loses(Cell const& cell, Use const& use) {
  bool const bypass = cell.kernel == "movnt_avx512";
  double const each = use.pattern == Pattern::random ? 300e3 : 100e3;
  return {bypass ? 30e3 : 60e3, (bypass ? each * 1.5 : each * 0.5) * use.fraction};
}

Campaign billed(std::vector<double> const& fractions = {0.01, 0.03, 0.1, 0.3, 1}) {
  Campaign c = measured({.kernels = {"rep_stosb", "movnt_avx512"}, .orders = {"target_last"}}, "bill");
  add_uses(c, uses(fractions), bypass_loses);
  return c;
}

TEST(BillLines, AddUp) {
  Campaign const c = billed();
  Explanation const e = explain({&c, 1});
  ASSERT_EQ(e.bills.lines.size(), 4 * 11u);
  for (BillLine const& l : e.bills.lines) {
    auto const [clear, used] = bypass_loses(c.plan.cells[l.cell].cell, l.use);
    EXPECT_NEAR(l.clear.value, clear, 0.02 * clear);
    EXPECT_NEAR(l.total.value, clear + used, 0.02 * (clear + used));
    ASSERT_TRUE(l.ci);
    EXPECT_LT(l.ci->low, l.total.value);
    EXPECT_EQ(l.n, 10u);
    if (l.reference) {
      Cell const& base = c.plan.cells[*l.reference].cell;
      EXPECT_EQ(base.kernel, "rep_stosb");
      EXPECT_EQ(base.order, "sequential");
      auto const [base_clear, base_used] = bypass_loses(base, l.use);
      EXPECT_NEAR(l.ratio.ratio, (clear + used) / (base_clear + base_used), 0.02);
    }
  }
}

TEST(BillLines, AKernelThatIsCheaperInAllIsAChangeWhereOrdersAreAlike) {
  auto const conclusion = [](double zeroing) {
    Campaign c = measured({.kernels = {"rep_stosb", "clzero"}, .orders = {"target_last"}}, "bill");
    add_uses(c, uses(), [&](Cell const& cell, Use const&) {
      return std::pair(cell.kernel == "clzero" ? 60e3 * zeroing : 60e3, 5e3);
    });
    return explain({&c, 1}).advice.at(0).conclusion;
  };
  EXPECT_TRUE(conclusion(0.5).starts_with("A change is justified, though not of the order: going")) << conclusion(0.5);
  EXPECT_TRUE(conclusion(1.5).starts_with("No change is justified: going")) << conclusion(1.5);
}

TEST(BillLines, WhatClearsFastestLosesWhenAllIsUsed) {
  Campaign const c = billed();
  Explanation const e = explain({&c, 1});
  auto const text = all_of(after_findings(e, 0));
  EXPECT_NE(text.find("What clears fastest is not cheapest: movnt_avx512"), std::string::npos) << text;
  EXPECT_NE(text.find("the target's page alone: 0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("no way of clearing is surely cheaper"), std::string::npos) << text;
  EXPECT_EQ(e.advice[0].kernel, "rep_stosb") << "with the use on the bill";
}

TEST(BillLines, KernelsChangePlacesWhereTheyCostTheSame) {
  Campaign const c = billed();
  Explanation const e = explain({&c, 1});
  ASSERT_EQ(e.bills.crossovers.size(), 2u) << "ascending and random";
  for (Crossover const& x : e.bills.crossovers) {
    EXPECT_EQ(c.plan.cells[x.cheaper_below].cell.kernel, "movnt_avx512");
    EXPECT_EQ(c.plan.cells[x.cheaper_above].cell.kernel, "rep_stosb");
    double const truth = x.use.pattern == Pattern::random ? 0.1 : 0.3;
    EXPECT_LE(x.fractions.low, truth);
    EXPECT_GE(x.fractions.high, truth);
    EXPECT_GT(x.use.fraction, x.fractions.low);
    EXPECT_LT(x.use.fraction, x.fractions.high);
  }
}

TEST(BillLines, NoCrossoverIsMadeUpFromOneSide) {
  Campaign c = measured({.kernels = {"rep_stosb", "movnt_avx512"}, .orders = {}}, "bill");
  add_uses(c, uses(), [](Cell const& cell, Use const& use) {
    return std::pair(cell.kernel == "rep_stosb" ? 60e3 : 30e3, 1e5 * use.fraction);
  });
  EXPECT_TRUE(explain({&c, 1}).bills.crossovers.empty());
}

TEST(BillLines, FewPlacementsGiveNoVerdict) {
  Campaign c = measured({.kernels = {"rep_stosb", "movnt_avx512"}, .orders = {}}, "bill", 4);
  add_uses(c, uses(), bypass_loses);
  Explanation const e = explain({&c, 1});
  for (BillLine const& l : e.bills.lines) EXPECT_EQ(l.finding, Finding::cannot_tell);
}

Campaign radii(double gain) {
  Grid const grid{.orders = {"neighbourhood_last@0", "neighbourhood_last@2", "neighbourhood_last@8"},
                  .calls = {4096, 2u << 20}};
  Campaign c = measured(grid, "radius");
  add_uses(c, {{Pattern::target, 1.0 / 512, Access::modify, false, 128}}, [=](Cell const& cell, Use const&) {
    bool const sequential = cell.order == "sequential";
    return std::pair(60e3, sequential ? 6e3 : 6e3 - gain * 66e3);
  });
  return c;
}

TEST(Radius, AnswersTheMaintainersQuestion) {
  for (double const gain : {0.0, 0.08}) {
    Campaign const c = radii(gain);
    Explanation const e = explain({&c, 1});
    ASSERT_EQ(e.bills.radii.size(), 6u);
    EXPECT_TRUE(e.bills.winners.empty()) << "a radius map is held against sequential, not against a baseline";
    int marked = 0;
    for (RadiusLine const& r : e.bills.radii) {
      BillLine const& l = e.bills.lines[r.line];
      EXPECT_NEAR(l.ratio.ratio, 1 - gain, 0.01);
      EXPECT_EQ(c.plan.cells[*l.reference].cell.call, c.plan.cells[l.cell].cell.call);
      EXPECT_EQ(r.radius.value % 4096, 0u);
      marked += r.todays_linux;
      if (r.todays_linux) {
        EXPECT_EQ(r.radius.value, 8192u);
      }
    }
    EXPECT_EQ(marked, 1);
    auto const text = all_of(after_findings(e, 0));
    EXPECT_NE(text.find(gain > 0 ? "0.9" : "no detectable difference above"), std::string::npos) << text;
  }
}

TEST(AfterJson, RowsHaveTheContractsKeys) {
  Campaign const p = probed(), b = billed(), r = radii(0);
  std::vector<Campaign> const all{p, b, r};
  Json const json = to_json(explain(all));
  auto const expect_keys = [&](char const* list, std::vector<std::string> const& keys) {
    ASSERT_FALSE(json[list].items().empty()) << list;
    for (Json const& row : json[list].items())
      for (auto const& key : keys) ASSERT_TRUE(row.contains(key)) << list << " " << key;
    EXPECT_FALSE(json["untested"].contains(list));
  };
  expect_keys("residency", {"order", "kernel", "state", "backing", "page_bin", "level", "share", "ci", "source"});
  expect_keys("bill", {"order", "kernel", "use", "fraction", "corunner", "clear_ns", "use_ns", "total_ns", "ci"});
  expect_keys("radius", {"radius_bytes", "call_bytes", "target", "clear_ns", "use_ns", "total_ns", "ci"});
  expect_keys("crossovers", {"use", "fraction", "cheaper_below", "cheaper_above", "between"});
  expect_keys("probed_misses", {"order", "level", "miss_share", "ci"});
  expect_keys("target_latency", {"order", "target", "distance_pages", "ns", "ci"});
  EXPECT_EQ(parse_json(json.dump(), "test"), json);
}

TEST(AfterPoints, WhatMakesNoSenseIsLeftOut) {
  Campaign c = billed();
  std::size_t const before = explain({&c, 1}).bills.lines.size();
  for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0, 0.0, 1e300})
    for (char const* series :
         {"bill.clear", "bill.use", "probe.page", "probe.target", "probe.level", "probe.confusion"})
      for (char const* label : {"ascending modify alone", "", "L1 seen as", "nonsense"})
        for (std::uint32_t cell : {0u, 99999u}) {
          c.points.push_back({series, label, bad, bad, cell, 0});
          c.points.push_back({series, label, 0.5, bad, cell, 99999});
        }
  Explanation const e = explain({&c, 1});
  EXPECT_EQ(e.bills.lines.size(), before);
  EXPECT_FALSE(to_json(e).dump().empty());
}

}  // namespace
}  // namespace folioscope
