// SPDX-License-Identifier: Apache-2.0
// From values to rows, one function a kind, inside whatever transaction is open. The counterpart of load.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "record/capsule.hpp"
#include "record/database.hpp"

namespace folioscope::record {

class Store {
 public:
  explicit Store(Database const& database);

  /// The campaign's own row and what is known before its first block: facts, kernels, cells with visits, refusals.
  /// Returns the id.
  std::int64_t campaign(CampaignHeader const& header, std::string_view instance_key, Facts const& facts,
                        Plan const& plan, std::span<KernelContract const> kernels, Json const& groups);
  /// Later rows belong to this campaign.
  void continue_campaign(std::int64_t id);
  std::int64_t id() const { return id_; }

  void placement(Placement const& placement);
  void points(std::span<Point const> points);
  void refusals(std::span<Refusal const> refusals);
  void refused(std::span<RefusedCell const> refused);
  void block(Block const& block, std::span<Sample const> samples, std::span<Reading const> readings);
  void finish(std::string_view finished, std::string_view stop_reason, bool complete);

 private:
  std::int64_t visits(Visits const& visits);
  std::int64_t event(Reading const& reading);
  void facts(Facts const& facts);
  void kernels(std::span<KernelContract const> kernels);
  void cells(Plan const& plan);

  Database const& database_;
  std::int64_t id_ = 0;
  std::int64_t next_point_ = 0, next_refusal_ = 0;
  Statement insert_placement_, insert_point_, insert_refusal_, insert_block_, insert_sample_, insert_reading_;
};

}  // namespace folioscope::record
