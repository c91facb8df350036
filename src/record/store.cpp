// SPDX-License-Identifier: Apache-2.0
#include "record/store.hpp"

#include <fmt/core.h>

#include "record/load.hpp"

namespace folioscope::record {
namespace {

/// FNV-1a: finds visits that are there already; equal hashes are compared in full.
std::int64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<std::int64_t>(hash);
}

std::optional<std::int64_t> whole(std::optional<Bytes> bytes) {
  return bytes ? std::optional(static_cast<std::int64_t>(bytes->value)) : std::nullopt;
}

}  // namespace

Store::Store(Database const& database)
    : database_(database),
      insert_placement_(
          database,
          "INSERT INTO placement VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET evidence = excluded.evidence, "
          "common_frames = coalesce(excluded.common_frames, common_frames)",
          "writing a placement"),
      insert_point_(database, "INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "writing points"),
      insert_refusal_(database, "INSERT INTO refusal VALUES (?, ?, ?, ?, ?, ?, ?)", "writing refusals"),
      insert_block_(database, "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "writing a block"),
      insert_sample_(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "writing samples"),
      insert_reading_(database, "INSERT INTO reading VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "writing counts") {}

std::int64_t Store::campaign(CampaignHeader const& h, std::string_view instance_key, Facts const& known,
                             Plan const& plan, std::span<KernelContract const> contracts, Json const& groups) {
  continue_campaign(database_.number("SELECT coalesce(max(id), 0) + 1 FROM campaign", "numbering the campaign"));
  Statement(database_, "INSERT INTO campaign VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "writing the campaign")
      .with(id_, h.uuid, h.kind, h.command, h.version, h.started, h.finished, h.stop_reason, h.complete, instance_key,
            to_json(plan).dump(), groups.dump())
      .once();
  facts(known);
  kernels(contracts);
  cells(plan);
  refusals(plan.refusals);
  return id_;
}

void Store::continue_campaign(std::int64_t id) {
  id_ = id;
  auto const next = [&](char const* table) {
    Statement row(database_, fmt::format("SELECT coalesce(max(position), -1) + 1 FROM {} WHERE campaign = ?", table),
                  "continuing");
    row.with(id_).step();
    return row.integer(0, 0, std::numeric_limits<std::int64_t>::max());
  };
  next_point_ = next("point");
  next_refusal_ = next("refusal");
}

void Store::facts(Facts const& known) {
  Statement row(database_, "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?)", "writing facts");
  std::int64_t position = 0;
  for (Fact const& f : known.all()) row.with(id_, position++, f.key, f.value.dump(), f.source, f.note).once();
}

void Store::kernels(std::span<KernelContract const> contracts) {
  Statement row(database_, "INSERT INTO kernel VALUES (?, ?, ?, ?)", "writing kernels");
  std::int64_t position = 0;
  for (KernelContract const& k : contracts) row.with(id_, position++, k.name, to_json(k).dump()).once();
}

std::int64_t Store::visits(Visits const& visits) {
  std::string const text = encode_visits(visits);
  std::int64_t const hash = hash_of(text);
  Statement there(database_, "SELECT id FROM visits WHERE hash = ? AND stretches = ?", "writing visits");
  if (there.with(hash, text).step()) return there.integer(0, 1, std::numeric_limits<std::int64_t>::max());
  Statement(database_, "INSERT INTO visits (hash, stretches) VALUES (?, ?)", "writing visits").with(hash, text).once();
  return database_.number("SELECT last_insert_rowid()", "writing visits");
}

void Store::cells(Plan const& plan) {
  Statement row(database_, "INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "writing cells");
  std::size_t stretches = 0;
  std::uint32_t id = 0;
  for (auto const& [c, order] : plan.cells) {
    stretches += order.size();
    if (stretches > most_stretches)
      throw Error(fmt::format("the plan visits more than {} stretches", most_stretches), database_.path().string(),
                  "choose fewer cells with small runs");
    row.with(id_, id++, c.kernel, c.order, whole(c.run), whole(c.call), whole(c.prefetch),
             whole(c.target ? std::optional(Bytes(*c.target)) : std::nullopt), to_string(c.state), to_string(c.backing),
             whole(c.footprint), c.threads, c.fence ? std::optional(to_string(*c.fence)) : std::nullopt, visits(order))
        .once();
  }
}

void Store::placement(Placement const& p) {
  insert_placement_.with(id_, p.id, p.common_frames, p.evidence.dump()).once();
}

void Store::points(std::span<Point const> points) {
  for (Point const& p : points)
    insert_point_.with(id_, next_point_++, p.series, p.label, p.x, p.y, p.cell, p.block).once();
}

void Store::refusals(std::span<Refusal const> refusals) {
  constexpr std::optional<std::uint32_t> none;
  for (Refusal const& r : refusals)
    insert_refusal_.with(id_, next_refusal_++, none, none, r.subject, r.reason, r.remedy).once();
}

void Store::refused(std::span<RefusedCell const> refused) {
  for (auto const& [cell, placement, r] : refused)
    insert_refusal_.with(id_, next_refusal_++, cell, placement, r.subject, r.reason, r.remedy).once();
}

void Store::block(Block const& b, std::span<Sample const> samples, std::span<Reading const> readings) {
  insert_block_
      .with(id_, b.id, b.placement, b.started_s, b.elapsed.value, b.clearing.value, b.making_state.value,
            b.add_ns_before, b.add_ns_after, b.marked, b.steal_s, b.note, static_cast<std::int64_t>(samples.size()),
            static_cast<std::int64_t>(readings.size()), next_point_)
      .once();
  for (Sample const& s : samples)
    insert_sample_
        .with(id_, s.block, s.position, s.cell, static_cast<std::uint32_t>(s.arm), s.copies, s.wall.value, s.user.value,
              s.system.value, s.state.value)
        .once();
  std::int64_t position = 0;
  for (Reading const& r : readings)
    insert_reading_.with(id_, r.block, position++, r.cell, event(r), r.value, r.enabled.value, r.running.value).once();
}

std::int64_t Store::event(Reading const& r) {
  Statement there(database_, "SELECT id FROM event WHERE counter_group = ? AND event = ? AND scope = ?",
                  "writing events");
  if (there.with(r.group, r.event, r.scope).step())
    return there.integer(0, 1, std::numeric_limits<std::int64_t>::max());
  Statement(database_, "INSERT INTO event (counter_group, event, scope) VALUES (?, ?, ?)", "writing events")
      .with(r.group, r.event, r.scope)
      .once();
  return database_.number("SELECT last_insert_rowid()", "writing events");
}

void Store::finish(std::string_view finished, std::string_view stop_reason, bool complete) {
  Statement(database_, "UPDATE campaign SET finished = ?, stop_reason = ?, complete = ? WHERE id = ?",
            "finishing the campaign")
      .with(finished, stop_reason, complete, id_)
      .once();
}

}  // namespace folioscope::record
