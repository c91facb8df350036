// SPDX-License-Identifier: Apache-2.0
// Fault time against the page touched first. The reference is the page that an ascending program touches first, 0; it
// runs twice a block. Beside the times: which lines are still near after a fault, and what memory costs that the host
// may have taken back.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "campaign/campaign.hpp"
#include "linuxmm/fault_memory.hpp"
#include "measure/measure.hpp"

namespace folioscope {

/// Words of its cells: kernel, and the order of the cells that touch one page first (its number is the target).
inline constexpr char const* fault_kernel = "linux_fault";
inline constexpr char const* touch_first = "touch_first";

/// Page indices to touch first in a folio of `pages`: at least 17 where it has so many, both ends and the middle among
/// them.
std::vector<std::uint64_t> fault_indices(std::uint64_t pages, std::vector<std::uint64_t> const& asked);

class FaultOrder final : public Subject {
 public:
  FaultOrder(Plan const& part, Machine const& machine, Clock const& clock, Bytes room);

  Placement place(std::uint32_t id, Random& random) override;
  Json leave() override;
  std::vector<RefusedCell> newly_refused() override;
  void warm_up(Random& random) override;
  Granted<Sample> run(std::size_t cell, Arm arm, Random& random) override;
  /// After a fault at page 0 of a large folio: "fault.near" and its kin, see look().
  std::vector<Point> seen() override;
  double core_clock() override;
  bool clock_changed() override;

 private:
  struct Kind {
    std::optional<FaultMemory> memory;
    std::vector<std::size_t> drawn;
    std::size_t next = 0;
    std::deque<double> last;  ///< ns a folio
    Json excluded = Json::array();
    double longest_since_free_ns = 0;
    std::uint64_t faults = 0;
  };
  bool returned(Kind const& kind, Fault const& fault) const;
  void make(Backing const& backing);
  void refuse_backing(Backing const& backing, Refusal const& refusal);
  Json first_touch(Kind& kind);
  Json after_a_wait(Kind& kind, Random& random);
  void look(Backing const& backing, std::byte* folio, Bytes length, Random& random);

  Plan const& plan_;
  Machine const& machine_;
  Clock clock_;
  Bytes room_;  ///< for the folios of each backing
  std::optional<Crew> crew_;
  std::map<Backing, Kind> kinds_;
  std::vector<bool> refused_;
  std::vector<RefusedCell> news_;
  std::vector<Point> looks_;
  std::uint32_t placement_ = 0;
};

}  // namespace folioscope
