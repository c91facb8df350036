// SPDX-License-Identifier: Apache-2.0
#include "record/load.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace folioscope::record {
namespace {

constexpr char const* header_columns = "id, uuid, kind, command, version, started, finished, stop_reason, complete";

CampaignHeader header_of(Statement const& row) {
  CampaignHeader h;
  h.id = row.integer(0, 1, std::numeric_limits<std::int64_t>::max());
  h.uuid = row.text(1);
  h.kind = row.text(2);
  h.command = row.text(3);
  h.version = row.text(4);
  h.started = row.text(5);
  h.finished = row.text(6);
  h.stop_reason = row.text(7);
  h.complete = row.integer(8, 0, 1) != 0;
  return h;
}

/// Loads one campaign part by part; later parts are checked against earlier ones.
class Loader {
 public:
  Loader(Database const& database, std::int64_t id) : database_(database), id_(id), where_(database.path().string()) {}

  Campaign all() {
    campaign_row();
    facts();
    kernels();
    cells();
    refusals();
    placements();
    blocks();
    samples();
    readings();
    points();
    return std::move(campaign_);
  }

 private:
  Database const& database_;
  std::int64_t id_;
  std::string where_;
  Campaign campaign_;
  std::size_t samples_promised_ = 0, readings_promised_ = 0, points_promised_ = 0;

  Statement rows(std::string_view sql, std::string doing) const {
    Statement statement(database_, sql, std::move(doing));
    statement.with(id_);
    return statement;
  }
  [[noreturn]] void fail(std::string_view what) const { throw damaged(database_.path(), what); }
  Json json(Statement const& row, int column) const { return parse_json(row.text(column), where_); }
  std::uint32_t last_cell() const { return static_cast<std::uint32_t>(campaign_.plan.cells.size()) - 1; }
  std::uint32_t cell(Statement const& row, int column) const {
    if (campaign_.plan.cells.empty()) fail("it measures cells that are not in its plan");
    return row.index(column, last_cell());
  }
  std::optional<std::uint32_t> optional_cell(Statement const& row, int column) const {
    return row.is_null(column) ? std::nullopt : std::optional(cell(row, column));
  }

  void campaign_row();
  void facts();
  void kernels();
  void cells();
  void refusals();
  void placements();
  void blocks();
  void samples();
  void readings();
  void points();
};

void Loader::campaign_row() {
  auto row = rows(fmt::format("SELECT {}, plan, counter_groups FROM campaign WHERE id = ?", header_columns),
                  "reading the campaign");
  if (!row.step())
    throw Error(fmt::format("it has no campaign {}", id_), where_, "`folioscope explain` names those it has");
  campaign_.header = header_of(row);
  campaign_.plan = plan_from_json(json(row, 9), where_);
  campaign_.groups = json(row, 10);
}

void Loader::facts() {
  auto row = rows("SELECT key, value, source, note FROM fact WHERE campaign = ? ORDER BY position", "reading facts");
  while (row.step()) campaign_.facts.add(row.text(0), json(row, 1), row.text(2), row.text(3));
}

void Loader::kernels() {
  auto row = rows("SELECT contract FROM kernel WHERE campaign = ? ORDER BY position", "reading kernels");
  while (row.step()) campaign_.kernels.push_back(contract_from_json(json(row, 0), where_));
}

void Loader::cells() {
  auto row = rows(
      "SELECT id, kernel, \"order\", run_bytes, call_bytes, prefetch_bytes, target, state, backing, footprint_bytes, "
      "threads, "
      "fence, visits FROM cell WHERE campaign = ? ORDER BY id",
      "reading cells");
  Statement visits(database_, "SELECT stretches FROM visits WHERE id = ?", "reading visits");
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  auto const whole = [&](int column) { return row.is_null(column) ? Json() : Json(row.integer(column, 0, most)); };
  std::map<std::pair<std::int64_t, Bytes>, std::size_t> known;  // visits and extent -> the first cell that has them
  std::size_t stretches = 0;
  auto& all = campaign_.plan.cells;
  while (row.step()) {
    if (row.index(0) != all.size()) fail("its cells are not numbered from 0");
    PlannedCell planned;
    planned.cell = cell_from_json(Json::object({{"kernel", row.text(1)},
                                                {"order", row.text(2)},
                                                {"run_bytes", whole(3)},
                                                {"call_bytes", whole(4)},
                                                {"prefetch_bytes", whole(5)},
                                                {"target", whole(6)},
                                                {"state", row.text(7)},
                                                {"backing", row.text(8)},
                                                {"footprint_bytes", whole(9)},
                                                {"threads", row.index(10, 1u << 20)},
                                                {"fence", row.is_null(11) ? Json() : Json(row.text(11))}}),
                                  where_);
    std::int64_t const id = row.integer(12, 1, most);
    auto const [place, fresh] = known.emplace(std::pair(id, planned.cell.footprint), all.size());
    if (fresh) {
      if (!visits.with(id).step()) fail("a cell's visits are missing");
      planned.visits = decode_visits(visits.text(0), planned.cell.footprint, where_);
    } else {
      if (all[place->second].visits.size() > most_stretches - stretches) fail("its visits are too many");
      planned.visits = all[place->second].visits;
    }
    stretches += planned.visits.size();
    if (stretches > most_stretches) fail("its visits are too many");
    all.push_back(std::move(planned));
  }
}

void Loader::refusals() {
  auto row = rows("SELECT cell, placement, subject, reason, remedy FROM refusal WHERE campaign = ? ORDER BY position",
                  "reading refusals");
  while (row.step()) {
    Refusal refusal{row.text(2), row.text(3), row.text(4)};
    if (auto const cell = optional_cell(row, 0))
      campaign_.refused.push_back({*cell, row.index(1), std::move(refusal)});
    else
      campaign_.plan.refusals.push_back(std::move(refusal));
  }
}

void Loader::placements() {
  auto row =
      rows("SELECT id, common_frames, evidence FROM placement WHERE campaign = ? ORDER BY id", "reading placements");
  while (row.step()) {
    Placement placement{row.index(0), {}, json(row, 2)};
    if (!row.is_null(1)) placement.common_frames = row.real(1);
    campaign_.placements.push_back(std::move(placement));
  }
}

void Loader::blocks() {
  auto row = rows(
      "SELECT id, placement, started_s, elapsed_ns, clearing_ns, making_state_ns, add_ns_before, add_ns_after, marked, "
      "steal_s, "
      "note, samples, readings, points_so_far FROM block WHERE campaign = ? ORDER BY id",
      "reading blocks");
  while (row.step()) {
    Block b;
    b.id = row.index(0);
    b.placement = row.index(1);
    b.started_s = row.real(2);
    b.elapsed = Nanoseconds(row.real(3));
    b.clearing = Nanoseconds(row.real(4));
    b.making_state = Nanoseconds(row.real(5));
    b.add_ns_before = row.real(6);
    b.add_ns_after = row.real(7);
    b.marked = row.integer(8, 0, 1) != 0;
    b.steal_s = row.real(9);
    b.note = row.text(10);
    samples_promised_ += row.index(11);
    readings_promised_ += row.index(12);
    points_promised_ = std::max<std::size_t>(points_promised_, row.index(13));
    if (!std::ranges::binary_search(campaign_.placements, b.placement, {}, &Placement::id))
      fail("a block's placement is missing");
    campaign_.blocks.push_back(std::move(b));
  }
}

/// Room for what was promised, but never more than the file could hold (hostile counts).
template <class T>
void reserve(std::vector<T>& into, std::size_t promised, std::uintmax_t file_bytes) {
  constexpr std::uintmax_t least_row = 8;
  into.reserve(static_cast<std::size_t>(std::min<std::uintmax_t>(promised, file_bytes / least_row)));
}

void Loader::samples() {
  auto const bytes = database_.number("PRAGMA page_count", "reading its size") *
                     database_.number("PRAGMA page_size", "reading its size");
  reserve(campaign_.samples, samples_promised_, static_cast<std::uintmax_t>(bytes));
  reserve(campaign_.readings, readings_promised_, static_cast<std::uintmax_t>(bytes));
  auto row = rows(
      "SELECT block, position, cell, arm, copies, wall_ns, user_ns, system_ns, state_ns FROM sample WHERE campaign = ? "
      "ORDER BY block, position, cell, arm",
      "reading samples");
  auto block = campaign_.blocks.begin();
  while (row.step()) {
    Sample s;
    s.block = row.index(0);
    while (block != campaign_.blocks.end() && block->id < s.block) ++block;
    if (block == campaign_.blocks.end() || block->id != s.block) fail("a sample's block is missing");
    s.position = row.index(1);
    s.cell = cell(row, 2);
    s.arm = static_cast<Arm>(row.index(3, 2));
    s.copies = static_cast<std::uint32_t>(row.integer(4, 1, std::numeric_limits<std::uint32_t>::max()));
    s.wall = Nanoseconds(row.real(5));
    s.user = Nanoseconds(row.real(6));
    s.system = Nanoseconds(row.real(7));
    s.state = Nanoseconds(row.real(8));
    campaign_.samples.push_back(s);
  }
  if (campaign_.samples.size() != samples_promised_)
    fail(fmt::format("{} samples where its blocks have {}", campaign_.samples.size(), samples_promised_));
}

void Loader::readings() {
  struct Event {
    std::string group, event, scope;
  };
  std::map<std::int64_t, Event> events;
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  Statement names(database_, "SELECT id, counter_group, event, scope FROM event", "reading events");
  while (names.step()) events[names.integer(0, 1, most)] = {names.text(1), names.text(2), names.text(3)};
  auto row = rows(
      "SELECT block, cell, event, value, enabled_ns, running_ns FROM reading WHERE campaign = ? ORDER BY block, "
      "position",
      "reading counts");
  while (row.step()) {
    auto const event = events.find(row.integer(2, 1, most));
    if (event == events.end()) fail("a reading's event is missing");
    Reading r;
    r.block = row.index(0);
    if (!std::ranges::binary_search(campaign_.blocks, r.block, {}, &Block::id)) fail("a reading's block is missing");
    r.cell = cell(row, 1);
    r.group = event->second.group;
    r.event = event->second.event;
    r.scope = event->second.scope;
    r.value = row.real(3);
    r.enabled = Nanoseconds(row.real(4));
    r.running = Nanoseconds(row.real(5));
    campaign_.readings.push_back(std::move(r));
  }
  if (campaign_.readings.size() != readings_promised_)
    fail(fmt::format("{} readings where its blocks have {}", campaign_.readings.size(), readings_promised_));
}

void Loader::points() {
  auto row =
      rows("SELECT series, label, x, y, cell, block FROM point WHERE campaign = ? ORDER BY position", "reading points");
  while (row.step())
    campaign_.points.push_back({row.text(0), row.text(1), row.real(2), row.real(3), optional_cell(row, 4),
                                row.optional_index(5, std::numeric_limits<std::uint32_t>::max())});
  if (campaign_.points.size() < points_promised_)
    fail(fmt::format("{} points where its blocks promise {}", campaign_.points.size(), points_promised_));
}

}  // namespace

std::vector<CampaignHeader> headers(Database const& database) {
  std::vector<CampaignHeader> all;
  Statement row(database, fmt::format("SELECT {} FROM campaign ORDER BY id", header_columns), "reading campaigns");
  while (row.step()) all.push_back(header_of(row));
  return all;
}

Campaign load(Database const& database, std::int64_t id) {
  // A writer that has added something is inside a transaction already, which sees its own additions.
  std::optional<Transaction> view;
  if (!database.in_transaction()) view.emplace(database, "BEGIN");
  Campaign campaign = Loader(database, id).all();
  if (view) view->commit();
  return campaign;
}

}  // namespace folioscope::record
