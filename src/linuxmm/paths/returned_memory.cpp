// SPDX-License-Identifier: Apache-2.0
// Virtual machines give memory back: what has been free for a while faults a second time, in the host. Huge pages are
// freed, left free for times from milliseconds to seconds, and touched again; the warm fault beside them is the cell.
#include <time.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backing/frames.hpp"
#include "backing/pool.hpp"
#include "backing/state.hpp"
#include "linuxmm/catalogue.hpp"
#include "linuxmm/fault_memory.hpp"
#include "linuxmm/passes.hpp"
#include "terms/ticks.hpp"

namespace folioscope::linux_path {
namespace {

constexpr char const* returned_kernel = "linux_returned_memory";
constexpr std::size_t most_waiting = 12;
// Linux reports free pages to the host some 2 s after they became free: well before, about then, and well after.
constexpr std::array ages_s{0.0, 0.01, 0.1, 0.5, 1.0, 1.7, 2.3, 3.0, 4.0, 10.0};
// The longest ones are only for budgets that have room for several rounds of all.
constexpr double longest_share_of_budget = 0.15;
// A pass with nothing to touch rests where no other path's cells take that time: a campaign of this path alone would
// end before anything has been free for seconds.
constexpr double rest_s = 0.25;
// Sooner than that the other cells of a block would come between.
constexpr double least_to_come_back_for_s = 0.25;

/// A short time; longer ones pass while other cells are measured.
void rest_for(double seconds) {
  if (!(seconds > 0) || seconds > rest_s) return;
  timespec const rest{0, static_cast<long>(seconds * 1e9)};
  nanosleep(&rest, nullptr);
}

void plan_returned(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  Backing const thp{BackingKind::thp, {}};
  auto const refused = [&](std::string reason, std::string remedy) {
    plan.refusals.push_back({"returned-memory", std::move(reason), std::move(remedy)});
  };
  if (auto const refusal = refuse(thp, machine)) {
    plan.refusals.push_back(refused_path("returned-memory", *refusal));
    return;
  }
  if (room_of(machine, request) < *machine.folio * 2)
    return refused("two huge pages are more memory than may be used",
                   "raise --max-memory, or the memory limit of the cgroup");
  Cell cell;
  cell.kernel = returned_kernel;
  cell.backing = thp;
  cell.footprint = cell.call = *machine.folio;
  plan.cells.push_back({cell, {{Bytes(0), cell.footprint}}});
}

/// Huge pages that are freed together and touched together when their time has come: Linux gives the page freed last
/// first, so one that came back alone would be given what was freed a moment ago. The first never waits.
class Waiting {
 public:
  Waiting(FaultMemory memory, Nanoseconds budget, bool alone) : memory_(std::move(memory)), alone_(alone) {
    while (ages_ > 1 && ages_s[ages_ - 1] > longest_share_of_budget * budget.value / 1e9) --ages_;
  }

  Granted<Passed> pass(PassPlace const& place) {
    std::uint64_t const begun = ticks();
    if (!started_) start(place);
    freed_[frame(0, place)] = begun;
    auto const warm = memory_.fault(0, 0, place.clock, place.random);
    if (!warm) return warm.refusal();
    freed_.erase(frame(0, place));
    Passed passed{warm->sample, {}};
    if (memory_.since_free(memory_.extents() - 1, place.clock).value / 1e9 < ages_s[next_]) {
      if (alone_) rest_for(rest_s);
    } else {
      for (std::size_t n = 0; n < ages_; ++n) {
        touch_all(passed, place);
        free_all(place);
        next_ = (next_ + 1) % ages_;
        if (ages_s[next_] >= least_to_come_back_for_s) break;
        rest_for(ages_s[next_]);
      }
    }
    double const all = static_cast<double>(ticks() - begun) * place.clock.ns_per_tick;
    passed.sample.state = Nanoseconds(all - warm->sample.wall.value);
    return passed;
  }

 private:
  void start(PassPlace const& place) {
    started_ = true;
    for (std::size_t i = 0; i < memory_.extents(); ++i) memory_.touch(i, 0, place.clock);
    free_all(place);
  }
  void touch_all(Passed& passed, PassPlace const& place) {
    for (std::size_t i = 1; i < memory_.extents(); ++i) {
      std::uint64_t const touched = ticks();
      Fault const fault = memory_.touch(i, 0, place.clock);
      if (fault.error == 0) passed.seen.push_back(seen_at(i, fault, touched, place));
    }
  }
  void free_all(PassPlace const& place) {
    for (std::size_t i = 1; i < memory_.extents(); ++i) memory_.make_cold(i, place.random);
    for (std::size_t i = 1; i < memory_.extents(); ++i) {
      std::uint64_t const own = frame(i, place);
      memory_.give_back(i);
      freed_[own] = ticks();
    }
  }
  /// 0: hidden.
  std::uint64_t frame(std::size_t i, PassPlace const& place) const {
    auto const all = pagemap_->frames(memory_.at(i), 1, place.machine.base_page);
    return all && !all->empty() ? all->front() : 0;
  }
  /// Linux may give any free page: its age is known when it is one that was freed here.
  Point seen_at(std::size_t i, Fault const& fault, std::uint64_t touched, PassPlace const& place) {
    std::uint64_t const given = frame(i, place);
    double age_s = fault.since_free.value / 1e9;
    char const* label = "frame not readable";
    if (given != 0) {
      auto const freed = freed_.find(given);
      label = freed == freed_.end() ? "other frame" : "known frame";
      if (freed != freed_.end()) {
        age_s = static_cast<double>(touched - freed->second) * place.clock.ns_per_tick / 1e9;
        freed_.erase(freed);
      }
    }
    return {"fault.since_free", label, age_s, fault.sample.wall.value, {}, {}};
  }

  FaultMemory memory_;
  bool alone_;
  std::unique_ptr<backing::Pagemap> pagemap_ = std::make_unique<backing::Pagemap>();
  std::size_t next_ = 0, ages_ = ages_s.size();             ///< of ages_s
  std::unordered_map<std::uint64_t, std::uint64_t> freed_;  ///< frame: ticks
  bool started_ = false;
};

std::unique_ptr<Subject> returned_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                          LinuxRequest const& request) {
  std::size_t extents = most_waiting;
  extents = std::min<std::size_t>(extents, room_of(machine, request) / *machine.folio);
  auto memory = FaultMemory::make({BackingKind::thp, {}}, extents, machine);
  auto refusal = memory ? std::nullopt : std::optional(memory.refusal());
  auto const waiting =
      memory ? std::make_shared<Waiting>(std::move(*memory), part.budget, request.paths == 1) : nullptr;
  return std::make_unique<Passes>(part, machine, clock, [=](PassPlace const& place) -> Granted<Passed> {
    if (refusal) return *refusal;
    if (auto const no_state = refuse(State::cold, place.machine)) return *no_state;
    return waiting->pass(place);
  });
}

}  // namespace

constexpr LinuxPath returned_memory{
    .name = "returned-memory",
    .summary = "faults on memory that has been free for milliseconds to seconds, which a host may have taken back",
    .clears = "the page fault's own order",
    .plan = plan_returned,
    .subject = returned_subject};

}  // namespace folioscope::linux_path
