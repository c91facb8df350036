// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <charconv>

#include "explain/advice.hpp"
#include "explain/layout.hpp"
#include "terms/fixed.hpp"

namespace folioscope {
namespace {

std::uint64_t backing_rank(BackingKind kind) {
  switch (kind) {
    case BackingKind::thp:
      return 0;
    case BackingKind::hugetlb:
      return 1;
    case BackingKind::mthp:
      return 2;
    case BackingKind::tmpfs:
      return 3;
    case BackingKind::thp_pte:
      return 4;
    case BackingKind::base:
      return 5;
  }
  return 6;
}

std::string linux_order_words(Cell const& c, std::string_view what, std::string_view releases) {
  std::string text = fmt::format("in {} order ({}", releases, what);
  if (c.target) text += fmt::format(", target page {}", *c.target);
  return text + ")";
}

}  // namespace

std::optional<LinuxOrder> order_of_release(std::string_view release) {
  unsigned major = 0, minor = 0;
  char const* const end = release.data() + release.size();
  auto const first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return std::nullopt;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return std::nullopt;
  if (major >= 7) return LinuxOrder::neighbourhood_last;
  if (major > 4 || (major == 4 && minor >= 14)) return LinuxOrder::target_last;
  return LinuxOrder::sequential;
}

std::vector<std::uint64_t> prominence(ExplainedCampaign const& campaign, Cell const& c) {
  auto const linux_kernel = campaign.facts.value(fact::linux_kernel).as_string();
  std::uint64_t kernel_rank = 2;
  for (KernelContract const& k : campaign.kernels)
    if (k.name == c.kernel && k.linux_use == LinuxUse::yes) kernel_rank = 1;
  if (linux_kernel && *linux_kernel == c.kernel) kernel_rank = 0;
  std::uint64_t const state = c.state == State::cold ? 0 : c.state == State::hot ? 1 : 2;
  // A footprint below a folio says least: caches hold it, and most orders have no room in it.
  std::uint64_t const size = c.footprint >= campaign.folio ? c.footprint.value : ~c.footprint.value;
  std::uint64_t const call = c.call == campaign.base_page ? 0 : 1;
  std::uint64_t const run = !c.run || *c.run == campaign.base_page ? 0 : 1;
  return {state, backing_rank(c.backing.kind), size, c.threads, kernel_rank, call, c.prefetch.value != 0, run};
}

std::string what_is_cleared(ExplainedCampaign const& campaign, Cell const& c) {
  std::string const state = to_string(c.state);
  std::string const folio = format_bytes(campaign.folio);
  std::string text;
  if (c.footprint == campaign.folio && c.backing.kind == BackingKind::thp)
    text = fmt::format("a {} {} THP", state, folio);
  else if (c.footprint.value != 0 && campaign.folio.value != 0 && c.footprint.value % campaign.folio.value == 0)
    text = fmt::format("{} {} {} {} ({})", c.footprint / campaign.folio, state, folio,
                       c.footprint == campaign.folio ? "folio" : "folios", to_string(c.backing));
  else
    text = fmt::format("{} {} ({})", state, format_bytes(c.footprint), to_string(c.backing));
  return c.threads > 1 ? text + fmt::format(" in each of {} threads", c.threads) : text;
}

std::string how_it_goes(ExplainedCampaign const& campaign, Cell const& c) {
  auto const order = parse_order(c.order).value_or(OrderName{c.order, {}});
  std::string text;
  if (c.order == "sequential")
    text = "from the first page to the last";
  else if (order.base == "reverse" || (order.base == "target_last" && c.target == 0u))
    text = order.base == "reverse" ? "from the last page to the first"
                                   : "from the last page to the first (Linux v4.14 to v6.19 with target page 0)";
  else if (order.base == "target_last")
    text = linux_order_words(c, "target last", "Linux v4.14 to v6.19's");
  else if (order.base == "neighbourhood_last")
    text = linux_order_words(c,
                             order.parameter.value_or(2) == 2
                                 ? "neighbourhood last"
                                 : fmt::format("neighbourhood of {} last, not its 2", *order.parameter),
                             "Linux v7.0's");
  else if (order.base == "far_ascending")
    text = linux_order_words(c, "far region ascending", "the October 2024 suggestion's");
  else if (order.base == "random")
    text = "in random order";
  else
    text = fmt::format("in the order {}", printable(c.order));
  if (c.run && *c.run != campaign.base_page) text += fmt::format(" by runs of {}", format_bytes(*c.run));
  if (c.call != campaign.base_page && c.order != "sequential")
    text += fmt::format(", calls of at most {}", format_bytes(c.call));
  if (c.prefetch.value) text += fmt::format(", prefetching {} ahead", format_bytes(c.prefetch));
  return text;
}

std::string claim(Verdict const& v) {
  switch (v.verdict) {
    case Finding::slower:
    case Finding::faster:
      return fmt::format("takes {} times as long", with_interval(v.estimate));
    case Finding::no_difference:
      return fmt::format("makes no difference above {} ({})", percent(v.delta), figure(v.estimate.ratio));
    case Finding::cannot_tell:
      return v.estimate.n > 0 && v.estimate.ci
                 ? fmt::format(
                       "cannot be told from no difference, nor from one: {} times as long, 95 % interval {} to {}",
                       figure(v.estimate.ratio), figure(v.estimate.ci->low), figure(v.estimate.ci->high))
                 : fmt::format("cannot be told: {}", v.why);
  }
  return {};
}

std::string saving_words(Verdict const& v) {
  auto const saved = [](double ratio) { return 100 - 100 / ratio; };
  return fmt::format("{} % of the clearing time ({} to {})", fixed(saved(v.estimate.ratio), 1),
                     fixed(saved(v.estimate.ci->low), 1), fixed(saved(v.estimate.ci->high), 1));
}

std::string machine_words(ExplainedCampaign const& campaign) {
  auto const model = campaign.facts.value(fact::cpu_model).as_string();
  auto const architecture = campaign.facts.value(fact::architecture).as_string();
  auto const release = campaign.facts.value(fact::linux_release).as_string();
  std::string text = model          ? printable(*model)
                     : architecture ? printable(*architecture) + ", model unknown"
                                    : "CPU unknown";
  return text + ", Linux " + (release ? printable(*release) : "release unknown");
}

}  // namespace folioscope
