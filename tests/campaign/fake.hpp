// SPDX-License-Identifier: Apache-2.0
// A machine that takes exactly the time it is told to, by a clock of its own: campaigns of minutes run in milliseconds.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"

namespace folioscope::campaign_test {

class FakeSubject : public Subject {
 public:
  double now_s = 1000;
  double pass_s = 0.01;  ///< wall time of one run with its state
  double place_s = 0.1;
  double noise = 0.001;             ///< spread of log(time)
  std::map<int, double> add_ns_at;  ///< reading -> ns per add; 0.3 for the others
  bool clock_source_changed = false;
  std::vector<std::pair<std::uint32_t, Arm>> runs;
  std::vector<std::uint32_t> places;
  std::uint32_t left = 0;
  std::map<std::uint32_t, std::uint32_t> lost_at_run;    ///< cell -> refused when it has run so often
  std::map<std::uint32_t, std::uint32_t> lost_at_leave;  ///< cell -> refused when that placement ends
  std::set<std::uint32_t> never;                         ///< every run is refused
  bool shows = false;                                    ///< a point with every run
  std::function<void()> on_run;                          ///< before each run

  Placement place(std::uint32_t id, Random&) override {
    places.push_back(id);
    now_s += place_s;
    return {id, 0.5, Json::object({{"entered", true}})};
  }
  Json leave() override {
    ++left;
    for (auto const& [cell, placement] : lost_at_leave)
      if (placement == places.back()) news_.push_back({cell, 0, {"cell", "its huge pages are gone", ""}});
    return Json::object({{"left", true}});
  }
  std::vector<RefusedCell> newly_refused() override { return std::exchange(news_, {}); }
  Granted<Sample> run(std::size_t cell, Arm arm, Random& random) override {
    auto const id = static_cast<std::uint32_t>(cell);
    if (on_run) on_run();
    now_s += pass_s;
    runs.emplace_back(id, arm);
    if (never.contains(id)) return Refusal{"cell", "the pass took no time", ""};
    if (auto const it = lost_at_run.find(id); it != lost_at_run.end() && ++ran_[id] > it->second)
      news_.push_back({id, 0, {"cell", "lost while it ran", ""}});
    Sample s;
    double const uniform = static_cast<double>(random() >> 11) / 9007199254740992.0;
    s.wall = Nanoseconds(pass_s * 0.6e9 * (1 + noise * (uniform - 0.5)));
    s.state = Nanoseconds(pass_s * 0.4e9);
    return s;
  }
  std::vector<Point> seen() override {
    if (!shows) return {};
    return {{"fake.shown", "label", static_cast<double>(runs.back().first), 0.5, {}, {}}};
  }
  double core_clock() override {
    auto const it = add_ns_at.find(clock_reads_++);
    return it == add_ns_at.end() ? 0.3 : it->second;
  }
  bool clock_changed() override { return clock_source_changed; }

 private:
  std::vector<RefusedCell> news_;
  std::map<std::uint32_t, std::uint32_t> ran_;
  int clock_reads_ = 0;
};

/// References first, then as many orders of each.
inline Plan plan_of(std::uint32_t references, std::uint32_t orders) {
  Plan plan;
  plan.experiment = "fake";
  plan.base_page = 4_KiB;
  plan.folio = 2_MiB;
  for (std::uint32_t r = 0; r < references; ++r) {
    Cell cell;
    cell.kernel = "rep_stosb";
    cell.call = 4_KiB;
    cell.footprint = 2_MiB * (r + 1);
    plan.cells.push_back({cell, {{0_B, 2_MiB}}});
  }
  for (std::uint32_t r = 0; r < references; ++r)
    for (std::uint32_t o = 0; o < orders; ++o) {
      Cell cell = plan.cells[r].cell;
      cell.order = "random@" + std::to_string(o);
      cell.run = 4_KiB;
      plan.cells.push_back({cell, {{1_MiB, 1_MiB}, {0_B, 1_MiB}}});
    }
  return plan;
}

class OnFakeMachine : public testing::Test {
 protected:
  OnFakeMachine() {
    // Hundreds of commits that no power failure has to survive: memory where there is some to write to.
    std::filesystem::path const memory = "/dev/shm";
    bool const there = access(memory.c_str(), W_OK) == 0;
    std::string pattern = ((there ? memory : std::filesystem::temp_directory_path()) / "campaign-test-XXXXXX").string();
    if (mkdtemp(pattern.data())) folder_ = pattern;
    path = folder_ / "a.folioscope";
  }
  ~OnFakeMachine() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// One invocation: begins, or continues what is unfinished.
  Outcome go(Plan const& plan, bool resume = false) {
    auto writer = CapsuleWriter::open(path, "fake");
    std::optional<Campaign> before;
    if (resume) {
      before = writer.unfinished();
      writer.continue_campaign(before->header.id);
    } else {
      writer.begin({}, {}, plan, {}, {});
    }
    RunRequest request;
    request.plan = before ? &before->plan : &plan;
    request.subject = &subject;
    request.writer = &writer;
    request.before = before ? &*before : nullptr;
    request.already_spent_s = already_spent_s;
    request.stop = &stop;
    request.progress = [this](Progress const& p) { told.push_back({subject.now_s, p}); };
    request.now_s = [this] { return subject.now_s; };
    return run_campaign(request);
  }
  Campaign recorded() const {
    auto const capsule = Capsule::open(path);
    return capsule.load(capsule.headers().back().id);
  }

  std::filesystem::path path;
  FakeSubject subject;
  std::atomic<bool> stop = false;
  double already_spent_s = 0;
  std::vector<std::pair<double, Progress>> told;

 private:
  std::filesystem::path folder_;
};

}  // namespace folioscope::campaign_test
