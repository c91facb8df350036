// SPDX-License-Identifier: Apache-2.0
#include "machine/clear_kernel.hpp"

#include "machine/files.hpp"

namespace folioscope {
namespace {

bool usable(Features const& features, std::string_view name) {
  auto const it = features.status.find(name);
  return it != features.status.end() && it->second.usable;
}

ChosenKernel choose_x86(Features const& features) {
  if (usable(features, "erms")) return {"rep_stosb", "Linux sees ERMS"};
  if (usable(features, "rep_good")) return {"rep_stosq", "Linux sees REP_GOOD and no ERMS"};
  if (features.status.empty()) return {"", "the CPU's flags are unknown"};
  return {"mov_r64", "Linux sees neither ERMS nor REP_GOOD"};
}

ChosenKernel choose_arm64(Features const& features, std::optional<LinuxVersion> release) {
  // Linux has used MOPS in clear_page since 6.13; what sets a page is the non-temporal form.
  constexpr LinuxVersion first_with_mops{6, 13};
  if (usable(features, "mops") && !release)
    return {"", "whether this Linux uses MOPS depends on its release, which is unknown"};
  if (usable(features, "mops") && *release >= first_with_mops) return {"setn_mops", "MOPS on Linux 6.13 or newer"};
  if (features.zva_block) return {"dc_zva", "DCZID_EL0 permits DC ZVA"};
  auto const zva = features.status.find("zva");
  if (zva != features.status.end() && zva->second.reason.starts_with("DCZID_EL0.DZP"))
    return {"stnp_x", "DCZID_EL0.DZP is set"};
  return {"", "DCZID_EL0 is unknown"};
}

}  // namespace

std::optional<LinuxVersion> parse_release(std::string_view release) {
  auto const dot = release.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  auto const rest = release.substr(dot + 1);
  auto const major = parse_number(release.substr(0, dot));
  auto const minor = parse_number(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (!major || !minor || *major > 1000 || *minor > 100000) return std::nullopt;
  return LinuxVersion{static_cast<unsigned>(*major), static_cast<unsigned>(*minor)};
}

ChosenKernel choose_clear_kernel(std::string_view architecture, Features const& features,
                                 std::optional<LinuxVersion> release) {
  if (architecture == "x86_64") return choose_x86(features);
  if (architecture == "aarch64") return choose_arm64(features, release);
  return {"", "the architecture is unknown"};
}

}  // namespace folioscope
