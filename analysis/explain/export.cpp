// SPDX-License-Identifier: Apache-2.0
#include "explain/export.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include "explain/counts.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

constexpr std::string_view line_end = "\r\n";  // RFC 4180

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

std::string_view word(Arm arm) { return arm == Arm::first ? "first" : arm == Arm::again ? "again" : "counted"; }

/// The cell's columns, made once for all its samples.
std::string cell_columns(Cell const& c) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}", csv_field(c.kernel), csv_field(c.order),
                     c.run ? std::to_string(c.run->value) : "", c.call.value, c.prefetch.value,
                     c.target ? std::to_string(*c.target) : "", to_string(c.state), to_string(c.backing),
                     c.footprint.value, c.threads, c.fence ? to_string(*c.fence) : "");
}

/// Writes an array's items as they come.
class Items {
 public:
  explicit Items(std::ostream& out) : out_(out) { out_ << '['; }
  ~Items() { out_ << ']'; }
  Items(Items const&) = delete;
  Items& operator=(Items const&) = delete;
  void add(std::string_view json) {
    out_ << (first_ ? "\n" : ",\n") << json;
    first_ = false;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

std::string null_or(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string("null"); }

std::string json_text(std::string_view text) { return Json(text).dump(); }

void write_campaign(Campaign const& c, std::ostream& out) {
  Json facts = Json::array();
  for (Fact const& f : c.facts.all())
    facts.push(Json::object({{"key", f.key}, {"value", f.value}, {"source", f.source}, {"note", f.note}}));
  Json refusals = Json::array();
  for (Refusal const& r : c.plan.refusals)
    refusals.push(Json::object({{"subject", r.subject}, {"reason", r.reason}, {"remedy", r.remedy}}));
  Json kernels = Json::array();
  for (KernelContract const& k : c.kernels) kernels.push(to_json(k));
  CampaignHeader const& h = c.header;
  out << "{\"id\":" << h.id << ",\"uuid\":" << json_text(h.uuid) << ",\"kind\":" << json_text(h.kind)
      << ",\"command\":" << json_text(h.command) << ",\"version\":" << json_text(h.version)
      << ",\"started\":" << json_text(h.started) << ",\"finished\":" << json_text(h.finished)
      << ",\"stop_reason\":" << json_text(h.stop_reason) << ",\"complete\":" << (h.complete ? "true" : "false")
      << ",\n\"facts\":" << facts.dump() << ",\n\"plan\":" << to_json(c.plan).dump()
      << ",\n\"kernels\":" << kernels.dump() << ",\n\"refusals\":" << refusals.dump()
      << ",\n\"groups\":" << c.groups.dump() << ",\n\"cells\":";
  {
    Items items(out);
    for (PlannedCell const& p : c.plan.cells) items.add(to_json(p.cell).set("visits", encode_visits(p.visits)).dump());
  }
  out << ",\n\"placements\":";
  {
    Items items(out);
    for (Placement const& p : c.placements)
      items.add(Json::object({{"id", p.id}, {"common_frames", p.common_frames}, {"evidence", p.evidence}}).dump());
  }
  out << ",\n\"blocks\":";
  {
    Items items(out);
    for (Block const& b : c.blocks)
      items.add(Json::object({{"id", b.id},
                              {"placement", b.placement},
                              {"started_s", b.started_s},
                              {"elapsed_ns", b.elapsed.value},
                              {"clearing_ns", b.clearing.value},
                              {"making_state_ns", b.making_state.value},
                              {"add_ns_before", b.add_ns_before},
                              {"add_ns_after", b.add_ns_after},
                              {"marked", b.marked},
                              {"steal_s", b.steal_s},
                              {"note", b.note}})
                    .dump());
  }
  out << ",\n\"samples\":";
  {
    Items items(out);
    for (Sample const& s : c.samples)
      items.add(fmt::format(
          R"({{"block":{},"cell":{},"arm":"{}","position":{},"copies":{},"wall_ns":{},"user_ns":{},"system_ns":{},"state_ns":{}}})",
          s.block, s.cell, word(s.arm), s.position, s.copies, null_or(s.wall.value), null_or(s.user.value),
          null_or(s.system.value), null_or(s.state.value)));
  }
  out << ",\n\"readings\":";
  {
    Items items(out);
    for (Reading const& r : c.readings)
      items.add(fmt::format(
          R"({{"block":{},"cell":{},"group":{},"event":{},"value":{},"enabled_ns":{},"running_ns":{},"scope":{}}})",
          r.block, r.cell, json_text(r.group), json_text(r.event), null_or(r.value), null_or(r.enabled.value),
          null_or(r.running.value), json_text(r.scope)));
  }
  out << ",\n\"fills\":";
  {
    Items items(out);
    for (Fill const& f : counts_of(std::span(&c, 1)).fills) items.add(to_json(f, c.plan.cells[f.cell].cell).dump());
  }
  out << ",\n\"points\":";
  {
    Items items(out);
    for (Point const& p : c.points)
      items.add(
          Json::object(
              {{"series", p.series}, {"label", p.label}, {"x", p.x}, {"y", p.y}, {"cell", p.cell}, {"block", p.block}})
              .dump());
  }
  out << "}";
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string out;
  for (char c : printable(text, text.size())) {
    out += c;
    if (c == '"') out += '"';
  }
  return out.find_first_of(",\"") == std::string::npos ? out : "\"" + out + "\"";
}

void export_csv(std::span<Campaign const> campaigns, std::ostream& out) {
  out << "campaign,block,placement,marked,cell,position,arm,kernel,order,run_bytes,call_bytes,prefetch_bytes,target,"
         "state,backing,footprint_bytes,"
         "threads,fence,copies,wall_ns,user_ns,system_ns,state_ns"
      << line_end;
  for (Campaign const& c : campaigns) {
    std::vector<std::string> columns;
    for (PlannedCell const& p : c.plan.cells) columns.push_back(cell_columns(p.cell));
    std::map<std::uint32_t, Block const*> blocks;
    for (Block const& b : c.blocks) blocks.emplace(b.id, &b);
    std::string const campaign = csv_field(c.header.uuid);
    for (Sample const& s : c.samples) {
      if (s.cell >= columns.size()) continue;
      auto const block = blocks.find(s.block);
      bool const known = block != blocks.end();
      out << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", campaign, s.block,
                         known ? std::to_string(block->second->placement) : "",
                         known ? (block->second->marked ? "1" : "0") : "", s.cell, s.position, word(s.arm),
                         columns[s.cell], s.copies, number(s.wall.value), number(s.user.value), number(s.system.value),
                         number(s.state.value))
          << line_end;
    }
  }
}

void export_json(std::span<Campaign const> campaigns, std::ostream& out) {
  out << "{\"campaigns\":[";
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    out << (i ? ",\n" : "\n");
    write_campaign(campaigns[i], out);
  }
  out << "]}\n";
}

}  // namespace folioscope
