// SPDX-License-Identifier: Apache-2.0
// Several subjects measured as one: their cells follow each other, so that blocks mix them all.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "machine/clock.hpp"
#include "probe/residency.hpp"

namespace folioscope {

class Together final : public Subject {
 public:
  struct Part {
    std::string name;  ///< under which its evidence stands
    std::size_t cells = 0;
    std::unique_ptr<Subject> subject;
  };
  /// `probe`, which outlives it, is checked in every placement: what it found stands in the evidence under "probe".
  Together(std::vector<Part> parts, Clock clock, PageProbe* probe = nullptr);

  Placement place(std::uint32_t id, Random& random) override;
  Json leave() override;
  std::vector<RefusedCell> newly_refused() override;
  std::uint32_t part_of(std::size_t cell) const override;
  void warm_up(Random& random) override;
  Granted<Sample> run(std::size_t cell, Arm arm, Random& random) override;
  std::vector<Point> seen() override;
  std::vector<Reading> count(std::size_t cell, Random& random) override;
  double core_clock() override;
  bool clock_changed() override;

 private:
  struct Found {
    Subject* subject;
    std::size_t cell;
  };
  Found find(std::size_t cell) const;
  std::vector<Part> parts_;
  Clock clock_;
  PageProbe* probe_;
  Subject* ran_ = nullptr;
};

}  // namespace folioscope
