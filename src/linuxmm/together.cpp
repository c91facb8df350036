// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/together.hpp"

#include <cassert>
#include <utility>

#include "campaign/after.hpp"

namespace folioscope {

Together::Together(std::vector<Part> parts, Clock clock, PageProbe* probe)
    : parts_(std::move(parts)), clock_(std::move(clock)), probe_(probe) {}

Together::Found Together::find(std::size_t cell) const {
  for (Part const& part : parts_) {
    if (cell < part.cells) return {part.subject.get(), cell};
    cell -= part.cells;
  }
  assert(false && "a cell of no part");
  return {nullptr, 0};
}

/// Of several kinds of memory no one share of common frames can be given: each part's stands in its own evidence.
Placement Together::place(std::uint32_t id, Random& random) {
  Placement all;
  all.id = id;
  for (Part const& part : parts_) {
    Placement own = part.subject->place(id, random);
    if (own.common_frames) own.evidence.set("common_frames", *own.common_frames);
    all.evidence.set(part.name, std::move(own.evidence));
  }
  if (probe_) all.evidence.set("probe", check_probe(*probe_, random));
  return all;
}

Json Together::leave() {
  Json all = Json(Json::Object{});
  for (Part const& part : parts_) all.set(part.name + " at the end", part.subject->leave());
  return all;
}

std::vector<RefusedCell> Together::newly_refused() {
  std::vector<RefusedCell> all;
  std::size_t first = 0;
  for (Part const& part : parts_) {
    for (RefusedCell& refused : part.subject->newly_refused()) {
      refused.cell += static_cast<std::uint32_t>(first);
      all.push_back(std::move(refused));
    }
    first += part.cells;
  }
  return all;
}

std::uint32_t Together::part_of(std::size_t cell) const {
  std::uint32_t part = 0;
  for (; part + 1 < parts_.size() && cell >= parts_[part].cells; ++part) cell -= parts_[part].cells;
  return part;
}

void Together::warm_up(Random& random) {
  for (Part const& part : parts_) part.subject->warm_up(random);
}

Granted<Sample> Together::run(std::size_t cell, Arm arm, Random& random) {
  Found const found = find(cell);
  ran_ = found.subject;
  return found.subject->run(found.cell, arm, random);
}

std::vector<Point> Together::seen() { return ran_ ? ran_->seen() : std::vector<Point>{}; }

std::vector<Reading> Together::count(std::size_t cell, Random& random) {
  Found const found = find(cell);
  return found.subject->count(found.cell, random);
}

double Together::core_clock() { return ns_per_add(clock_); }
bool Together::clock_changed() { return current_clocksource() != clock_.source; }

}  // namespace folioscope
