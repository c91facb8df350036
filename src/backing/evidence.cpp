// SPDX-License-Identifier: Apache-2.0
#include "backing/evidence.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace folioscope::backing {
namespace {

constexpr double kEnough = 0.99;

double share_of(Bytes part, Bytes whole) {
  return std::min(1.0, static_cast<double>(part.value) / static_cast<double>(whole.value));
}

/// smaps sees only PMD mappings, so it can deny an mthp or a split pool but not confirm one.
std::optional<double> by_smaps(Sighting const& seen) {
  if (!seen.smaps) return std::nullopt;
  auto const& s = *seen.smaps;
  auto const huge = s.anon_huge + s.shmem_huge + s.file_huge;
  switch (seen.backing.kind) {
    case BackingKind::thp:
      return share_of(s.anon_huge, seen.length);
    case BackingKind::hugetlb:
      return s.kernel_page == seen.folio ? share_of(s.hugetlb, seen.length) : 0;
    case BackingKind::tmpfs:
      return share_of(s.rss, seen.length);
    case BackingKind::base:
    case BackingKind::mthp:
    case BackingKind::thp_pte:
      return std::max(0.0, share_of(s.rss, seen.length) - share_of(huge, seen.length));
  }
  return std::nullopt;
}

/// One fault a unit when all went well, one a base page when nothing did. Linux may fault around in files: not for
/// tmpfs.
std::optional<double> by_faults(Sighting const& seen) {
  if (seen.backing.kind == BackingKind::tmpfs || seen.backing.kind == BackingKind::hugetlb) return std::nullopt;
  auto const pages = static_cast<double>(seen.length / seen.base);
  auto const units = static_cast<double>(seen.length / unit_of(seen.backing, seen.folio, seen.base));
  auto const faults = static_cast<double>(seen.minor_faults);
  if (seen.backing.kind == BackingKind::base) return std::min(1.0, faults / pages);
  return std::clamp((pages - faults) / (pages - units), 0.0, 1.0);
}

std::optional<double> by_frames(Sighting const& seen) {
  if (!seen.frames || seen.frames->units == 0 || seen.backing.kind == BackingKind::tmpfs) return std::nullopt;
  auto const good = seen.backing.kind == BackingKind::base ? seen.frames->single : seen.frames->whole;
  return static_cast<double>(good) / seen.frames->units;
}

Refusal too_little(Sighting const& seen, double share, std::string const& source) {
  auto const subject = to_string(seen.backing);
  auto reason =
      fmt::format("only {:.1f} % of {} really has this backing, by {}", share * 100, format_bytes(seen.length), source);
  if (seen.backing.kind == BackingKind::base || seen.backing.kind == BackingKind::tmpfs)
    return {subject, std::move(reason), "free memory, or ask for less with --max-memory"};
  return {subject, std::move(reason),
          "free or compact memory (as root: echo 1 > /proc/sys/vm/compact_memory), or ask for fewer folios"};
}

}  // namespace

Bytes unit_of(Backing const& backing, Bytes folio, Bytes base) {
  if (backing.kind == BackingKind::mthp) return *backing.size;
  return backing.kind == BackingKind::base || backing.kind == BackingKind::tmpfs ? base : folio;
}

Pool::Evidence judge(Sighting const& seen) {
  Pool::Evidence out;
  out.share = 1;
  std::string least;
  Json by = Json::object({});
  auto const weigh = [&](char const* source, std::optional<double> share) {
    by.set(source, share);
    if (!share || (!least.empty() && *share >= out.share)) return;
    out.share = *share;
    least = source;
  };
  weigh("smaps", by_smaps(seen));
  weigh("minor faults", by_faults(seen));
  weigh("pagemap", by_frames(seen));
  weigh("smaps before the split", seen.huge_before_split);
  if (least.empty()) {
    out.share = 0;
    out.refusal = Refusal{to_string(seen.backing),
                          "nothing here can verify this backing: /proc/self/smaps cannot be read", "mount /proc"};
  } else if (out.share < kEnough) {
    out.refusal = too_little(seen, out.share, least);
  }
  auto const unit = unit_of(seen.backing, seen.folio, seen.base);
  out.details = Json::object({{"bytes", seen.length.value},
                              {"share", out.share},
                              {"share_by", std::move(by)},
                              {"minor_faults", seen.minor_faults},
                              {"minor_faults_ideal", seen.length / unit},
                              {"smaps", seen.smaps ? to_json(*seen.smaps) : Json()},
                              {"frames", seen.frames ? to_json(*seen.frames) : Json()}});
  if (seen.backing.kind == BackingKind::tmpfs && seen.smaps)
    out.details.set("huge_share", share_of(seen.smaps->shmem_huge, seen.length));
  return out;
}

}  // namespace folioscope::backing
