// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <set>

#include "campaign/disturbance.hpp"
#include "campaign/pace.hpp"
#include "campaign/precision.hpp"
#include "campaign/schedule.hpp"
#include "machine/cpu_list.hpp"

namespace folioscope {
namespace {

constexpr double between_progress_s = 0.1;

double spent_in(Campaign const& campaign) {
  double s = 0;
  for (Block const& b : campaign.blocks)
    if (b.elapsed.value > 0) s += b.elapsed.value / 1e9;
  return s;
}

/// The process's CPUs, from the record: the calling thread may be pinned to one of them by now.
std::vector<unsigned> allowed_cpus(Facts const& facts) {
  auto const text = facts.value(fact::cpus_allowed).as_string();
  auto const listed = text ? parse_cpu_list(*text) : std::nullopt;
  return listed ? *listed : affinity();
}

/// One invocation's part of a campaign.
class Run {
 public:
  Run(RunRequest const& request, Campaign const& known);
  Outcome all();

 private:
  enum class Ended { committed, interrupted, nothing };

  RunRequest const& request_;
  Plan const& plan_;
  Subject& subject_;
  CapsuleWriter& writer_;
  Precision precision_;
  Pace pace_;
  CoreClock core_clock_;
  std::vector<unsigned> cpus_;
  std::vector<bool> measured_;
  std::vector<std::uint32_t> parts_;                             ///< by cell; empty where all is one
  std::set<std::pair<std::string, std::string>> refusals_said_;  ///< subject, reason

  double began_s_ = 0;
  double spent_before_s_ = 0;
  std::uint32_t next_block_ = 0, next_placement_ = 0;
  std::uint32_t blocks_ = 0;  ///< by this invocation
  std::uint32_t blocks_a_placement_ = 1;
  bool squeezed_ = false;  ///< not even two blocks a placement fitted
  std::optional<std::uint32_t> placement_;
  Placement entered_;
  std::uint32_t blocks_in_placement_ = 0;
  double placement_began_s_ = 0, placing_s_ = 0;
  std::vector<double> widths_;
  std::optional<double> progress_said_s_;

  double spent_s() const { return spent_before_s_ + request_.now_s() - began_s_; }
  bool stopped() const { return request_.stop && request_.stop->load(std::memory_order_relaxed); }
  bool narrow() const;
  std::string until_stopped();
  void enter();
  void leave();
  Ended block();
  /// What the runs of a block gave.
  struct Found {
    std::vector<Sample> samples;
    std::vector<Reading> readings;
    std::vector<Point> points;
  };
  bool run_cells(Block& block, std::vector<Turn> const& turns, Random& random, Found& found);
  bool count_cells(Block& block, std::vector<Turn> const& turns, Random& random, std::vector<Reading>& readings);
  void take_refusals();
  void say_refusal(Refusal const& refusal);
  void tell(std::uint32_t done, std::size_t turns, double block_began_s);
  std::string budget_spent() const;
};

Run::Run(RunRequest const& request, Campaign const& known)
    : request_(request),
      plan_(*request.plan),
      subject_(*request.subject),
      writer_(*request.writer),
      precision_(known),
      pace_(plan_),
      cpus_(allowed_cpus(known.facts)),
      measured_(plan_.cells.size(), true),
      began_s_(request.now_s()),
      spent_before_s_(request.already_spent_s + spent_in(known)),
      blocks_a_placement_(std::max(1u, plan_.blocks_per_placement)) {
  assert(known.plan.cells.size() == plan_.cells.size());
  for (RefusedCell const& r : known.refused) measured_[r.cell] = false;
  for (std::size_t i = 0; i < plan_.cells.size(); ++i) parts_.push_back(subject_.part_of(i));
  if (std::ranges::all_of(parts_, [](std::uint32_t part) { return part == 0; })) parts_.clear();
  for (Refusal const& r : known.plan.refusals) refusals_said_.emplace(r.subject, r.reason);
  for (Block const& b : known.blocks) {
    core_clock_.seen(b);
    if (b.elapsed.value > 0) pace_.block(b.elapsed.value / 1e9);
    next_block_ = std::max(next_block_, b.id + 1);
    next_placement_ = std::max(next_placement_, b.placement + 1);
  }
  for (Placement const& p : known.placements) next_placement_ = std::max(next_placement_, p.id + 1);
  widths_ = precision_.half_widths();
}

bool Run::narrow() const {
  return std::ranges::all_of(widths_, [this](double width) { return width <= plan_.precision; });
}

std::string Run::budget_spent() const {
  std::string text = "budget spent";
  if (precision_.placements() < plan_.min_placements)
    text += fmt::format(" after {} of {} placements", precision_.placements(), plan_.min_placements);
  if (squeezed_) text += "; one block a placement, since two did not fit";
  return text;
}

void Run::say_refusal(Refusal const& refusal) {
  if (refusals_said_.emplace(refusal.subject, refusal.reason).second) writer_.add(std::span(&refusal, 1));
}

void Run::take_refusals() {
  auto refused = subject_.newly_refused();
  if (refused.empty()) return;
  std::erase_if(refused, [this](RefusedCell const& r) { return r.cell >= measured_.size() || !measured_[r.cell]; });
  for (RefusedCell& r : refused) {
    r.placement = placement_.value_or(next_placement_);
    measured_[r.cell] = false;
    precision_.drop(r.cell);
  }
  writer_.add(std::span<RefusedCell const>(refused));
}

void Run::enter() {
  placement_began_s_ = request_.now_s();
  placement_ = next_placement_++;
  blocks_in_placement_ = 0;
  Random random = random_of_placement(plan_, *placement_);
  Placement placement = subject_.place(*placement_, random);
  placement.id = *placement_;
  entered_ = placement;
  writer_.add(placement);
  take_refusals();
  placing_s_ = request_.now_s() - placement_began_s_;
}

void Run::leave() {
  if (!placement_) return;
  double const began = request_.now_s();
  Json const found = subject_.leave();
  for (auto const& [key, value] : found.members()) entered_.evidence.set(key, value);
  writer_.add(entered_);
  take_refusals();
  placement_.reset();
  pace_.placement(placing_s_ + request_.now_s() - began);
  widths_ = precision_.half_widths();
}

void Run::tell(std::uint32_t done, std::size_t turns, double block_began_s) {
  double const now = request_.now_s();
  if (!request_.progress || (progress_said_s_ && now - *progress_said_s_ < between_progress_s)) return;
  progress_said_s_ = now;
  Progress p;
  p.placements = precision_.placements();
  p.blocks = next_block_;
  p.cells_done = done;
  p.cells_in_block = static_cast<std::uint32_t>(turns);
  p.elapsed_s = spent_s();
  auto const narrow_enough = std::ranges::count_if(widths_, [this](double w) { return w <= plan_.precision; });
  p.precise_share = widths_.empty() ? 0 : static_cast<double>(narrow_enough) / static_cast<double>(widths_.size());
  auto const widest = widths_.empty() ? std::nullopt : std::optional(*std::ranges::max_element(widths_));
  p.left_s = pace_.left_s(p.elapsed_s, precision_.placements(), blocks_a_placement_, widest);
  // The first block may take longer than the whole budget: then the time left is what it says itself.
  if (!pace_.known() && done > 0)
    p.left_s = std::max(p.left_s, (now - block_began_s) * static_cast<double>(turns - done) / done);
  request_.progress(p);
}

/// False when stopped. Samples and points of cells that were refused on the way are not among those found.
bool Run::run_cells(Block& block, std::vector<Turn> const& turns, Random& random, Found& found) {
  double const began = request_.now_s();
  for (std::uint32_t position = 0; position < turns.size(); ++position) {
    if (stopped()) return false;
    auto const [cell, arm] = turns[position];
    if (!measured_[cell]) continue;
    Granted<Sample> granted = subject_.run(cell, arm, random);
    take_refusals();
    if (!granted) {
      if (measured_[cell]) say_refusal(granted.refusal());
    } else if (measured_[cell]) {
      Sample& s = *granted;
      s.block = block.id;
      s.cell = cell;
      s.arm = arm;
      s.position = position;
      block.clearing = block.clearing + s.wall;
      block.making_state = block.making_state + s.state;
      found.samples.push_back(s);
      for (Point& p : subject_.seen()) {
        p.block = block.id;
        p.cell = cell;
        found.points.push_back(std::move(p));
      }
    }
    tell(position + 1, turns.size(), began);
  }
  std::erase_if(found.samples, [this](Sample const& s) { return !measured_[s.cell]; });
  std::erase_if(found.points, [this](Point const& p) { return !measured_[*p.cell]; });
  return !stopped();
}

/// Passes with counters come behind the timed ones of the block, which they would disturb.
bool Run::count_cells(Block& block, std::vector<Turn> const& turns, Random& random, std::vector<Reading>& readings) {
  for (auto const [cell, arm] : turns) {
    if (stopped()) return false;
    if (!measured_[cell] || arm != Arm::first) continue;
    for (Reading& r : subject_.count(cell, random)) {
      r.block = block.id;
      r.cell = cell;
      readings.push_back(std::move(r));
    }
    take_refusals();
  }
  std::erase_if(readings, [this](Reading const& r) { return !measured_[r.cell]; });
  return true;
}

Run::Ended Run::block() {
  double const began = request_.now_s();
  Block block;
  block.id = next_block_;
  block.placement = *placement_;
  block.started_s = spent_s();
  double const stolen = stolen_now(cpus_);
  Random random = random_of_block(plan_, block.id);
  auto const turns = block_order(plan_, measured_, parts_, random);
  Found found;
  subject_.warm_up(random);
  block.add_ns_before = subject_.core_clock();
  if (!run_cells(block, turns, random, found)) return Ended::interrupted;
  block.add_ns_after = subject_.core_clock();
  if (!count_cells(block, turns, random, found.readings)) return Ended::interrupted;
  if (found.samples.empty()) return Ended::nothing;
  core_clock_.judge(block);
  if (subject_.clock_changed()) mark(block, "clock source changed");
  block.steal_s = stolen_now(cpus_) - stolen;
  double const took = request_.now_s() - began;
  block.elapsed = Nanoseconds(took * 1e9);
  writer_.commit(block, found.samples, found.readings, found.points);
  precision_.add(block, found.samples);
  pace_.block(request_.now_s() - began);  // with the time that the disk took
  ++next_block_;
  ++blocks_;
  ++blocks_in_placement_;
  return Ended::committed;
}

/// The reason; empty when interrupted.
std::string Run::until_stopped() {
  while (true) {
    if (stopped()) return {};
    if (std::ranges::none_of(measured_, [](bool is) { return is; })) return "every cell was refused";
    if (placement_ && blocks_in_placement_ >= blocks_a_placement_) leave();
    if (!placement_) {
      if (precision_.placements() >= plan_.min_placements && precision_.placements() > 0 && narrow())
        return widths_.empty() ? "as many placements as asked for" : "every ratio is narrow enough";
      if (precision_.placements() >= plan_.max_placements)
        return fmt::format("{} placements, the most the plan allows", plan_.max_placements);
    }
    if (!pace_.fits(spent_s(), !placement_)) return budget_spent();
    if (!placement_) {
      enter();
      continue;  // cells may have been refused, a signal may have come
    }
    Ended const ended = block();
    if (ended == Ended::interrupted) return {};
    if (ended == Ended::nothing) return "every cell was refused";
    if (precision_.placements() > plan_.min_placements) continue;
    double const left = plan_.budget.value / 1e9 - (spent_s() - (request_.now_s() - placement_began_s_));
    blocks_a_placement_ = blocks_that_fit(plan_, precision_.placements() - 1, left, pace_.block_s(),
                                          std::max(pace_.placement_s(), placing_s_));
    if (blocks_a_placement_ == 1 && plan_.blocks_per_placement > 1) squeezed_ = true;
  }
}

Outcome Run::all() {
  Outcome outcome;
  outcome.stop_reason = until_stopped();
  outcome.interrupted = outcome.stop_reason.empty();
  if (outcome.interrupted) outcome.stop_reason = "interrupted";
  leave();
  writer_.finish(outcome.stop_reason, !outcome.interrupted);
  outcome.blocks = blocks_;
  return outcome;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Outcome run_campaign(RunRequest const& request) {
  assert(request.plan && request.subject && request.writer);
  try {
    Campaign const known = request.writer->so_far();
    return Run(request, known).all();
  } catch (std::exception const& error) {
    // What is committed stays and can be continued; the reason goes into the record where the disk still takes it.
    try {
      request.writer->finish(fmt::format("failed: {}", error.what()), false);
    } catch (Error const&) {
    }
    throw;
  }
}

}  // namespace folioscope
