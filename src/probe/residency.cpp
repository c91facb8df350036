// SPDX-License-Identifier: Apache-2.0
// Prefetchers fetch neighbours while a chain waits, so the lines of a sample are spread over the page in random order.
// What still comes in that way comes in the same way while the scale is made.
#include "probe/residency.hpp"

#include <algorithm>
#include <array>

#include "probe/made.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t probe_line = 64;
constexpr std::size_t few_lines = 16;   ///< from memory over a microsecond, from an L1 some 25 ns
constexpr std::size_t most_lines = 64;  ///< a base page of 4 KiB
constexpr double coarse_tick_ns = 25;

double tick_of(ProbeClock const& clock) { return std::max(clock.tick.value, clock.quantised_to.value); }

}  // namespace

std::size_t lines_a_sample(ProbeClock const& clock) {
  return tick_of(clock) >= coarse_tick_ns ? most_lines : few_lines;
}

std::uint64_t clock_cost_ticks() {
  std::byte const nothing{};
  auto cost = chase_ticks(&nothing, {});
  for (int i = 0; i < 15; ++i) cost = std::min(cost, chase_ticks(&nothing, {}));
  return cost;
}

PageSample sample_page(std::byte const* page, Bytes bytes, ProbeClock const& clock, std::uint64_t clock_cost,
                       Random& random) {
  auto const lines = bytes.value / probe_line;
  auto const count = std::min<std::uint64_t>(lines, lines_a_sample(clock) + 1);
  if (count < 2) return {};
  std::array<std::uint32_t, most_lines + 1> offsets{};
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const from = lines * i / count;
    offsets[i] = static_cast<std::uint32_t>((from + random.below(lines * (i + 1) / count - from)) * probe_line);
  }
  for (auto i = count; i > 1; --i) std::swap(offsets[i - 1], offsets[random.below(i)]);
  std::span<std::uint32_t const> const all(offsets.data(), count);
  chase_ticks(page, all.first(1));
  auto const timed = all.subspan(1);
  auto const spent = chase_ticks(page, timed);
  Nanoseconds const gross(static_cast<double>(spent) * clock.ns_per_tick);
  double const net =
      quantised(gross, clock.quantised_to, random).value - static_cast<double>(clock_cost) * clock.ns_per_tick;
  return {Nanoseconds(std::max(0.0, net) / static_cast<double>(timed.size())), static_cast<unsigned>(timed.size())};
}

std::size_t samples_a_pass(Bytes l1, Bytes base_page, ProbeClock const& clock) {
  auto const budget = std::max(l1.value / 16, base_page.value) / probe_line;
  return std::max<std::size_t>(1, budget / (lines_a_sample(clock) + 1));
}

PageProbe::PageProbe(Request request) : request_(std::move(request)), clock_cost_(clock_cost_ticks()) {
  samples_a_pass_ = folioscope::samples_a_pass(request_.levels.size() > 1 ? request_.levels.front().up_to : Bytes(0),
                                               request_.base_page, request_.clock);
  if (request_.levels.size() < 2) {
    scale_ = scale_of(request_.levels);
    return;
  }
  Random random = Random(request_.seed).split(0x70726f6265);
  learn(random);
  // What was merged may have been badly made: somebody else was busy in the shared cache.
  if (scale_.levels.size() == request_.levels.size()) return;
  PageProbe first = *this;
  learn(random);
  if (scale_.levels.size() < first.scale_.levels.size()) *this = std::move(first);
}

void PageProbe::learn(Random& random) {
  scale_ = {};
  pushing_ = try_pushing(random);
  samples_ = take(request_.samples, random);
  std::vector<MadeLevel> learnt = samples_, kept = samples_;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto const half = static_cast<std::ptrdiff_t>(samples_[i].ns.size() / 2);
    learnt[i].ns.assign(samples_[i].ns.begin(), samples_[i].ns.begin() + half);
    kept[i].ns.assign(samples_[i].ns.begin() + half, samples_[i].ns.end());
  }
  scale_ = scale_of(learnt);
  tested_ = confusion(scale_, kept);
}

void PageProbe::push_anew(Random& random) {
  if (request_.levels.size() > 1) pushing_ = try_pushing(random);
}

/// Whether a sample looks as one of that level of the curve should: to the scale, once there is one.
bool PageProbe::alike(std::size_t level, Nanoseconds per_line) const {
  constexpr double ratio = 1.6;
  if (!scale_.levels.empty()) return scale_.holds(scale_.level_of(per_line), request_.levels[level].name);
  double const plateau = request_.levels[level].latency.value;
  return per_line.value < plateau * ratio && per_line.value > plateau / ratio;
}

/// Of each level's candidates the middle one of those after which most pages look as they should, the larger of two:
/// less may leave pages in the nearer level, more may push them into the next one. By few lines until there is a scale:
/// more of them let prefetchers in, which the curve's random lines did not.
std::vector<Bytes> PageProbe::try_pushing(Random& random) const {
  constexpr int tries = 64, as_good = 1;
  ProbeClock clock = request_.clock;
  if (scale_.levels.empty()) clock.tick = clock.quantised_to = Nanoseconds(0);
  MadeStates made({request_.levels, std::min(request_.base_page, 4_KiB), {}});
  std::vector<Bytes> chosen;
  for (std::size_t level = 0; level < request_.levels.size(); ++level) {
    auto const sizes = pushing_sizes(request_.levels, level);
    chosen.push_back(sizes.front());
    if (sizes.size() == 1) continue;
    std::vector<int> hits(sizes.size());
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      made.push_with(level, sizes[s]);
      for (int tried = 0; tried < tries;) {
        auto const pages = made.make(level, random);
        if (pages.empty()) return chosen;
        for (std::byte const* page : pages)
          hits[s] +=
              tried++ < tries && alike(level, sample_page(page, made.page(), clock, clock_cost_, random).per_line);
      }
    }
    std::vector<Bytes> good;
    for (std::size_t s = 0; s < sizes.size(); ++s)
      if (hits[s] + as_good >= *std::ranges::max_element(hits)) good.push_back(sizes[s]);
    chosen.back() = good[(good.size() - 1) / 2];
  }
  return chosen;
}

std::vector<MadeLevel> PageProbe::take(unsigned samples, Random& random) const {
  MadeStates made({request_.levels, std::min(request_.base_page, 4_KiB), pushing_});
  std::vector<MadeLevel> taken;
  for (auto const& level : request_.levels) taken.push_back({level.name, {}});
  // The first of each kind finds the caches as the last pass left them, and does not count.
  for (std::size_t level = 0; level < taken.size(); ++level)
    for (std::byte const* page : made.make(level, random))
      sample_page(page, made.page(), request_.clock, clock_cost_, random);
  // All levels in turn, so that what drifts meanwhile hits each.
  for (bool more = true; more;) {
    more = false;
    for (std::size_t level = 0; level < taken.size(); ++level) {
      auto& ns = taken[level].ns;
      if (ns.size() >= samples) continue;
      auto const pages = made.make(level, random);
      if (pages.empty()) return {};
      for (std::byte const* page : pages)
        ns.push_back(sample_page(page, made.page(), request_.clock, clock_cost_, random).per_line.value);
      more = more || ns.size() < samples;
    }
  }
  for (auto& level : taken) level.ns.resize(samples);
  return taken;
}

std::vector<ConfusionRow> PageProbe::test(unsigned samples, Random& random) const {
  if (request_.levels.size() < 2) return {};
  return confusion(scale_, take(samples, random));
}

PageProbe::Seen PageProbe::look(std::byte const* page, Random& random) const {
  auto const sample = sample_page(page, request_.base_page, request_.clock, clock_cost_, random);
  return {scale_.level_of(sample.per_line), sample.per_line};
}

}  // namespace folioscope
