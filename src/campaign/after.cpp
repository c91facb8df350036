// SPDX-License-Identifier: Apache-2.0
#include "campaign/after.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "machine/cpu_list.hpp"
#include "probe/corunner.hpp"

namespace folioscope {
namespace {

/// Base pages around the target that are looked at in every run.
constexpr std::int64_t watched_distances[] = {-64, -16, -4, -2, -1, 0, 1, 2, 4, 16, 64};
constexpr unsigned samples_of_a_check = 48;  ///< of each level, in every placement
constexpr double right_enough = 0.95;        ///< what is promised
constexpr unsigned most_tries = 3;
constexpr Bytes least_pressed = 8_MiB;

/// The targets that the plan's cells with this extent have.
std::set<std::uint64_t> targets_in(Plan const& plan) {
  std::set<std::uint64_t> targets;
  for (PlannedCell const& planned : plan.cells)
    if (planned.cell.target) targets.insert(*planned.cell.target);
  return targets;
}

/// The cell's own, or where it has none all that it is held against.
std::vector<std::uint64_t> targets_for(Cell const& cell, std::set<std::uint64_t> const& all, std::uint64_t pages) {
  if (cell.target) return {*cell.target};
  std::vector<std::uint64_t> targets;
  for (auto const target : all)
    if (target < pages) targets.push_back(target);
  return targets;
}

void add(Sample& sum, Sample const& one) {
  sum.copies = sum.wall.value > 0 ? sum.copies + one.copies : one.copies;
  sum.wall = sum.wall + one.wall;
  sum.user = sum.user + one.user;
  sum.system = sum.system + one.system;
  sum.state = sum.state + one.state;
}

class Probing final : public After {
 public:
  Probing(AfterOptions options, Plan const& plan, PageProbe const& probe)
      : options_(std::move(options)), plan_(plan), targets_(targets_in(plan)), probe_(probe) {}

  Sample run(AfterRun const& run, Random& random, std::vector<Point>& seen) override {
    auto const pages = pages_to_see(run, random);
    Sample sum;
    for (std::size_t i = 0; i < pages.size();) {
      add(sum, run.pass(nullptr, nullptr));
      if (!probe_.can_tell()) break;
      for (std::size_t end = std::min(pages.size(), i + probe_.samples_a_pass()); i < end; ++i) {
        auto const look = probe_.look(run.extents[pages[i].extent] + pages[i].page * plan_.base_page.value, random);
        seen.push_back({pages[i].watched ? "probe.target" : "probe.page",
                        probe_.scale().levels[look.level].name,
                        static_cast<double>(pages[i].page),
                        look.per_line.value,
                        {},
                        {}});
      }
    }
    return sum;
  }

  std::vector<Refusal> limits() const override {
    if (probe_.can_tell()) return {};
    return {{"residency probe", "the latency curve shows no two levels that this clock can tell apart",
             "run on an idle machine; `folioscope report` draws the curve"}};
  }

 private:
  struct Page {
    std::size_t extent = 0;
    std::uint64_t page = 0;
    bool watched = false;
  };

  /// One of each of equal strata of all pages, and those around the target of some extent; in random order.
  std::vector<Page> pages_to_see(AfterRun const& run, Random& random) const {
    auto const each = std::max<std::uint64_t>(1, run.extent / plan_.base_page);
    auto const all = each * run.extents.size();
    auto const wanted = std::min<std::uint64_t>(all, run.extents.size() > 1 ? options_.pages_beyond : options_.pages);
    std::vector<Page> pages;
    for (std::uint64_t i = 0; i < wanted; ++i) {
      auto const from = all * i / wanted;
      auto const page = from + random.below(all * (i + 1) / wanted - from);
      pages.push_back({page / each, page % each, false});
    }
    for (auto const target :
         run.extents.size() == 1 ? targets_for(*run.cell, targets_, each) : std::vector<std::uint64_t>{})
      for (auto const distance : watched_distances) {
        auto const page = static_cast<std::int64_t>(target) + distance;
        if (page >= 0 && page < static_cast<std::int64_t>(each))
          pages.push_back({0, static_cast<std::uint64_t>(page), true});
      }
    shuffle(pages, random);
    return pages;
  }

  AfterOptions options_;
  Plan const& plan_;
  std::set<std::uint64_t> targets_;
  PageProbe const& probe_;
};

class Using final : public After {
 public:
  Using(AfterOptions options, Plan const& plan, Machine const& machine, std::vector<LatencyLevel> const& levels)
      : options_(std::move(options)), plan_(plan), targets_(targets_in(plan)) {
    if (std::ranges::any_of(options_.uses, &Use::corunner)) hire(machine, levels);
  }

  Sample run(AfterRun const& run, Random& random, std::vector<Point>& seen) override {
    auto uses = uses_for(run);
    shuffle(uses, random);
    Sample sum;
    for (Use const& use : uses) {
      FolioUse const what = ready(use, run.extent, plan_.base_page, random());
      Nanoseconds used;
      if (use.corunner) corunner_->go();
      Sample const one = run.pass(&what, &used);
      if (use.corunner) corunner_->rest();
      add(sum, one);
      auto const folios = static_cast<double>(run.extents.size());
      double const fraction = static_cast<double>(what.count) / static_cast<double>(what.lines);
      double const shown = use.pattern == Pattern::target ? fraction : use.fraction;
      seen.push_back({"bill.clear", label_of(use), shown, one.wall.value / folios, {}, {}});
      seen.push_back({"bill.use", label_of(use), shown, used.value / folios, {}, {}});
    }
    return sum;
  }

  Json evidence() const override {
    Json const cpu = corunner_ ? Json(cpu_) : Json();
    return Json::object({{"corunner_cpu", cpu}, {"corunner_bytes", pressed_.value}});
  }

  std::vector<Refusal> limits() const override { return limits_; }

 private:
  void hire(Machine const& machine, std::vector<LatencyLevel> const& levels) {
    // Twice what the last cache holds, as seen; where nothing is seen, as much as most machines share.
    pressed_ = levels.size() > 1 ? std::max(least_pressed, levels[levels.size() - 2].up_to * 2) : 64_MiB;
    pressed_ = std::min(pressed_, Bytes(machine.memory_available.value_or(4_GiB).value / 8));
    auto const cpu = company_for(machine.allowed_cpus.front(), machine);
    auto hired = cpu ? Corunner::hire(*cpu, pressing_on(pressed_))
                     : Granted<Corunner>(Refusal{"co-runner", "only one CPU is allowed", "allow two (taskset)"});
    if (hired) {
      cpu_ = *cpu;
      corunner_.emplace(std::move(*hired));
      return;
    }
    limits_.push_back(hired.refusal());
    std::erase_if(options_.uses, [](Use const& use) { return use.corunner; });
  }

  std::vector<Use> uses_for(AfterRun const& run) const {
    auto const targets = targets_for(*run.cell, targets_, std::max<std::uint64_t>(1, run.extent / plan_.base_page));
    std::vector<Use> uses;
    for (Use use : options_.uses) {
      if (!has_target(use.pattern)) {
        uses.push_back(use);
        continue;
      }
      for (auto const target : targets) {
        use.target = target;
        uses.push_back(use);
      }
    }
    return uses;
  }

  AfterOptions options_;
  Plan const& plan_;
  std::set<std::uint64_t> targets_;
  Bytes pressed_;
  unsigned cpu_ = 0;
  std::optional<Corunner> corunner_;
  std::vector<Refusal> limits_;
};

}  // namespace

std::unique_ptr<After> make_after(Plan const& plan, Machine const& machine, PageProbe const& probe) {
  AfterOptions options = after_of(plan.options);
  switch (options.what) {
    case AfterOptions::What::nothing:
      return nullptr;
    case AfterOptions::What::probe:
      return std::make_unique<Probing>(std::move(options), plan, probe);
    case AfterOptions::What::use:
      return std::make_unique<Using>(std::move(options), plan, machine, probe.levels());
  }
  return nullptr;
}

std::optional<unsigned> company_for(unsigned busy, Machine const& machine) {
  std::set<unsigned> siblings, sharing;
  for (Json const& group : machine.facts.value("cpu.smt_siblings").items())
    if (auto const cpus = parse_cpu_list(group.as_string().value_or("")))
      if (std::ranges::find(*cpus, busy) != cpus->end()) siblings.insert(cpus->begin(), cpus->end());
  unsigned level = 0;
  for (Cache const& cache : machine.caches)
    if (cache.level > level && cache.cpus.size() > 1 && std::ranges::find(cache.cpus, busy) != cache.cpus.end()) {
      level = cache.level;
      sharing = {cache.cpus.begin(), cache.cpus.end()};
    }
  std::optional<unsigned> best;
  int best_worth = -1;
  for (unsigned const cpu : machine.allowed_cpus) {
    if (cpu == busy) continue;
    int const worth = (siblings.contains(cpu) ? 0 : 2) + (sharing.contains(cpu) ? 1 : 0);
    if (worth > best_worth) best = cpu, best_worth = worth;
  }
  return best;
}

std::vector<Point> points_of(PageProbe const& probe) {
  std::vector<Point> points;
  for (auto const& level : probe.scale().levels)
    points.push_back({"probe.level", level.name, level.up_to.value, level.typical.value, {}, {}});
  for (auto const& row : probe.tested()) {
    unsigned all = 0;
    for (unsigned const n : row.seen) all += n;
    for (std::size_t i = 0; i < row.seen.size() && all > 0; ++i)
      points.push_back({"probe.confusion",
                        row.made + " seen as " + probe.scale().levels[i].name,
                        static_cast<double>(all),
                        row.seen[i] / static_cast<double>(all),
                        {},
                        {}});
  }
  return points;
}

Json check_probe(PageProbe& probe, Random& random) {
  auto const least = [](std::vector<ConfusionRow> const& rows) {
    auto const worst = std::ranges::min_element(rows, {}, &ConfusionRow::right);
    return worst == rows.end() ? 1.0 : worst->right;
  };
  auto found = probe.test(samples_of_a_check, random);
  unsigned tries = 1;
  for (; least(found) < right_enough && tries < most_tries; ++tries) {
    probe.push_anew(random);
    auto again = probe.test(samples_of_a_check, random);
    if (least(again) > least(found)) found = std::move(again);
  }
  Json rows = Json::array();
  for (auto const& row : found) {
    Json seen = Json(Json::Object{});
    for (std::size_t i = 0; i < row.seen.size(); ++i)
      if (row.seen[i] > 0) seen.set(probe.scale().levels[i].name, row.seen[i]);
    rows.push(Json::object({{"made", row.made}, {"right", row.right}, {"seen", seen}}));
  }
  Json levels = Json::array();
  for (auto const& level : probe.scale().levels) levels.push(level.name);
  return Json::object({{"levels", levels},
                       {"made_on_purpose", rows},
                       {"samples", samples_of_a_check},
                       {"tries", tries},
                       {"pages_a_pass", probe.samples_a_pass()},
                       {"lines_a_page", lines_a_sample(probe.clock())}});
}

}  // namespace folioscope
