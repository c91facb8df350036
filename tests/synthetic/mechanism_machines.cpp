// SPDX-License-Identifier: Apache-2.0
#include "synthetic/mechanism_machines.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "orders/order.hpp"

namespace folioscope::synthetic {
namespace {

constexpr std::uint64_t page = 4096, folio = 2u << 20, line = 64;
constexpr double streaming_ns_per_kib = 28, usual_call_ns = 1;

struct Levels {
  std::vector<std::string> kernels{"rep_stosb"};
  std::vector<std::string> orders{"sequential"};
  std::vector<std::uint64_t> runs{page};
  std::vector<std::uint64_t> calls{page};
  std::vector<State> states{State::cold};
  std::vector<std::string> backings{"thp"};
  std::vector<std::uint64_t> footprints{1};
  std::vector<std::uint32_t> threads{1};
  std::vector<std::uint64_t> prefetches{0};
  std::vector<Fence> fences{Fence::pass};
  std::vector<std::uint64_t> targets{128};
};

bool is_weak(std::string const& kernel) { return kernel == "movnt_avx512" || kernel == "clzero"; }

class Builder {
 public:
  void add(Cell c) {
    if (!seen_.insert(c).second) return;
    if (c.order != "sequential" || c.prefetch.value) {
      Cell const reference = reference_of(c);
      add(reference);
    }
    VisitRequest request;
    request.order = *parse_order(c.order);
    request.extent = Bytes(std::min<std::uint64_t>(folio, c.footprint.value));
    request.run = c.run;
    request.target_page = c.target;
    request.base_page = Bytes(page);
    plan.cells.push_back({c, visits(request)});
  }
  void cross(Levels const& l) {
    for (auto const& kernel : l.kernels)
      for (auto const& order : l.orders)
        for (auto run : l.runs)
          for (auto call : l.calls)
            for (auto state : l.states)
              for (auto const& backing : l.backings)
                for (auto footprint : l.footprints)
                  for (auto threads : l.threads)
                    for (auto prefetch : l.prefetches)
                      for (auto fence : l.fences)
                        for (auto target : l.targets) {
                          Cell c;
                          c.kernel = kernel;
                          c.order = order;
                          if (order != "sequential") c.run = Bytes(run);
                          c.call = Bytes(c.run ? std::min(call, run) : call);
                          c.state = state;
                          c.backing = parse_backing(backing).value_or(Backing{});
                          c.footprint = Bytes(footprint * folio);
                          c.threads = threads;
                          c.prefetch = Bytes(prefetch);
                          if (is_weak(kernel)) c.fence = fence;
                          if (auto const known = find_order(parse_order(order)->base); known && known->has_target)
                            c.target = target;
                          add(c);
                        }
  }
  Plan plan;

 private:
  std::set<Cell> seen_;
};

/// What the machine remembers while it walks.
struct Walk {
  struct Tracker {
    std::uint64_t up = 0, down = 0;  ///< the lines that would continue it
    double seen = 0;                 ///< lines
  };
  std::deque<Tracker> trackers;  ///< the most recently used first
  std::uint64_t last_line = ~std::uint64_t{0} - 1;
  double run = 0;                    ///< lines since the last jump
  std::deque<std::uint64_t> places;  ///< ends of the last stretches
};

class Machine {
 public:
  Machine(PlannedCell const& planned, Mechanics const& m) : planned_(planned), m_(m) {}

  double folio_ns() {
    Cell const& c = planned_.cell;
    for (Stretch const& s : planned_.visits) {
      if (s.offset.value != end_) jump(s.offset.value);
      bool const down = c.kernel.ends_with("_down");
      for (std::uint64_t at = 0; at < s.length.value; at += c.call.value)
        call(s.offset.value + at, std::min(c.call.value, s.length.value - at), down);
      end_ = s.offset.value + s.length.value;
    }
    return ns_;
  }

 private:
  bool bypasses() const { return is_weak(planned_.cell.kernel); }

  void jump(std::uint64_t to) {
    Cell const& c = planned_.cell;
    double const hidden = c.prefetch.value ? m_.hidden_by_prefetch : 0;
    if (!bypasses()) ns_ += m_.start_ns * (1 - hidden);
    bool const huge = c.backing.kind == BackingKind::thp;
    if (!huge && to / page != last_page_ + 1) ns_ += m_.walk_ns;
    if (!bypasses() && end_ != 0 && to < end_) ns_ += m_.downward_ns_per_page;
    if (!bypasses() && to + page < end_) ns_ += m_.far_down_ns;
    // Turns among more places than the machine keeps.
    auto const known = std::ranges::find(walk_.places, to);
    if (known != walk_.places.end()) {
      if (static_cast<std::size_t>(known - walk_.places.begin()) >= m_.trackers) ns_ += m_.many_streams_ns_per_turn;
    }
  }

  void call(std::uint64_t from, std::uint64_t length, bool down) {
    double const before = ns_;
    ns_ += usual_call_ns + m_.call_ns + (length < page ? 0 : m_.set_up_ns);
    if (planned_.cell.kernel == "nothing") return;
    for (std::uint64_t at = 0; at < length; at += line) visit(down ? from + length - line - at : from + at);
    if (planned_.cell.fence == Fence::call) ns_ += m_.fence_ns;
    if (length >= 65536) ns_ = before + (ns_ - before) * (1 - m_.elided);
    walk_.places.push_front(from + length);
    if (walk_.places.size() > 600) walk_.places.pop_back();
    last_page_ = (from + length - 1) / page;
  }

  void visit(std::uint64_t at) {
    ns_ += streaming_ns_per_kib * static_cast<double>(line) / 1024;
    if (bypasses()) return;
    follow(at);
    walk_.run = at == walk_.last_line + line ? walk_.run + 1 : 0;
    if (walk_.run < m_.lines_to_stream) ns_ += m_.allocating_ns_per_line;
    walk_.last_line = at;
  }

  void follow(std::uint64_t at) {
    if (m_.unseen_ns_per_line <= 0) return;
    auto const it = std::ranges::find_if(walk_.trackers, [&](auto const& t) { return t.up == at || t.down == at; });
    Walk::Tracker tracker;
    if (it != walk_.trackers.end()) {
      tracker = *it;
      walk_.trackers.erase(it);
    }
    if (tracker.seen < m_.lines_to_run_up) ns_ += m_.unseen_ns_per_line;
    tracker = {at + line, at - line, tracker.seen + 1};
    walk_.trackers.push_front(tracker);
    if (walk_.trackers.size() > m_.trackers) walk_.trackers.pop_back();
  }

  PlannedCell const& planned_;
  Mechanics const& m_;
  Walk walk_;
  double ns_ = 0;
  std::uint64_t end_ = 0, last_page_ = ~std::uint64_t{0} - 1;
};

}  // namespace

Plan mechanism_plan() {
  Builder b;
  b.plan.experiment = "mechanism";
  b.plan.description = "made-up cells";
  b.plan.base_page = Bytes(page);
  b.plan.folio = Bytes(folio);
  b.plan.options["hold_out"] = "target_last neighbourhood_last far_ascending alternate file";
  std::vector<std::string> const shuffled{"reverse", "gapped@2", "random"};
  b.cross({.orders = shuffled, .runs = {64, 256, 1024, page, 8192, 16384, 32768, 65536, 131072, 262144, 1048576}});
  b.cross({.kernels = {"mov_avx512", "movnt_avx512"}, .orders = shuffled, .runs = {page, 16384, 65536, 262144}});
  b.cross({.orders = {"reverse"}, .runs = {65536}, .calls = {64, 256, 1024, 16384, 65536}});
  b.cross({.kernels = {"rep_stosb", "mov_avx512", "movnt_avx512", "nothing"},
           .calls = {64, 256, 1024, page, 16384, 65536, folio}});
  b.cross({.kernels = {"movnt_avx512", "clzero"},
           .orders = {"sequential", "reverse", "random"},
           .fences = {Fence::pass, Fence::call}});
  b.cross({.kernels = {"mov_r64", "mov_r64_down"}, .orders = {"sequential", "reverse", "random"}});
  b.cross({.kernels = {"rep_stosb", "mov_avx512"},
           .orders = {"streams@2", "streams@4", "streams@8", "streams@16", "streams@32", "streams@64", "alternate@2",
                      "alternate@16"}});
  b.cross({.kernels = {"rep_stosb", "mov_avx512", "movnt_avx512"},
           .orders = {"sequential", "reverse", "random"},
           .states = {State::hot, State::cold_zero}});
  b.cross({.orders = {"sequential", "reverse", "random"}, .footprints = {8}});
  b.cross({.orders = shuffled, .runs = {64, page, 16384, 65536}, .backings = {"thp-pte", "base"}});
  b.cross({.kernels = {"rep_stosb", "mov_avx512"},
           .orders = {"sequential", "reverse", "random"},
           .prefetches = {256, 1024, page}});
  b.cross({.kernels = {"rep_stosb", "mov_avx512", "movnt_avx512"},
           .orders = {"target_last", "far_ascending", "neighbourhood_last@2"},
           .targets = {128, 256, 384}});
  b.cross({.orders = {"reverse", "random", "gapped@2"}, .runs = {page, 16384, 65536}, .footprints = {100}});
  b.cross({.calls = {page, folio}, .footprints = {100}});
  b.cross({.orders = {"target_last", "far_ascending", "streams@4", "streams@16", "alternate@2"}, .footprints = {100}});
  b.cross({.orders = {"reverse", "random", "target_last"}, .footprints = {1, 100}, .threads = {2}});
  return std::move(b.plan);
}

double mechanical_ns(PlannedCell const& planned, Mechanics const& m) {
  Cell const& c = planned.cell;
  double const folios = static_cast<double>(c.footprint.value) / static_cast<double>(folio);
  double ns = Machine(planned, m).folio_ns() * folios;
  double const kib = static_cast<double>(c.footprint.value) / 1024;
  ns += m.spill_ns_per_kib * kib * std::max(0.0, 1 - 8192 / kib);
  if (c.state == State::cold_zero) ns *= 1 - m.zero_saves;
  if (c.state == State::hot) ns *= 0.5;
  if (m.most_bytes_per_ns > 0 && c.kernel != "nothing")
    ns = std::max(ns, static_cast<double>(c.footprint.value) * c.threads / m.most_bytes_per_ns);
  return ns;
}

Campaign mechanism_campaign(Mechanics const& mechanics, Noise const& noise, std::uint64_t seed) {
  Request r{.plan = mechanism_plan(), .noise = noise, .seed = seed};
  std::map<Cell, double> times;
  for (PlannedCell const& p : r.plan.cells) times[p.cell] = mechanical_ns(p, mechanics);
  r.true_ns = [&](Cell const& c) { return times.at(c); };
  Campaign out = campaign(r);
  for (auto const& [bytes, ns] : {std::pair(16384.0, 1.2), std::pair(524288.0, 4.5), std::pair(1.6e7, 20.0),
                                  std::pair(1.3e8, 108.0), std::pair(2.6e8, 110.0)})
    out.points.push_back({"latency.idle", "", bytes, ns, {}, {}});
  return out;
}

}  // namespace folioscope::synthetic
