// SPDX-License-Identifier: Apache-2.0
// The capsule: one SQLite file with campaigns. The reader never writes; the writer commits block by block, durably, and
// leaves a single file that opens in a read-only folder. Hostile and damaged files throw Error, never crash. Schema:
// docs/record-format.md.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "terms/facts.hpp"
#include "terms/kernel.hpp"
#include "terms/plan.hpp"
#include "terms/sample.hpp"

namespace folioscope {

struct CampaignHeader {
  std::int64_t id = 0;         ///< within the capsule, from 1
  std::string uuid;            ///< unique over capsules: merge keeps one copy
  std::string kind = "sweep";  ///< "sweep" or "linux"
  std::string command;         ///< what reproduces it
  std::string version;         ///< of folioscope
  std::string started;         ///< ISO 8601 UTC
  std::string finished;        ///< empty while unfinished
  std::string stop_reason;     ///< "every ratio is narrow enough", "budget spent", "interrupted", ...
  bool complete = false;       ///< finished in an orderly way and not interrupted; --resume continues the others
};

/// A quantity over a campaign that is no pass: "latency.idle" (x bytes, y ns), "state_check.cold" (x placement, y
/// share), ...
struct Point {
  std::string series;
  std::string label;
  double x = 0;
  double y = 0;
  std::optional<std::uint32_t> cell;
  std::optional<std::uint32_t> block;
};

/// A cell refused while the campaign ran. What it gave in that placement was measured on something else: left out of
/// figures.
struct RefusedCell {
  std::uint32_t cell = 0;
  std::uint32_t placement = 0;
  Refusal refusal;
};

struct Campaign {
  CampaignHeader header;
  Facts facts;
  Plan plan;
  std::vector<KernelContract> kernels;
  std::vector<Placement> placements;
  std::vector<Block> blocks;
  std::vector<Sample> samples;  ///< ordered by block, then position
  std::vector<Reading> readings;
  std::vector<Point> points;
  std::vector<RefusedCell> refused;  ///< beside plan.refusals, which are from before the first block
  Json groups;                       ///< whole definitions of the counter groups used
  std::string left_out;              ///< a sentence about what plausible() left out; empty as a rule
};

class Capsule {
 public:
  static Capsule open(std::filesystem::path const& path);
  ~Capsule();
  Capsule(Capsule&&) noexcept;
  Capsule& operator=(Capsule&&) noexcept;
  std::vector<CampaignHeader> headers() const;
  Campaign load(std::int64_t id) const;
  std::filesystem::path const& path() const;
  /// What the reader had to do to open it, for people: "dropped the block in flight when its writer was killed". Empty
  /// as a rule.
  std::vector<std::string> const& notes() const;

 private:
  struct Inside;
  explicit Capsule(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

class CapsuleWriter {
 public:
  /// Creates the file, or opens it to append. Throws Error when it holds another machine instance's campaigns, is no
  /// capsule, is of a newer schema, is locked by another writer, or cannot be written. An empty key (merge) takes any
  /// machine's.
  static CapsuleWriter open(std::filesystem::path const& path, std::string_view instance_key);
  ~CapsuleWriter();  ///< leaves a single file, whatever happened before
  CapsuleWriter(CapsuleWriter&&) noexcept;
  CapsuleWriter& operator=(CapsuleWriter&&) noexcept;

  /// Writes header (uuid and started are filled in), facts, plan with cells, visits and refusals, kernels, groups.
  /// Returns the id.
  std::int64_t begin(CampaignHeader header, Facts const& facts, Plan const& plan,
                     std::span<KernelContract const> kernels, Json const& groups);
  /// The last unfinished campaign, whole, to continue by its own plan; nullopt when all are complete.
  std::optional<Campaign> unfinished();
  /// Continues campaign `id` after unfinished().
  void continue_campaign(std::int64_t id);

  /// The campaign being written, as far as it is: what continues and stop rules start from.
  Campaign so_far() const;

  /// What is added is on disk with the next commit or finish.
  void add(Placement const& placement);  ///< again with the same id: replaces its evidence
  void add(std::span<Point const> points);
  void add(std::span<Refusal const> refusals);
  void add(std::span<RefusedCell const> refused);
  /// One transaction, on disk when it returns.
  void commit(Block const& block, std::span<Sample const> samples, std::span<Reading const> readings = {},
              std::span<Point const> points = {});
  void finish(std::string stop_reason, bool complete);

  /// Copies a campaign of another capsule as it is (merge); one that is there already by uuid is skipped: false.
  bool copy(Campaign const& campaign);

 private:
  struct Inside;
  explicit CapsuleWriter(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace folioscope
